"""Words of a replayed critic about numbers that this run did not measure."""

from experiments.report.html import NUMBER
from experiments.report.load import Run, question

WARNING = (
    "Replayed: these words were given to the recorded run, whose measurements differ from this "
    "run's. Numbers that only its question told are marked; others may be its own too."
)


def numbers(run: Run, key: str) -> frozenset[str] | None:
    """Numbers that the recorded question of this key told and this run's does not.

    None where there are none: a model answered this run, or its replay asked the same.
    """
    line = next((x for x in run.transcript if x["key"].endswith(key)), None)
    if line is None or line["provider"] != "replay":
        return None
    recorded, own = run.recorded.get(line["key"]), question(line)
    if recorded is None or recorded == own:
        return None
    return frozenset(NUMBER.findall(recorded)) - frozenset(NUMBER.findall(own)) or None
