"""ROOM 1: where pull requests come from: GitHub, or the embedded sample repository.

Every source gives the same records (``records.py``) to the same parser (``github/parse.py``). What does not belong
here: judging pull requests, storing them, showing them.
"""
