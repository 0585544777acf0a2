"""A peer that cannot be run on this machine."""


class Missing(Exception):
    """Says in one line what is missing and how to get it."""
