"""Settings of PPO, of its networks and of its reward, checked when they are made.

Every message names the field by its path (`ppo.num_minibatches`), says what was given
and what is needed. Defaults that differ from the released code: `docs/paper.md`.
"""

import dataclasses
import math
from typing import Annotated, ClassVar, Literal

from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.spec import WorldSpec
from rlgpt_jax.rl.config_checks import Within, check, check_fields, check_pairs, need
from rlgpt_jax.rl.interface import ALL_PARTS, OBSERVATION_PARTS, PICTURE, RLInterface

MOST = 2**20  # lanes, ticks, units of a layer
Count = Annotated[int, Within(1, MOST)]
Depth = Annotated[int, Within(0, MOST)]
Share = Annotated[float, Within(0.0, 1.0)]
Cost = Annotated[float, Within(0.0, 1e6)]  # sums over episodes stay in float32
Positive = Annotated[float, Within(1e-9)]


@dataclasses.dataclass(frozen=True)
class PPOConfig:
    """Proximal policy optimisation (Schulman et al. 2017) over SMDP decisions."""

    num_envs: Count = 64  # lanes; the environment must have as many
    unroll_length: Count = 64  # ticks per rollout
    gamma: Share = 0.99  # discount per tick, not per decision
    gae_lambda: Share = 0.95  # per decision
    clip: Annotated[float, Within(1e-6, 10.0)] = 0.2  # of the probability ratio
    num_epochs: Count = 8  # passes over a rollout
    num_minibatches: Count = 8  # of a rollout in which every tick is a decision
    learning_rate: Share = 1e-3  # of Adam
    adam_epsilon: Share = 1e-5  # added to the root of its second moment (released: 1e-8)
    entropy_cost: Cost = 0.003  # weight of the entropy bonus in the loss
    value_cost: Cost = 0.5  # weight of the value loss
    # Of leaving the macro that leads, per nat of divergence from an untrained policy. Advantages
    # have unit deviation, so without it their noise drives the policy off code that works.
    lead_cost: Cost = 0.1
    max_grad_norm: Positive = 0.5  # to which the gradient of all parameters is clipped
    target_kl: Positive | None = None  # no further epoch once the KL estimate passes 1.5x
    # Actor and critic have an Adam each and clip apart, and KL stops the actor's steps alone, at
    # the minibatch whose estimate passes (released: so).
    separate: bool = False
    # lambda of what the critic learns; none: gae_lambda. 1 is discounted reward-to-go (released).
    target_lambda: Share | None = None
    # An episode whose time is up counts as terminated: nothing is bootstrapped (released: so).
    time_limit_ends: bool = False
    # Groups of lanes that are dealt to minibatches apart (`groups.py`); 0: one per device. The
    # same number gives the same training, but for rounding, on any number of devices.
    groups: Depth = 0
    # Self-imitation (`ppo/self_imitation.py`): updates from one pass to the next, 0 for none.
    # Released: 100 updates of 1000 ticks.
    imitation_every: Depth = 0
    imitation_trajectories: Count = 500  # stored at most (released: 500)
    imitation_batch: Count = 1000  # decisions of a step (released: 1000)
    # Decisions stored at most, of 0.5 kB each in Minecraft, and as many again of episodes that go
    # on: of a longer one the last imitation_rows / num_envs are kept.
    imitation_rows: Count = 200_000

    def __post_init__(self):
        check_fields(self, "ppo.")
        enough = self.imitation_rows >= self.num_envs or not self.imitation_every
        check(self, "ppo.imitation_rows", enough, f"at least ppo.num_envs = {self.num_envs}")

    @property
    def kl_limit(self) -> float:
        """The KL estimate that stops."""
        return math.inf if self.target_kl is None else 1.5 * self.target_kl


