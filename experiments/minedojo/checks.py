"""One function per thing that a run in the real game needs: facts in, a row out.

A row says what was found and, where it helps, what to do. `CLIENT` are the checks of
MineDojo's interpreter, `MACHINE` those of what the game needs besides.
"""

from collections.abc import Callable
from typing import NamedTuple

from experiments.minedojo import recipe
from experiments.minedojo.facts import GB, Facts
from experiments.minedojo.recipe import version_tuple

OK, MISSING, UNKNOWN = "ok", "missing", "unknown"
SETUP = "python -m experiments.minedojo setup"
HEAP = 2.0  # GB, the -Xmx2G of launchClient.sh
PER_WORKER = 3.0  # GB: the heap, what Java takes beside it, and the client
SLOW_IMPORT = 60.0  # seconds
MIXIN = "com.github.SpongePowered:MixinGradle:dcfaf61"


class Row(NamedTuple):
    """The result of one check."""

    name: str
    state: str  # OK, MISSING or UNKNOWN
    found: str
    cure: str = ""  # what to do, or what to know where the state is OK


Check = Callable[[Facts], Row]


def python(facts: Facts) -> Row:
    if facts.python_error:
        cure = f"{SETUP}, or give one: --python=PATH, environment variable RLGPT_MINEDOJO_PYTHON"
        return Row("Python", MISSING, f"{facts.python}: {facts.python_error}", cure)
    words = ".".join(map(str, facts.version))
    if recipe.is_supported(facts.version):
        return Row("Python", OK, f"{words}, {facts.python}")
    needed = recipe.words_of_versions()
    return Row("Python", MISSING, words, f"needs {needed}: {SETUP} --python=3.9")


def client(facts: Facts) -> Row:
    if not (version := facts.packages.get("minedojo")):
        return _absent("minedojo", facts, SETUP)
    return Row("minedojo", OK, version)


def gym(facts: Facts) -> Row:
    version = facts.packages.get("gym")
    cure = (
        f"needs 0.21.0, which only old tools build: pip install {_quoted(recipe.TOOLS)}, then "
        f"gym==0.21.0. {SETUP} does so."
    )
    if version == recipe.INSTALLED["gym"]:
        return Row("gym", OK, version)
    return Row("gym", MISSING, version, cure) if version else _absent("gym", facts, cure)


def numpy(facts: Facts) -> Row:
    if not (version := facts.packages.get("numpy")):
        return _absent("numpy", facts, SETUP)
    cure = f"{facts.python} -m pip install {_quoted(recipe.CONSTRAINTS)}"
    if version_tuple(version) >= (2,):
        return Row("numpy", MISSING, f"{version}: make() fails from 2.0 on", cure)
    if version_tuple(version) >= (1, 24):
        found = f"{version}: steps work, contains() of the observation space fails from 1.24 on"
        return Row("numpy", OK, found, cure)
    return Row("numpy", OK, version)


def opencv(facts: Facts) -> Row:
    if not (version := facts.packages.get("opencv-python")):
        return _absent("opencv", facts, SETUP)
    if version_tuple(version) >= (4, 12):
        cure = f"{facts.python} -m pip install {_quoted(recipe.CONSTRAINTS)}"
        return Row("opencv", UNKNOWN, f"{version}: from 4.12 on it wants numpy 2", cure)
    return Row("opencv", OK, version)


def importing(facts: Facts) -> Row:
    name = "import"
    if facts.import_error:
        return Row(name, MISSING, facts.import_error, f"remove the folder, then {SETUP}")
    if facts.import_seconds is None:
        return Row(name, UNKNOWN, "not tried")
    found = f"{facts.import_seconds:.0f} s"
    if facts.import_seconds < SLOW_IMPORT:
        return Row(name, OK, found)
    cure = (
        "16 s on an idle machine. Every worker pays it, twice if it starts the game: start fewer "
        "at once, or raise --config.minedojo.launch_timeout."
    )
    return Row(name, OK, found, cure)


