"""Limits of macros that agents are told of: the one place of these numbers, plain data."""

MAX_MACROS = 8  # slots: macros in one set, coded parts of a plan
TICK_LIMIT = 200  # ticks of one activation, where a run does not set another
MAX_ARGUMENTS = 4  # bounded parameters of a macro, in worlds with a spec
