"""ROOM 3: facts.py reads the tables and makes report.json; everything a reader sees is made of that one file.

What belongs here: choosing, wording, drawing, laying out, publishing. What does not: measuring. Every number in
``report.json`` is a value of a stored row or a count of stored rows, and names the table it can be looked up in.
"""
