"""What each command of ``pullweek`` does, a module a command, imported only when it is called.

``pipelines/cli.py`` reads the command line and ends with one line where something is wrong; nothing here does.
"""
