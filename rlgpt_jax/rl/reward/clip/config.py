"""Settings of the CLIP reward, checked when they are made; plain data, no jax."""

import dataclasses

from rlgpt_jax.rl.reward.clip.sizes import PUBLISHED


@dataclasses.dataclass(frozen=True)
class MineClipConfig:
    """What `reward.clip` is computed with; nothing is read while that is 0."""

    weights: str = ""  # file that `python -m experiments.mineclip convert` has written
    # One of the two: CLIP's list of merges, or a file that `... mineclip texts` has written.
    merges: str = ""
    texts: str = ""  # what `... mineclip texts` has written, in the place of merges
    prompt: str = ""  # the sentence that is rewarded; "": that of the task
    prompts: str = ""  # JSON file of the tasks' sentences and the negatives; "": the shipped one
    negatives: str = ""  # text file, one sentence a line, in the place of those in `prompts`
    every: int = 1  # ticks between two frames that are looked at; the reward stays in between
    window: int = 16  # frames that make a video
    # Frames that are encoded at once, and no more than there are lanes; fewer are filled up to it,
    # one is not. Memory and time depend on it, results do not.
    block: int = 16

    def __post_init__(self) -> None:
        most = {"every": 1000, "window": PUBLISHED.max_frames, "block": 4096}
        for field, high in most.items():
            value = getattr(self, field)
            if type(value) is not int or not 1 <= value <= high:
                raise ValueError(
                    f"mineclip.{field} is {value!r}; it must be an integer from 1 to {high}."
                )
        if self.merges and self.texts:
            raise ValueError(
                "mineclip.merges and mineclip.texts are both set. Give the list of merges, or the "
                "features of the texts, not both."
            )

    def check_complete(self) -> None:
        """For a run that uses it.

        Raises:
          ValueError: a file that is needed is not named.
        """
        if not self.weights:
            raise ValueError(
                "reward.clip needs mineclip.weights, the file that `python -m experiments.mineclip "
                "convert CHECKPOINT.pth OUT.npz` writes. Where the checkpoint comes from: "
                "docs/mineclip.md."
            )
        if not self.merges and not self.texts:
            raise ValueError(
                "reward.clip needs mineclip.merges, the file of CLIP's tokens, or mineclip.texts, "
                "what `python -m experiments.mineclip texts` made with it: see docs/mineclip.md."
            )