@dataclasses.dataclass(frozen=True)
class NetworkConfig:
    """Widths of the actor and of the critic, which share nothing unless `shared` says so.

    The fused width is the released one; the rest is halved, with one hidden layer per
    head, so that two CPU cores learn from about 10,000 ticks/s; the released code
    has feature_width=128, fusion_width=512, head_width=256 and head_depth=3.
    """

    feature_width: Count = 64  # output of every feature network
    feature_depth: Depth = 2  # hidden layers of the compass, gps and voxel networks
    fusion_width: Count = 512  # of all features together
    head_width: Count = 128  # hidden units of the heads
    head_depth: Depth = 1  # hidden layers of the heads
    voxel_embedding: Count = 8  # per block around the feet
    ray_embedding: Count = 3  # per ray, once plain and once times the closeness
    # Height and width of pictures in the place of the rays (`picture_net.py`), () for none.
    image_size: tuple[int, ...] = ()
    frame_stack: Count = 1  # pictures that are seen together: those of the last ticks
    conv_patch: Count = 4  # pixels of a side of the patches that the first layer reads
    conv_channels: tuple[int, ...] = (16, 32, 32)  # of that layer and after every halving
    conv_blocks: Depth = 1  # residual blocks after every halving
    picture_width: Count = 256  # output
    # What actor and critic have in common: everything but the heads.
    shared: bool = False
    # Whether a policy with rays is told where they last met a target of its reward: `remembers`.
    target_memory: bool = True
    # float32, bfloat16 or auto, see `precision.py`
    compute_dtype: Literal["auto", "float32", "bfloat16"] = "auto"
    spec: ClassVar[WorldSpec | None] = None  # of the world that they are for, see `FieldNetwork`

    def __post_init__(self):
        check_fields(self, "network.")
        for field in ("image_size", "conv_channels"):  # lists, where they come from JSON
            object.__setattr__(self, field, tuple(getattr(self, field)))
        self._check_pictures()

    @property
    def remembers(self) -> bool:
        """Whether the networks have a memory of targets (`target_memory.py`): rays make it."""
        return self.target_memory and not self.image_size and self.spec is None

    def _check_pictures(self) -> None:
        size, channels = self.image_size, self.conv_channels
        ok = size == () or (len(size) == 2 and all(isinstance(x, int) for x in size))
        check(self, "network.image_size", ok, "height and width in pixels, or ()")
        ok = len(channels) > 0 and all(isinstance(x, int) and x > 0 for x in channels)
        check(self, "network.conv_channels", ok, "one or more positive integers")
        least = self.conv_patch * 2 ** (len(channels) - 1)
        ok = all(x >= least and x % self.conv_patch == 0 for x in size)
        check(
            self, "network.image_size", ok, f"multiples of network.conv_patch = {self.conv_patch} "
            f"of at least {least}, which {len(channels)} layers make 1",
        )  # fmt: skip
        ok = bool(size) or self.frame_stack == 1
        check(self, "network.frame_stack", ok, "1 without pictures (network.image_size)")


@dataclasses.dataclass(frozen=True)
class FieldNetwork(NetworkConfig):
    """The same for a world with a spec, which says what goes in and comes out."""

    spec: WorldSpec | None = None  # type: ignore[misc]  # never None here


PLAIN = NetworkConfig()  # without pictures and without a memory


@dataclasses.dataclass(frozen=True)
class RewardConfig:
    """Terms of the reward of one tick; all but `success` come from the observation.

    The released code has 100 for success and -1 per step; these are a tenth of that in
    scale, which suits a value network without return normalisation.
    """

    success: Cost = 10.0  # once, when the task is solved
    step_cost: Cost = 0.02  # subtracted every tick
    distance: Cost = 0.5  # per block that the nearest goal in sight came nearer
    targets: tuple[str, ...] = ()  # blocks and mobs of `distance`; () is those of the world
    exploration: Cost = 0.0  # per cell of 4 x 4 blocks first visited in an episode
    environment: Cost = 0.0  # times the reward of the world
    clip: Cost = 0.0  # times the CLIP reward of `rl.reward.clip`, 0..1 - 1/32; 0 computes none
    items: tuple[tuple[str, float], ...] = ()  # per item gained: (name, reward)
    # In worlds with a spec, which have no distance, targets, exploration or items: (field, weight)
    # as in `WorldSpec.progress`, which () stands for.
    progress: tuple[tuple[str, float], ...] = ()

    def __post_init__(self):
        check_fields(self, "reward.")
        for i, name in enumerate(self.targets):
            needed = "the name of a block or mob in envs.names.NAMES"
            need(name in NAME_ID, f"reward.targets[{i}]", name, needed)
        check_pairs("reward.items", self.items, 'item name, reward), for example ("log", 0.5)')
        check_pairs("reward.progress", self.progress, "name of a field, weight)")
        for i, entry in enumerate(self.items):
            need(entry[0] in NAME_ID, f"reward.items[{i}]", entry[0], "a name of envs.names.NAMES")
        object.__setattr__(self, "targets", tuple(self.targets))
        for field in ("items", "progress"):
            object.__setattr__(self, field, tuple(tuple(entry) for entry in getattr(self, field)))


