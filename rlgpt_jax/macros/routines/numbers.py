"""Bits and random numbers, written in the macro language itself.

They are compiled into the programs that use them, as those of `routines.py` are.

Random numbers: B. A. Wichmann and I. D. Hill, "An
Efficient and Portable Pseudo-random Number Generator", Applied Statistics 31, 1982:
three states below 30,323, so that every product is exact in float32.
"""

# `one` and `both` say what a bit of the result is: one * (p + q) + both * p * q.
BITS = """
def _bits(x, y, one, both):
    result = 0
    weight = 1
    while (x != 0 and x != -1) or (y != 0 and y != -1):
        p = x % 2
        q = y % 2
        result += weight * (one * (p + q) + both * p * q)
        weight *= 2
        x = x // 2
        y = y // 2
    if one * (abs(x) + abs(y)) + both * abs(x) * abs(y) > 0:
        result -= weight
    return result
"""

RANDOM = """
def _seed(x, y, z, yaw, time):
    a = floor((abs(x) * 64 + time) % 30000) + 1
    b = floor((abs(z) * 64 + time * 3) % 30000) + 1
    c = floor((abs(y) * 64 + abs(yaw) * 16 + time * 7) % 30000) + 1
    state = [a, b, c]
    for i in range(3):
        _random(state)
    return state

def _random(state):
    a = (171 * state[0]) % 30269
    b = (172 * state[1]) % 30307
    c = (170 * state[2]) % 30323
    state[0] = a
    state[1] = b
    state[2] = c
    return (a / 30269 + b / 30307 + c / 30323) % 1

def _below(state, n):
    return min(floor(_random(state) * n), n - 1)

def _randint(state, a, b):
    if b < a:
        return sqrt(-1)
    return a + _below(state, b - a + 1)

def _uniform(state, a, b):
    return a + (b - a) * _random(state)

def _choice(state, xs):
    return xs[_below(state, len(xs))]

def _shuffle(state, xs):
    for i in range(len(xs) - 1, 0, -1):
        j = _below(state, i + 1)
        x = xs[i]
        xs[i] = xs[j]
        xs[j] = x
"""
NUMBER_SOURCE = BITS + RANDOM
