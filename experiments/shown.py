"""Text of models, services and disks as a terminal gets it: without control characters, cut."""

from rich.errors import MarkupError
from rich.text import Text

LONGEST = 2_000  # characters of one message of a run
UNSEEN = "\N{REPLACEMENT CHARACTER}"  # in the place of what a terminal would obey


def printable(words: str) -> str:
    """Without control characters, which a terminal would obey."""
    words = words.replace("\r\n", "\n")
    return "".join(c if c in "\n\t" or c.isprintable() else UNSEEN for c in words)


def short(words: str, longest: int = LONGEST) -> str:
    """The same, with what follows `longest` characters cut and counted."""
    left = len(words) - longest
    return printable(words[:longest]) + f"... ({left:,} characters more)" * (left > 0)


def message(markup: str) -> Text:
    """Words with rich's markup, of which only what `escape` let through is obeyed."""
    try:
        text = Text.from_markup(markup)
    except MarkupError:
        return Text(short(markup))
    left = len(text) - LONGEST
    if left > 0:
        text.right_crop(left)
        text.append(f"... ({left:,} characters more; the run folder has them all)")
    text.plain = printable(text.plain)  # as long as before, so that styles stay
    return text
