"""The versions of which MineDojo's interpreter is made: those that were seen to work together.

The client needs gym 0.21, whose metadata newer packaging tools refuse, and numpy below 1.24.
"""

VERSIONS = ((3, 9), (3, 10), (3, 11))  # of Python, the one to take first in front
TOOLS = ("pip<24.1", "setuptools==65.5.0", "wheel==0.37.1")  # without wheel gym cannot be built
CONSTRAINTS = ("numpy==1.23.5", "opencv-python==4.11.0.86")  # later opencv wants numpy 2
CLIENT = "minedojo==0.1"
# What must be there when all is installed.
INSTALLED = {"gym": "0.21.0", **dict(pin.split("==") for pin in (*TOOLS[1:], *CONSTRAINTS, CLIENT))}
MAX_PIP = (24, 1)


def version_tuple(text: str) -> tuple[int, ...]:
    """The leading numbers of a version: "1.23.5rc1" is (1, 23)."""
    numbers = []
    for part in text.split("."):
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers)


def is_supported(version: tuple[int, ...]) -> bool:
    return tuple(version[:2]) in VERSIONS


def words_of_versions() -> str:
    """As words: 3.9, 3.10 or 3.11."""
    *front, last = [".".join(map(str, version)) for version in VERSIONS]
    return f"{', '.join(front)} or {last}"
