"""Names as text mean what they mean in Python; what cannot be known is refused."""

import pytest

from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.refusal import Refusal
from rlgpt_jax.macros.vm import bytecode
from tests.macros import worlds
from tests.macros.compiler import python_meaning

PROGRAMS = {
    "folded": """
WOOD = "wooden"
TOOL = WOOD + "_" + "pickaxe"
PARTS = ("crafting", "table")

def macro(obs):
    obs = yield craft(f"{WOOD}_pickaxe")
    obs = yield craft(TOOL)
    obs = yield craft(WOOD + "_pickaxe")
    obs = yield craft(" STICK ".strip().lower())
    obs = yield turn(yaw=15 * ("a" + "b" == "ab"), pitch=15 * (str(3) == f"{3}"))
    if "x".upper() == "X" and "log".replace("o", "a") == "lag":
        obs = yield back()
""",
    "tables": """
def best(obs, kind):
    for stuff in ("iron", "stone", "wooden"):
        name = f"{stuff}_{kind}"
        if obs.count(name) > 0:
            return name
    return None

def macro(obs):
    tool = best(obs, "pickaxe")
    if tool is not None:
        obs = yield equip(tool)
    for kind in ["pickaxe", "axe"]:
        obs = yield craft("wooden_" + kind)
    goods = {"log": 2, "stick": 3}
    for k, v in goods.items():
        if k + "!" == "log!":
            obs = yield turn(yaw=15 * v)
    for i, side in enumerate(("left", "right")):
        word = f"to_{side}"
        obs = yield turn(yaw=15 * (word == "to_left"), pitch=15 * i)
    state = "scan"
    for _ in range(3):
        state = {"scan": "walk", "walk": "turn", "turn": "scan"}[state]
        obs = yield turn(yaw=15 * ("at_" + state == "at_turn"))
""",
    "questions": """
SOFT = ("air", "water")
WORDS = ("lo", "rt", "ass")

def bad(n, words=WORDS):
    return any(w in n for w in words)

def macro(obs):
    for dx in (-1, 0, 1):
        for dz in (-1, 0, 1):
            name = obs.block(dx, 0, dz)
            a = 1 if str(name).lower().endswith(("log", "stone")) else 0
            b = 2 if name.startswith("s") or "at" in name else 0
            c = 4 if bad(name) else 0
            d = 8 if name.strip() in SOFT or name.upper() == "DIRT" else 0
            obs = yield turn(yaw=15 * (a + b), pitch=15 * (c + d) - 90)
    name = obs.block(0, 1, 0)
    obs = yield turn(yaw=15 * (name in "stone and logs"), pitch=15 * ("st" not in name))
    kind = name.replace("minecraft:", "").lower()
    if kind == name and kind.split("_")[0] in ("stone", "log"):
        obs = yield jump()
    word = "st" if obs.on_ground else "lo"
    obs = yield turn(yaw=15 * (word in name), pitch=15 * name.startswith(word))
    hand = obs.held or "nothing"
    obs = yield turn(yaw=15 * (hand == "nothing"), pitch=15 * ("_" in hand))
    if obs.held in (None, "", "air", "none") or not obs.held:
        obs = yield left()
    if hand.split("_")[-1] == "pickaxe" and "pick" in hand.split("_")[-1]:
        obs = yield back()
""",
    "words as arguments": """
SOFT = ("grass", "eav", "snow")
HARD = {"stone", "ore", "obsid"}
PREFIXES = ["s", "lo", "gr", "", "di"]
KINDS = {"hard": ("sto", "ore"), "soft": ("dirt", "gra", "Log")}

def has(name, parts):
    return any(p in name for p in parts)

def which(name, words):
    for i, word in enumerate(words):
        if name.startswith(word):
            return i
    return 7

def macro(obs):
    for dx in (-1, 0, 1):
        for dz in (-1, 0, 1):
            name = obs.block(dx, 0, dz) or "air"
            a = has(name, SOFT) + 2 * has(name, HARD) + 4 * has(name, ("log", "dir"))
            obs = yield turn(yaw=15 * a, pitch=15 * which(name, PREFIXES) - 90)
            found = 0
            for kind, words in KINDS.items():
                for word in words:
                    if word in name and kind != "soft":
                        found += 1
            if f"a{3}" in name or name.startswith(f"s{1 + 1}"):
                found += 1
            obs = yield turn(yaw=15 * found)
""",
    "own names": """
def macro(obs):
    state = "SEARCH"
    for _ in range(3):
        low = state.lower()
        obs = yield turn(yaw=15 * (low == "search"), pitch=15 * (low == "found_it"))
        state = "Found_It" if state == "SEARCH" else "SEARCH"
        obs = yield turn(yaw=15 * (state.split("_")[-1] == "It"), pitch=15 * state.startswith("Fo"))
    obs = yield turn(yaw=15 * ("" or "x" == "x"), pitch=15 * bool(state))
""",
    "printing": """
def describe(obs, n):
    return f"{obs.x:.2f} {n!r} {obs.life}"

def macro(obs):
    seen = 0
    trace = []
    message = "start"
    for _ in range(3):
        seen += 1
        message = f"seen {seen} at {obs.x}, {obs.z}"
        message += " and more"
        trace.append(message)
        print(message, describe(obs, seen), obs.anything)
        if seen > 5:
            print("never")
        obs = yield turn(yaw=15 * seen)
    print("done %d" % seen, ", ".join(trace))
    return f"done {obs.x}"
""".replace(", obs.anything", ""),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_acts_as_it_does_in_python(name):
    python_meaning.check(PROGRAMS[name])


ONE = "def macro(obs):\n    obs = yield forward()\n    "
MANY_WORDS = f"""ROW = {[f"w{n}" for n in range(70)]}
def has(name, parts):
    return any(p in name for p in parts)
def macro(obs):
    yield forward()
"""
# Text -> (part of the reason, part of the advice); all in line 3.
REFUSED = {
    ONE + "x = f'{obs.x},{obs.z}'": ("not known", "(x, z)"),
    ONE + "x = obs.held + '_ore'": ("not known", "endswith"),
    ONE + "x = str(obs.x)": ("str is not part", "=="),
    ONE + "x = 'log'.title()": ("no method title", "obs has"),
    ONE + "for c in 'log':\n        pass": ("cannot be iterated over", "a tuple"),
    ONE + "x = '{}'.format('log')": ("cannot be made", "=="),
    ONE + "x = obs.held.split('_')": ("gives a list", "[0]"),
    ONE + "x = obs.held.split('_')[0]": ("not part of the language", "startswith"),
    ONE + "x = obs.held.replace('_', ' ')": ("not part of the language", "diamond_ore"),
    MANY_WORDS + "    x = has('log', [obs.held])": ("not known", "quotes"),
    ONE + "x = obs.held.upper()": ("not part of the language", "=="),
    ONE + "x = obs.held in obs.block(0, 0, 0)": ("not known", "quotes"),
    ONE + "x = ','.join([obs.held, obs.held])": ("cannot be made", "=="),
    ONE + "x = '%s %d' % obs.held": ("cannot be made", "=="),
    ONE + "x = f'{3:>99999999}'": ("cannot be made", "=="),
    ONE + "x = 'a' * 1000": ("cannot be made", "=="),
    ONE + "x = obs.position": ("no field position", "obs.x, obs.y, obs.z"),
    ONE + "x = obs.health": ("no field health", "obs.life"),
    ONE + "x = obs['x']": ("no [...]", ".x"),
}


@pytest.mark.parametrize("source", REFUSED, ids=lambda s: s.split("\n")[-1].strip()[:40])
def test_text_that_is_not_known_is_refused_with_reason_and_advice(source):
    reason, advice = REFUSED[source]
    refusal = parse_macro(source, "macro", "full")
    assert isinstance(refusal, Refusal)
    assert (refusal.line, True, True) == (3, reason in refusal.reason, advice in refusal.instead), (
        refusal
    )


def test_what_is_left_out_is_told_in_notices():
    program = worlds.program(PROGRAMS["printing"])
    text = "\n".join(program.notices)
    assert "line 14: print does nothing" in text
    assert "line 11: what is only printed is left out" in text
    assert "line 13: what is only printed is left out" in text
    assert "line 2: what is only printed is left out" in text
    assert isinstance(program, bytecode.Program)


def test_a_name_made_later_is_not_overlooked():
    source = """
def macro(obs):
    for kind in ("Oak", "Birch"):
        wood = kind + "_log"
        obs = yield turn(yaw=15 * (wood.lower() == "oak_log"), pitch=15 * (wood == "Birch_log"))
"""
    python_meaning.check(source)
