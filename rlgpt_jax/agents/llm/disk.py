"""Files that survive a crash: written as a whole, or appended to and synced."""

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # no room, quota used up, limit of a file's size


class Damaged(ValueError):
    """A file that cannot be read. The message says which, why, and what to do."""


def write_atomically(path: Path, content: str | bytes) -> None:
    """Makes folders as needed; a reader sees the old file or the whole new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    data = content.encode() if isinstance(content, str) else content
    try:
        with naming(path, len(data)):
            with part.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
            sync_folder(path.parent)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)  # it takes room on a full disk
        raise


def append(path: Path, data: bytes) -> None:
    """Adds to the end of a file and waits until it is on disk; on an error the file is as
    it was."""
    with naming(path, len(data)):
        path.parent.mkdir(parents=True, exist_ok=True)
        is_new = not path.exists()
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            size = os.fstat(descriptor).st_size
            try:
                left = memoryview(data)
                while left:
                    left = left[os.write(descriptor, left) :]
                os.fsync(descriptor)
            except BaseException:
                os.ftruncate(descriptor, size)  # half a line must not have another behind it
                raise
        finally:
            os.close(descriptor)
        if is_new:
            sync_folder(path.parent)


@contextlib.contextmanager
def naming(path: Path, num_bytes: int) -> Iterator[None]:
    """Errors of the disk say which file they are about and, if it is full, what it needs."""
    try:
        yield
    except OSError as error:
        words = error.strerror or str(error).partition("\n")[0]
        if error.errno in FULL:
            with contextlib.suppress(OSError):
                free = shutil.disk_usage(path.parent).free
                words += f" ({num_bytes / 1e6:.3f} MB are needed, {free / 1e6:.3f} MB are free)"
        raise OSError(error.errno, words, str(path)) from error


def check_room(path: Path, num_bytes: int) -> None:
    """Asks the disk for the room of a file, and gives it back.

    Raises:
      OSError: there is none.
    """
    reserve = path.with_name(path.name + ".reserve")
    with naming(path, num_bytes):
        allocate(reserve, num_bytes)
    reserve.unlink(missing_ok=True)


def words_of(error: OSError) -> str:
    """What went wrong with which file, in one line, and what to do."""
    where = f"{error.filename}: " if error.filename else ""
    hint = " Make room on the disk." if error.errno in FULL else ""
    return f"{where}{error.strerror or error}.{hint}"


def set_aside(path: Path) -> Path:
    """Renames a damaged file or folder, so that nothing takes it for whole; its new name."""
    for number in range(1000):
        new = path.with_name(f"{path.name}.damaged{number or ''}")
        if not new.exists():
            break
    os.replace(path, new)
    return new


def allocate(path: Path, num_bytes: int) -> None:
    """Takes room on the disk for a file of that size.

    Raises:
      OSError: if there is no room. File systems that cannot promise room promise nothing.
    """
    if not hasattr(os, "posix_fallocate"):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
    try:
        os.posix_fallocate(descriptor, 0, max(1, num_bytes))
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS):
            path.unlink(missing_ok=True)
            raise
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Makes new and renamed files in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
