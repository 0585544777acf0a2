"""The file that a command writes: refused, if it cannot be, before the work for it is done."""

import os
from pathlib import Path


def check(path: Path) -> None:
    """Looks at the name and at the folder; writes nothing.

    Raises:
      ValueError: no name of an `.npz` file, or none that can be written.
    """
    if path.suffix != ".npz":
        raise ValueError(f"{path} must end in .npz, the format that is written.")
    folder = next(parent for parent in path.absolute().parents if os.path.exists(parent))
    if path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise ValueError(
            f"{path} cannot be written: it is a folder, or {folder} is none that can be written "
            "to. Give another name."
        )
