"""The table contracts as data: ``raw`` holds what is faithful to the source, ``derived`` what rules make of it.

``pipelines.tables`` is the door: import from there. Here belong columns, keys, units and sources, and no logic.
"""
