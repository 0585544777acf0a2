"""Bits, logarithms and random numbers, written in the macro language itself.

They are compiled into the programs that use them, as those of `routines.py` are.

Polynomials: minimax coefficients of the Cephes library (expf, logf), S. Moshier,
https://www.netlib.org/cephes/. Random numbers: B. A. Wichmann and I. D. Hill, "An
Efficient and Portable Pseudo-random Number Generator", Applied Statistics 31, 1982:
three states below 30,323, so that every product is exact in float32.
"""

# Name -> number of parameters, for the check of calls.
NUMBER_ROUTINES = {
    "exp": 1,
    "log2": 1,
    "log10": 1,
    "log1p": 1,
    "expm1": 1,
    "cbrt": 1,
    "fmod": 2,
    "gcd": 2,
    "dist": 2,
    "factorial": 1,
}

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

POWERS = """
def exp(x):
    if x > 88.72283905206835:
        return 1e39
    if x < -87.33654475055310:
        return 0.0
    n = round(x * 1.44269504088896341)
    r = (x - n * 0.693359375) + n * 2.12194440e-4
    z = r * r
    p = ((1.9875691500e-4 * r + 1.3981999507e-3) * r + 8.3334519073e-3) * r
    p = ((p + 4.1665795894e-2) * r + 1.6666665459e-1) * r + 5.0000001201e-1
    m = n // 2
    return (p * z + r + 1) * 2.0 ** m * 2.0 ** (n - m)

def _log(x):
    if x <= 0:
        return sqrt(-1)
    if not x < 1e39:
        return x
    e = 0
    while x > 65536:
        x *= 0.0000152587890625
        e += 16
    while x < 0.0000152587890625:
        x *= 65536
        e -= 16
    while x > 1.41421356237309505:
        x *= 0.5
        e += 1
    while x < 0.707106781186547524:
        x *= 2
        e -= 1
    x -= 1
    z = x * x
    y = ((7.0376836292e-2 * x - 1.1514610310e-1) * x + 1.1676998740e-1) * x
    y = ((y - 1.2420140846e-1) * x + 1.4249322787e-1) * x - 1.6668057665e-1
    y = (((y * x + 2.0000714765e-1) * x - 2.4999993993e-1) * x + 3.3333331174e-1) * x * z
    y = y - 2.12194440e-4 * e - 0.5 * z
    return x + y + 0.693359375 * e

def log1p(x):
    if abs(x) < 0.001:
        return x - 0.5 * x * x + x * x * x / 3
    return _log(1 + x)

def expm1(x):
    if abs(x) < 0.01:
        return x + 0.5 * x * x + x * x * x / 6
    return exp(x) - 1

def _log_of(x, scale, base):
    v = _log(x) * scale
    if abs(v) > 60:
        return v
    n = round(v)
    return n if pow(base, n) == x else v

def log2(x):
    return _log_of(x, 1.4426950408889634, 2)

def log10(x):
    return _log_of(x, 0.4342944819032518, 10)

def _power(x, n):
    if x == 0:
        return 0.0 if n > 0 else 1 / x
    return exp(n * _log(x))

def cbrt(x):
    if x == 0:
        return x
    v = exp(_log(abs(x)) / 3)
    v = v - (v - abs(x) / (v * v)) / 3
    return -v if x < 0 else v

def fmod(x, y):
    v = abs(x) % abs(y)
    return -v if x < 0 else v

def gcd(x, y):
    x = abs(x)
    y = abs(y)
    while y > 0:
        z = x % y
        x = y
        y = z
    return x

def factorial(x):
    if x < 0:
        return sqrt(-1)
    v = 1
    for i in range(1, x + 1):
        v *= i
    return v

def dist(p, q):
    total = 0
    for i in range(max(len(p), len(q))):
        d = p[i] - q[i]
        total += d * d
    return sqrt(total)

def _isclose(x, y, relative, absolute):
    if x == y:
        return True
    d = abs(x - y)
    return d <= max(relative * max(abs(x), abs(y)), absolute) and d < 1e39
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
NUMBER_SOURCE = BITS + POWERS + RANDOM