@dataclasses.dataclass(frozen=True)
class RLConfig:
    """All that the learner needs to know besides the world and the action space."""

    ppo: PPOConfig = PPOConfig()
    network: NetworkConfig = NetworkConfig()
    reward: RewardConfig = RewardConfig()
    observation: tuple[str, ...] = OBSERVATION_PARTS  # what the networks see; the rest is 0
    # host: Python loop; device: one lax.scan; auto: host on CPU
    driver: Literal["auto", "host", "device"] = "auto"
    devices: int | str = "auto"  # that share the lanes, see `devices.num_devices`
    # Of the world, None for Minecraft. A policy sees every field of it, whatever `observation` is,
    # and a picture if `network.image_size` says so.
    spec: WorldSpec | None = None

    def __post_init__(self):
        check_fields(self)
        self._set_spec()
        for i, part in enumerate(self.observation):
            need(part in ALL_PARTS, f"observation[{i}]", part, f"one of {', '.join(ALL_PARTS)}")
        self._check_pictures()
        # Stored decisions are rows by themselves, without a past.
        ok = not self.ppo.imitation_every or not self.network.image_size
        needed = "unset with ppo.imitation_every, which has no pictures"
        check(self.network, "network.image_size", ok, needed)
        apart = not (self.ppo.separate and self.network.shared)
        check(self.network, "network.shared", apart, "false with ppo.separate")
        known = self.devices == "auto" or (type(self.devices) is int and self.devices >= 1)
        check(self, "devices", known, "auto or an integer of at least 1")

    def _set_spec(self) -> None:
        """Networks are made for the world; rewards name its fields."""
        spec = self.spec
        if spec != self.network.spec:
            sizes = {f.name: getattr(self.network, f.name) for f in dataclasses.fields(PLAIN)}
            network = FieldNetwork(**sizes, spec=spec) if spec else NetworkConfig(**sizes)
            object.__setattr__(self, "network", network)
        names = [field.name for field in spec.fields] if spec else []
        told = f"one of {', '.join(names) or 'no fields: no spec'}"
        for i, (name, _) in enumerate(self.reward.progress):
            need(name in names, f"reward.progress[{i}]", name, told)

    def _check_pictures(self) -> None:
        """Pictures are asked for in two places."""
        seen, size = self.observation, self.network.image_size
        if self.spec is None and (PICTURE in seen) != bool(size):
            raise ValueError(
                f"observation is {', '.join(seen)}, and network.image_size is {size}. Pictures "
                f"need both: {PICTURE} among the parts and a size, for example 64,64; a policy "
                "without pictures needs neither."
            )
        apart = not size or "rays" not in seen or self.spec is not None
        check(self, "observation", apart, f"without rays, in whose place {PICTURE} is")

    def seen(self, interface: RLInterface) -> tuple[str, ...]:
        """Parts that are left by an interface. It takes away, adds nothing, and keeps a picture."""
        kept = interface.observation
        if kept is None:
            return self.observation
        return tuple(part for part in self.observation if part == PICTURE or part in kept)

    def set_up(self, interface: RLInterface) -> "RLConfig":
        """The configuration of a training run as an interface wants it."""
        terms = {name: x for name, x in vars(interface.reward).items() if x not in (None, ())}
        reward = dataclasses.replace(self.reward, **terms)
        return dataclasses.replace(self, reward=reward, observation=self.seen(interface))
