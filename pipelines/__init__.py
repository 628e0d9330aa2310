"""pullweek: a data warehouse of pull requests, and the weekly report read out of it.

The map of the rooms, and who may import whom (``tests/unit/test_imports.py`` holds it):

=====================  =====================================================  ===================================
room                   what belongs there                                     may import
=====================  =====================================================  ===================================
``errors`` ``weeks``   one base error; ISO week <-> UTC window                nothing of ours (weeks: errors)
``settings``           ``pullweek.toml`` and the environment, typed           errors, weeks
``contracts``          the table contracts as data                            nothing of ours
``tables``             the door to the contracts; holds a frame against one   contracts, errors
``warehouse``          where a table's week lies; read, conform, write        tables, errors, weeks
``sources``            ROOM 1: where pull requests come from                  tables, contracts, settings, errors, weeks
``rules``              ROOM 2: pure functions, frames in, frames out          tables, settings, errors, weeks
``report``             ROOM 3: facts, prose, charts, templates, rendering     warehouse, tables, settings, errors, weeks;
                                                                              of rules only names and titles
``defs``               ROOM 4: the only room that imports dagster             every room
``definitions``        what Dagster loads; nothing else                       defs, settings
``commands``           what each command does, a module a command             every room
``cli``                the command ``pullweek``: its line and its last line   errors, commands
=====================  =====================================================  ===================================

Data flows one way: sources -> raw tables -> rules -> derived tables -> report facts -> notebook -> pages.
Importing this package is cheap: a room imports pandas, dagster or Jupyter only where it needs them.
"""
