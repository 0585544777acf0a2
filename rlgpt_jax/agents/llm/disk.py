"""Files that survive a crash: written as a whole, or appended to and synced."""

import contextlib
import errno
import os
from pathlib import Path


def write_atomically(path: Path, content: str | bytes) -> None:
    """Makes folders as needed; a reader sees the old file or the whole new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
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
