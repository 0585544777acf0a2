"""Dictionaries and sets, written in the macro language itself, as `containers.py` tells.

A dictionary is searched from its start: those that macros make have a few entries.
"""

DICTIONARIES = """
def _pair_at(cells, key):
    for k, v in _pairs(cells):
        if k == key:
            return v
    _no_index()

def _pair_get(cells, key, other):
    for k, v in _pairs(cells):
        if k == key:
            return v
    return other

def _dict_at(d, key):
    for k, v in _pairs(_dict(d)):
        if k == key:
            return v
    _no_index()

def _dict_get(d, key, other):
    for k, v in _pairs(_dict(d)):
        if k == key:
            return v
    return other

def _dict_has(d, key):
    for k, v in _pairs(_dict(d)):
        if k == key:
            return True
    return False

def _dict_put(d, key, value):
    cells = _dict(d)
    for i in range(0, len(cells), 2):
        if cells[i] == key:
            cells[i + 1] = value
            return
    cells.append(key)
    cells.append(value)

def _setdefault(d, key, other):
    cells = _dict(d)
    for k, v in _pairs(cells):
        if k == key:
            return v
    cells.append(key)
    cells.append(other)
    return other

def _dict_remove(d, key, other, needed):
    cells = _dict(d)
    n = len(cells)
    for i in range(0, n, 2):
        if cells[i] == key:
            value = cells[i + 1]
            for j in range(i + 2, n):
                cells[j - 2] = cells[j]
            _cut(cells, n - 2)
            return value
    if needed:
        _no_index()
    return other

def _popitem(d):
    cells = _dict(d)
    n = len(cells)
    pair = (cells[-2], cells[-1])
    _cut(cells, n - 2)
    return pair

def _update(d, more):
    if _is_set(d):
        for x in _view(more):
            _add(d, x)
    elif _is_dict(more):
        for k, v in _pairs(_dict(more)):
            _dict_put(d, k, v)
    else:
        for pair in more:
            _dict_put(d, pair[0], pair[1])
    return d
"""

SETS = """
def _add(s, x):
    cells = _set(s)
    if x not in cells:
        cells.append(x)

def _discard(s, x):
    cells = _set(s)
    for i in range(len(cells)):
        if cells[i] == x:
            _pop(s, i)
            return

def _union(a, b):
    made = _copy(a)
    return _update(made, b)

def _common(a, b, wanted):
    other = _view(b)
    made = []
    for x in _set(a):
        if (x in other) == wanted:
            made.append(x)
    return _as_set(made)

def _either(a, b):
    made = _common(a, b, False)
    other = _set(a)
    for x in _view(b):
        if x not in other:
            _add(made, x)
    return made

def _subset(a, b):
    other = _view(b)
    for x in _view(a):
        if x not in other:
            return False
    return True

def _smaller(a, b):
    if len(_set(a)) < len(_set(b)):
        return _subset(a, b)
    return False

"""
