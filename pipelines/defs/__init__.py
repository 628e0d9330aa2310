"""ROOM 4: the only room that imports dagster. One factory makes a repository's asset graph from its settings.

``steps.py`` joins the other rooms for one repository-week, ``storing.py`` is its way into the raw tables, and
``running.py`` goes through many weeks: none of them knows dagster. ``assets.py`` makes thin assets of the steps;
``checks.py`` and ``schedules.py`` stand beside; ``launch.py`` is how the command runs the same assets.
No module here uses ``from __future__ import annotations``: Dagster reads the annotations of ``context``.
"""
