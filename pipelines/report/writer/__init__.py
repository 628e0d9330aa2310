"""A language model words the report, and never supplies a fact of it.

``request`` says what it is asked, ``client`` asks, ``answers`` keeps what it said, ``verify`` holds every sentence against
the facts, ``reword`` puts those that hold in the place of the rules'. Without a model nothing here is imported.
"""
