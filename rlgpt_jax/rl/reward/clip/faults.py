"""What is told in words, without a traceback: a file of the user that cannot be used."""


class MineClipError(ValueError):
    """A file or its content does not fit: what was given, what is needed, what to try."""
