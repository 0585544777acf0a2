"""Lists and slices, written in the macro language itself.

They are compiled into the programs that use them, as those of `routines.py` are. A name
with an underscore that is not defined here is known to routines only: `_list(x)` views
a list, `_dict(x)` the keys and values of a dictionary, one after the other, `_set(x)` a
set, `_cells(x)` any of them and `_view(x)` whatever can be walked through; `_cut(xs, n)`
keeps the first n elements. See `compiler/within.py`.
"""

from rlgpt_jax.macros.routines.mappings import DICTIONARIES, SETS

LISTS = """
def _slice(xs, first, last, step):
    n = len(xs)
    low = 0
    high = n
    if step < 0:
        low = -1
        high = n - 1
    if first is None:
        first = low if step > 0 else high
    else:
        if first < 0:
            first += n
        first = max(low, min(first, high))
    if last is None:
        last = high if step > 0 else low
    else:
        if last < 0:
            last += n
        last = max(low, min(last, high))
    made = []
    for i in range(first, last, step):
        made.append(xs[i])
    if _is_tuple(xs):
        return _as_tuple(made)
    return made

def _rest(xs, before, after):
    n = len(xs)
    if n < before + after:
        _no_index()
    made = []
    for i in range(before, n - after):
        made.append(xs[i])
    return made

def _pop(xs, i):
    if _is_dict(xs):
        return _dict_remove(xs, i, None, True)
    cells = _cells(xs)
    n = len(cells)
    x = cells[i]
    if i < 0:
        i += n
    for j in range(i + 1, n):
        cells[j - 1] = cells[j]
    _cut(cells, n - 1)
    return x

def _insert(xs, i, x):
    cells = _list(xs)
    n = len(cells)
    if i < 0:
        i = max(i + n, 0)
    i = min(i, n)
    cells.append(x)
    for j in range(n, i, -1):
        cells[j] = cells[j - 1]
    cells[i] = x

def _place_of(xs, x):
    for i in range(len(xs)):
        if xs[i] == x:
            return i
    _no_index()

def _remove(xs, x):
    _pop(xs, _place_of(_view(xs), x))

def _occurrences(xs, x):
    n = 0
    for y in xs:
        if y == x:
            n += 1
    return n

def _extend(xs, ys):
    cells = _list(xs)
    for i in range(len(ys)):
        cells.append(ys[i])

def _clear(xs):
    cells = _cells(xs)
    if len(cells) > 0:
        _cut(cells, 0)

def _refill(xs, items):
    _clear(xs)
    cells = _cells(xs)
    ys = _view(items)
    for i in range(len(ys)):
        cells.append(ys[i])

def _reverse(xs):
    n = len(_list(xs))
    for i in range(n // 2):
        x = xs[i]
        xs[i] = xs[n - 1 - i]
        xs[n - 1 - i] = x

def _copy(xs):
    made = []
    for x in _view(xs):
        made.append(x)
    if _is_dict(xs):
        return _as_dict(made)
    if _is_set(xs):
        return _as_set(made)
    return made

def _concatenate(a, b):
    if not _is_list(a):
        if not _is_tuple(a):
            return a + b
    made = []
    for x in a:
        made.append(x)
    for x in b:
        made.append(x)
    if _is_tuple(a):
        return _as_tuple(made)
    return made

def _lengthen(a, b):
    if _is_list(a):
        _extend(a, b)
        return a
    return _concatenate(a, b)

def _times(xs, n):
    if not _is_list(xs):
        if not _is_tuple(xs):
            return xs * n
    made = []
    for i in range(n):
        for x in xs:
            made.append(x)
    if _is_tuple(xs):
        return _as_tuple(made)
    return made

def _keep(xs):
    cells = _row(xs)
    for i in range(len(cells)):
        if _is_now(cells[i]):
            cells[i] = _kept(cells[i])

def _keep_deep(xs):
    cells = _row(xs)
    for i in range(len(cells)):
        x = cells[i]
        if _is_now(x):
            cells[i] = _kept(x)
        elif _is_tuple(x):
            _keep(x)
        elif _is_list(x):
            _keep(x)
        elif _is_dict(x):
            _keep(x)
"""

CONTAINER_SOURCE = DICTIONARIES + SETS + LISTS
