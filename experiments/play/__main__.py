"""Plays one task: a window with keyboard and mouse, or a file of actions.

    python -m experiments.play --task=harvest_milk
    python -m experiments.play --task=my_task.py --record=milk.mp4 --seed=3
    python -m experiments.play --task=harvest_log --headless --actions=log.txt --out=log.json

The window needs pygame (pip install -e '.[play]').
"""

import sys

from experiments import flags, machine
from experiments.commands import answer
from experiments.play import keys, options
from rlgpt_jax.envs.tasks.tasks import TASKS


def main(argv: list[str]) -> int:
    """Returns the exit code: 0 done, 1 stopped, 2 something that cannot be used."""
    text = flags.help_text(__doc__, options.HELP, "", keys.HELP, "", keys.FILES)
    try:
        return answer(argv, text, play)
    except KeyboardInterrupt:
        return 1


def play(argv: list[str]) -> int:
    if "--task=help" in argv:
        print("\n".join(f"{name:<32}  {task.words}" for name, task in TASKS.items()))
        return 0
    asked = options.parse(argv)
    machine.prepare()
    from experiments.play import run  # imports jax

    run.run(asked)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
