"""One line of the fidelity table."""

from typing import NamedTuple


class Row(NamedTuple):
    """A rule of Minecraft 1.11.2, what was measured of it, and the bound it must keep."""

    group: str  # "motion", "mining", "recipes", ...
    rule: str  # in words
    measured: str  # the figure, with its unit or its number of cases
    bound: str  # what it must keep; "" where nothing is demanded
    holds: bool
