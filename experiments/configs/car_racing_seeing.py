"""Drive a lap, judged by a critic that sees pictures of the episodes.

    python -m experiments.main --config=car_racing_seeing

Shows what a critic finds that looks at key moments, against car_racing, whose critic reads numbers
alone. Numbers: docs/control.md.
"""

from experiments.configs import base


def get_config() -> base.Config:
    """car_racing with `critic.vision="strip"`, and answers of its own."""
    return base.for_control(
        "car_racing",
        critic={"vision": "strip"},
        llm={"transcript": "experiments/transcripts/car_racing_seeing.jsonl"},
    )