def second_make(facts: Facts) -> Row:
    name = "second make"
    if facts.makes_twice is None:
        return Row(name, UNKNOWN, "the client's files were not found")
    if facts.makes_twice:
        return Row(name, OK, "a task can be made again in one process")
    cure = (
        "needs nothing here: every worker is a process that makes one task. In scripts of your "
        "own the second make raises ConfigKeyError 'prompt': use a new process, or MineDojo "
        "from git."
    )
    return Row(name, OK, "a task can be made once per process (PyPI 0.1)", cure)


def java(facts: Facts) -> Row:
    name, needed = "Java 8", "Minecraft 1.11.2 and Gradle 4.10.2 need a JDK 8"
    cure = (
        f"{needed}: apt install openjdk-8-jdk, or conda install -c conda-forge openjdk=8; put "
        "it first on PATH and into JAVA_HOME"
    )
    if facts.java is None:
        return Row(name, MISSING, "no java on PATH", cure)
    if not _is_java_8(facts.java):
        return Row(name, MISSING, f"java on PATH is {facts.java}", cure)
    if facts.java_home is not None and not _is_java_8(facts.java_home):
        found = f"java on PATH is {facts.java}, but JAVA_HOME is {facts.java_home}"
        return Row(name, MISSING, found, "Gradle prefers JAVA_HOME: let it name the JDK 8")
    if not facts.has_javac:
        found = f"{facts.java}, without javac"
        return Row(name, MISSING, found, f"{needed}, not only a JRE: the game is compiled once")
    return Row(name, OK, facts.java)


def mixin_link(facts: Facts) -> Row:
    name = "MixinGradle"
    if facts.has_jar:
        return Row(name, OK, "the game is built, so its dead link is not needed")
    if not facts.build_script:
        return Row(name, UNKNOWN, "no build.gradle was found")
    if MIXIN not in facts.build_script:
        return Row(name, OK, "build.gradle does not name the dead link")
    cure = (
        f"jitpack no longer has {MIXIN} (MineDojo issue 113). Put the folder "
        "MixinGradle-dcfaf61 (github.com/verityw/MixinGradle-dcfaf61) into a folder FOLDER; in "
        f"{facts.game}/build.gradle add maven {{ url 'file:FOLDER' }} to the repositories of "
        "buildscript and name MixinGradle-dcfaf61:MixinGradle:dcfaf61 instead"
    )
    return Row(name, MISSING, "build.gradle names a file that is gone", cure)


def lidar(facts: Facts) -> Row:
    name, java = "lidar", "src/main/java/com/microsoft/Malmo"
    if facts.turns_with_land is None:
        return Row(name, UNKNOWN, "the game's Java files were not found")
    if not facts.turns_with_land:
        return Row(name, OK, "rays count from the view")
    cure = (
        f"before the game is built, copy into {facts.game} these files of "
        "minedojo/sim/Malmo/Minecraft from github.com/MineDojo/MineDojo, where it was mended in "
        f"July 2022: {java}/Access/IMixinMixinVec3drotatePitchLidar.java, {java}/Mixins/"
        f"MixinVec3d.java, {java}/Utils/JSONWorldDataHelper.java, src/main/resources/"
        "mixins.overclocking.malmomod.json; then ./gradlew shadowJar, also if it was built. Else "
        "rays are right to the south only, and what was learned or coded with them fails"
    )
    return Row(name, MISSING, "PyPI's 0.1 turns rays about the land's axes", cure)


def build(facts: Facts) -> Row:
    name = "Gradle build"
    if facts.has_jar is None:
        return Row(name, UNKNOWN, "the client's files were not found")
    if facts.has_jar:
        return Row(name, OK, "MalmoMod-0.37.0-fat.jar is there")
    cure = (
        f"once, with Java 8 and a network: cd {facts.game} && ./gradlew shadowJar. It fetches "
        "Gradle, Forge and Minecraft 1.11.2. Without it every launch builds a copy of its own."
    )
    return Row(name, MISSING, "MalmoMod-0.37.0-fat.jar is not there", cure)


