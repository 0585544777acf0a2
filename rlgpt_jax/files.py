"""Where files lie: prompts and tables that come with the package, and what is kept between runs.

In a checkout they are folders of its top level; a wheel carries copies (`setup.py`), and what is
kept then lies in the user's cache.
"""

from pathlib import Path

CHECKOUT = Path(__file__).parents[1]
SHIPPED = Path(__file__).parent / "shipped"
IS_INSTALLED = SHIPPED.is_dir()  # from a wheel


def folder(*parts: str) -> Path:
    """A folder of the top level, for example `folder("third_party", "minecraft")`."""
    return (SHIPPED if IS_INSTALLED else CHECKOUT).joinpath(*parts)


def kept(name: str) -> Path:
    """A folder for what is made once and found again: `.cache`, `.minedojo`."""
    return (Path.home() / ".cache" / "rlgpt_jax" if IS_INSTALLED else CHECKOUT) / name
