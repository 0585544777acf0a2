"""The sizes of MineCLIP (Fan et al. 2022, https://arxiv.org/abs/2206.08853); plain data, no jax."""

import dataclasses

# Of the pixels of the frames that it was trained on, red, green, blue, in 0..1.
PIXEL_MEAN = (0.3331, 0.3245, 0.3051)
PIXEL_STD = (0.2439, 0.2493, 0.2873)
HEAD_WIDTH = 64  # of a head of the temporal transformer, whatever the feature width
NORM_EPSILON = 1e-5


@dataclasses.dataclass(frozen=True)
class Sizes:
    """All that fixes the shapes of the parameters. The defaults are the published "attn" model."""

    image_size: tuple[int, int] = (160, 256)  # height and width of a frame in pixels
    patch: int = 16  # pixels of a side
    image_width: int = 768
    image_layers: int = 12
    image_heads: int = 12
    features: int = 512  # of a frame, of a video and of a text
    temporal: str = "attn"  # attn: a transformer, then the mean; avg: the mean alone
    temporal_layers: int = 2
    temporal_heads: int = 8
    max_frames: int = 32
    text_length: int = 77  # tokens, with start and end
    vocabulary: int = 49408
    text_width: int = 512
    text_layers: int = 12
    text_heads: int = 8
    video_adapter: int = 2  # linear layers of the reward head's adapters, 0 for none
    text_adapter: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_size", tuple(self.image_size))  # a list in JSON
        wrong = [size for size in self.image_size if size < 1 or size % self.patch]
        if len(self.image_size) != 2 or wrong:
            raise ValueError(
                f"image_size is {self.image_size}; it must be height and width in pixels, "
                f"multiples of the patch of {self.patch}."
            )
        for part in ("image", "text"):
            width, heads = getattr(self, f"{part}_width"), getattr(self, f"{part}_heads")
            if width % heads:
                raise ValueError(f"{part}_width={width} must be a multiple of its {heads} heads.")
        if self.temporal not in ("attn", "avg"):
            raise ValueError(f"temporal is {self.temporal!r}; it must be attn or avg.")

    @property
    def num_patches(self) -> int:
        """Of one frame."""
        height, width = self.image_size
        return (height // self.patch) * (width // self.patch)


PUBLISHED = Sizes()
