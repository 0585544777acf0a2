"""Functions that are written in the macro language itself.

They are compiled into the programs that use them, with real calls. So every operation
in them is one rounded float32 operation, and no compiler can fuse a product and a sum: the
results are the same bits everywhere. Errors are a few units in the last place for angles up to
some thousands of degrees in radians.

Polynomials: minimax coefficients of the Cephes library (sinf, cosf, atanf), S. Moshier,
https://www.netlib.org/cephes/.
"""

from rlgpt_jax.macros.routines.containers import CONTAINER_SOURCE
from rlgpt_jax.macros.routines.numbers import NUMBER_SOURCE
from rlgpt_jax.macros.routines.sorting import COMPARISONS, SORTING, SORTING_ROWS

# Name -> number of parameters, for the check of calls.
ROUTINES = {
    "sin": 1,
    "cos": 1,
    "tan": 1,
    "atan": 1,
    "atan2": 2,
    "asin": 1,
    "acos": 1,
    "hypot": 2,
    "copysign": 2,
    "pow": 2,
}

ROUTINE_SOURCE = """
def _quarter(x, shift):
    k = round(x * 0.6366197723675814)
    r = ((x - k * 1.5703125) - k * 0.0004837512969970703) - k * 7.54978995489188e-08
    q = (k + shift) % 4
    z = r * r
    if q % 2 == 0:
        v = ((-1.9515295891e-4 * z + 8.3321608736e-3) * z - 1.6666654611e-1) * z * r + r
    else:
        v = (2.443315711809948e-5 * z - 1.388731625493765e-3) * z + 4.166664568298827e-2
        v = v * z * z - 0.5 * z + 1
    return -v if q >= 2 else v

def sin(x):
    return _quarter(x, 0)

def cos(x):
    return _quarter(x, 1)

def tan(x):
    return _quarter(x, 0) / _quarter(x, 1)

def atan(x):
    a = abs(x)
    base = 0.0
    if a > 2.414213562373095:
        base = 1.5707963267948966
        a = -1.0 / a
    elif a > 0.4142135623730950:
        base = 0.7853981633974483
        a = (a - 1.0) / (a + 1.0)
    z = a * a
    p = ((8.05374449538e-2 * z - 1.38776856032e-1) * z + 1.99777106478e-1) * z
    v = base + ((p - 3.33329491539e-1) * z * a + a)
    return -v if x < 0 else v

def atan2(y, x):
    if x > 0:
        return atan(y / x)
    if x < 0:
        if y < 0:
            return atan(y / x) - 3.141592653589793
        return atan(y / x) + 3.141592653589793
    if y > 0:
        return 1.5707963267948966
    if y < 0:
        return -1.5707963267948966
    return 0.0

def asin(x):
    return atan2(x, sqrt((1 - x) * (1 + x)))

def acos(x):
    return atan2(sqrt((1 - x) * (1 + x)), x)

def hypot(x, y):
    a = max(abs(x), abs(y))
    b = min(abs(x), abs(y))
    if a == 0:
        return 0.0
    r = b / a
    return a * sqrt(1 + r * r)

def copysign(x, y):
    return -abs(x) if y < 0 else abs(x)

def pow(x, n):
    if n == 0.5:
        return sqrt(x)
    k = abs(n)
    if k != floor(k):
        return sqrt(-1)
    v = 1.0
    while k > 0:
        if k % 2 == 1:
            v = v * x
        x = x * x
        k = k // 2
    return v if n >= 0 else 1 / v
"""
ROUTINE_SOURCE += CONTAINER_SOURCE + COMPARISONS + SORTING + SORTING_ROWS + NUMBER_SOURCE
