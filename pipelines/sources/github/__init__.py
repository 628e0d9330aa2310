"""GitHub as a source: a week of merged pull requests in few requests, whole, or with an honest word on what is missing.

What belongs here: asking GitHub, keeping to its limits, answering its faults, and the one parser of records into raw
tables. What does not: judging pull requests (``rules``), storing tables (``warehouse``).

``source.py`` is the door; ``enumerate.py`` finds the week, ``details.py`` reads it, ``refresh.py`` reads again what
changed, ``parse.py`` makes tables of it. ``client.py``, ``budget.py``, ``faults.py``, ``checkpoint.py`` and ``auth.py``
carry them. Only ``client.py`` and ``auth.py`` import PyGithub, and only when used.
"""
