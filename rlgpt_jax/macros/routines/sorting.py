"""Comparing rows and sorting, written in the macro language itself.

As in `containers.py`, names with an underscore that are not defined here or
there are known to routines only.
"""

COMPARISONS = """
def _equal(a, b):
    if _is_list(a):
        if not _is_list(b):
            return False
    elif _is_tuple(a):
        if not _is_tuple(b):
            return False
    elif a == b:
        return True
    elif _is_dict(a):
        if not _is_dict(b):
            return False
        x = _dict(a)
        if len(x) != len(_dict(b)):
            return False
        for k, v in _pairs(x):
            if not _dict_has(b, k):
                return False
            if not _equal(v, _dict_at(b, k)):
                return False
        return True
    elif _is_set(a):
        if not _is_set(b):
            return False
        if len(_set(a)) != len(_set(b)):
            return False
        return _subset(a, b)
    else:
        return False
    if len(a) != len(b):
        return False
    for i in range(len(a)):
        if not _equal(a[i], b[i]):
            return False
    return True

def _among(x, xs):
    for y in _view(xs):
        if _equal(x, y):
            return True
    return False

def _rank_of(name):
    return _rank(name)

def _less(a, b):
    if not _is_tuple(a):
        if not _is_list(a):
            if _is_name(a):
                return _rank_of(a) < _rank_of(b)
            return a < b
    for i in range(min(len(a), len(b))):
        if a[i] != b[i]:
            return _less(a[i], b[i])
    return len(a) < len(b)
"""

# Merge sort of linked runs; `cells` holds key, item, key, item, ... and is reused for the
# result. Stable; about 8 steps for each element and doubling.
SORTING = """
def _merge(cells, links, a, b):
    end = len(links) - 1
    last = end
    x = cells[a + a]
    y = cells[b + b]
    links[end] = a
    while True:
        while not y < x:
            last = a
            a = links[a]
            if a < 0:
                links[last] = b
                return links[end]
            x = cells[a + a]
        links[last] = b
        while y < x:
            last = b
            b = links[b]
            if b < 0:
                links[last] = a
                return links[end]
            y = cells[b + b]
        links[last] = a

def _sort(cells):
    n = len(cells) // 2
    if n == 0:
        return cells
    links = []
    for i in range(n + 1):
        links.append(i + 1)
    runs = [-1, -1, -1, -1, -1, -1, -1, -1]
    i = 0
    place = 0
    while i < n:
        head = i
        x = cells[place]
        i += 1
        place += 2
        while i < n:
            y = cells[place]
            if y < x:
                break
            x = y
            i += 1
            place += 2
        links[i - 1] = -1
        level = 0
        while runs[level] >= 0:
            head = _merge(cells, links, runs[level], head)
            runs[level] = -1
            level += 1
        runs[level] = head
    return _collected(cells, links, runs, False, False)

def _collected(cells, links, runs, back, rows):
    head = -1
    for first in runs:
        if first >= 0:
            if head < 0:
                head = first
            elif rows:
                head = _merge_rows(cells, links, first, head, back)
            else:
                head = _merge(cells, links, first, head)
    n = len(cells) // 2
    for i in range(n):
        cells[i + i] = cells[head + head + 1]
        head = links[head]
    for i in range(n):
        cells[i] = cells[i + i]
    _cut(cells, n)
    return cells

"""

# The same with keys that are rows: the first two numbers of a key are at hand.
BEFORE = """
{0}if y0 != x0:
{0}    p = y0
{0}    q = x0
{0}elif y1 != x1:
{0}    p = y1
{0}    q = x1
{0}else:
{0}    p = _order(y, x)
{0}    q = 0
{0}if _is_name(p):
{0}    p = _rank_of(p)
{0}    q = _rank_of(q)
{0}before = q < p if back else p < q
"""
NEXT = """
{1}{0} = cells[{2} + {2}]
{1}{0}0 = {0}[0]
{1}{0}1 = {0}[1] if len({0}) > 1 else None
"""

SORTING_ROWS = f"""
def _order(a, b):
    for i in range(2, min(len(a), len(b))):
        if a[i] != b[i]:
            return -1 if _less(a[i], b[i]) else 1
    return len(a) - len(b)

def _merge_rows(cells, links, a, b, back):
    end = len(links) - 1
    last = end
{NEXT.format("x", "    ", "a")}
{NEXT.format("y", "    ", "b")}
    while True:
{BEFORE.format("        ")}
        if before:
            links[last] = b
            last = b
            b = links[b]
            if b < 0:
                links[last] = a
                return links[end]
{NEXT.format("y", "            ", "b")}
        else:
            links[last] = a
            last = a
            a = links[a]
            if a < 0:
                links[last] = b
                return links[end]
{NEXT.format("x", "            ", "a")}

def _sort_rows(cells, back):
    n = len(cells) // 2
    if n == 0:
        return cells
    if not _is_tuple(cells[0]):
        if not _is_list(cells[0]):
            for i in range(n):
                if _is_name(cells[i + i]):
                    cells[i + i] = _rank_of(cells[i + i])
                if back:
                    cells[i + i] = -cells[i + i]
            return _sort(cells)
    links = []
    for i in range(n + 1):
        links.append(-1)
    runs = [-1, -1, -1, -1, -1, -1, -1, -1]
    for i in range(n):
        head = i
        level = 0
        while runs[level] >= 0:
            head = _merge_rows(cells, links, runs[level], head, back)
            runs[level] = -1
            level += 1
        runs[level] = head
    return _collected(cells, links, runs, back, True)
"""
