"""ROOM 2: pure functions, frames in, frames out: one measure a file.

Every step has one signature, ``derive(inputs: WeekInputs, made: Frames) -> DataFrame``: it sees the raw week, the
twelve weeks before, the repository's settings, and the tables that the steps before it made. ``derive.py`` names
the steps in order. What does not belong here: reading or writing, clocks, Dagster, words for readers.
"""
