"""Worlds on pages of 2 MiB, where Linux can do that.

A tick and its rays read a few bytes from each of many places. On pages of 4 KiB nearly
all of them miss the processor's table of pages (128 worlds of 96 x 96 x 96: 27,648 pages).
"""

import ctypes
import sys

import jax

_SIZE = 2 << 20  # bytes of a large page on x86-64, and on ARM with small pages of 4 KiB
_COLLAPSE = 25  # MADV_COLLAPSE of linux/mman.h, since Linux 6.1


def collapse(array: jax.Array) -> bool:
    """Moves the memory of a CPU array to large pages; its bytes and address stay.

    Costs about a millisecond per MiB, once. Nothing happens where the system cannot do it.

    Returns:
      Whether the whole pages within the array are large now.
    """
    if not sys.platform.startswith("linux"):
        return False
    array.block_until_ready()
    begin = array.unsafe_buffer_pointer()
    first = -(-begin // _SIZE) * _SIZE
    last = (begin + array.size * array.dtype.itemsize) // _SIZE * _SIZE
    if first >= last:
        return False
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return madvise(first, last - first, _COLLAPSE) == 0