def display(facts: Facts) -> Row:
    name = "display"
    xvfb = "apt install xvfb xauth libgl1-mesa-dri"
    if facts.headless and facts.xvfb_run and facts.xauth:
        return Row(name, OK, "xvfb-run is there")
    if not facts.headless and facts.display:
        return Row(name, OK, f"DISPLAY={facts.display}")
    if facts.headless and facts.xvfb_run:
        return Row(name, MISSING, "xvfb-run is there, but not xauth, which it calls", xvfb)
    if facts.display:
        cure = f"--config.minedojo.headless=false uses the display that is there; or {xvfb}"
        return Row(name, MISSING, f"DISPLAY={facts.display}, but no xvfb-run", cure)
    if facts.xvfb_run:
        cure = "--config.minedojo.headless=true uses xvfb-run, which is there"
        return Row(name, MISSING, "no DISPLAY", cure)
    return Row(name, MISSING, "no xvfb-run and no DISPLAY", xvfb)


def tiling(facts: Facts) -> Row:
    """Under xvfb-run some machines draw nine small pictures, or none with NVIDIA's GL."""
    name = "picture"
    own = (
        "start an X server of your own (Xvfb :7 -screen 0 1024x768x24, a desktop or VNC) and "
        "run with DISPLAY=:7 and --config.minedojo.headless=false"
    )
    if facts.launch is not None and not facts.launch.error:
        if facts.launch.is_tiled:
            return Row(name, MISSING, "nine small pictures instead of one (MineDojo issue 67)", own)
        if facts.launch.is_blank:
            cure = f"xvfb and NVIDIA's GL do not go together: take Mesa's, or {own}"
            return Row(name, MISSING, "one colour everywhere", cure)
        return Row(name, OK, "one picture with more than one colour")
    cure = f"doctor --launch looks at one; if it is nine small pictures: {own}"
    if facts.headless and facts.has_nvidia:
        cure += ". NVIDIA's GL fails under xvfb on some machines: take Mesa's there"
    return Row(name, UNKNOWN, "seen only when the game runs", cure)


def memory(facts: Facts) -> Row:
    name, needed = "memory", PER_WORKER * facts.workers
    if facts.memory is None:
        return Row(name, UNKNOWN, "the system does not tell", f"{PER_WORKER:.0f} GB per worker")
    size = facts.memory / GB
    most = int(size // PER_WORKER)
    found = f"{size:.0f} GB; workers: {facts.workers}, which take {needed:.0f} GB"
    if size >= needed:
        return Row(name, OK, f"{found}; at most {most} workers")
    cure = (
        f"--config.minedojo.workers={max(most, 1)}: each takes {HEAP:.0f} GB of Java's heap and "
        'more beside it. Without them the system kills a game, which is told as "Minecraft '
        'process finished unexpectedly"'
    )
    return Row(name, MISSING, found, cure)


def cores(facts: Facts) -> Row:
    found = f"{facts.cores}; workers: {facts.workers}"
    if facts.cores >= 2 * facts.workers:
        return Row("cores", OK, found)
    cure = "a game and its client want two cores; with fewer, a worker makes fewer steps"
    return Row("cores", OK, found, cure)


def launch(facts: Facts) -> Row:
    name = "launch"
    if facts.launch is None:
        return Row(name, UNKNOWN, "not tried", "doctor --launch starts the game once")
    if facts.launch.error:
        cure = "cure the rows above from top to bottom, then try again"
        return Row(name, MISSING, facts.launch.error, cure)
    found = f"{facts.launch.seconds:.0f} s, then {facts.launch.steps_per_second:.0f} steps/s"
    return Row(name, OK, f"{found}; {facts.launch.client}" if facts.launch.client else found)


def _absent(name: str, facts: Facts, cure: str) -> Row:
    """A package that is not there, or an interpreter that could not be asked."""
    if facts.python_error:
        return Row(name, UNKNOWN, "no interpreter to ask")
    return Row(name, MISSING, "not installed", cure)


def _is_java_8(version: str) -> bool:
    return version.startswith("1.8.")


def _quoted(pins: tuple[str, ...]) -> str:
    return " ".join(f'"{pin}"' for pin in pins)


CLIENT: tuple[Check, ...] = (python, client, gym, numpy, opencv, importing, second_make)
MACHINE: tuple[Check, ...] = (
    java, mixin_link, lidar, build, display, tiling, memory, cores, launch,
)  # fmt: skip
