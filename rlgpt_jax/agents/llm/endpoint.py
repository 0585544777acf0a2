"""Where real models are asked: which service, which model, whose key, which options."""

import dataclasses
import os
from collections.abc import Mapping

from rlgpt_jax.agents.llm.base import ProviderError

# The environment variable that holds the key, and model names of each provider to choose
# from. A compatible server often needs no key; its names are those that it was started with.
KEY_VARIABLES = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY", "compatible": ""}
MODEL_NAMES = {
    "anthropic": "claude-sonnet-5-5, claude-opus-5-5, claude-haiku-5-5",
    "openai": "gpt-6-sol, gpt-6.1-terra, gpt-6-luna",
    "compatible": "the name that your server was started with, as GET <llm.base_url>/models lists",
}


@dataclasses.dataclass(frozen=True)
class Endpoint:
    """One service and how it is asked."""

    provider: str  # anthropic, openai, compatible
    model: str
    key: str = dataclasses.field(default="", repr=False)  # never written anywhere
    key_variable: str = ""  # the environment variable that it came from; "" if none
    base_url: str = ""  # "" is the provider's own
    models: Mapping[str, str] = dataclasses.field(default_factory=dict)  # agent -> other model
    max_output_tokens: int = 8192
    stream: bool = False
    json_schema: bool = True  # hold the model to `Request.schema` where there is one
    temperature: float | None = None  # compatible servers only
    seed: int | None = None  # compatible servers only

    def model_of(self, agent: str) -> str:
        return self.models.get(agent) or self.model


def read_key(provider: str, variable: str = "") -> tuple[str, str]:
    """Returns the key and the name of its environment variable.

    Raises:
      ProviderError: if the variable is empty. A compatible server without a named
        variable needs no key.
    """
    name = variable or KEY_VARIABLES[provider]
    key = os.environ.get(name, "").strip() if name else ""
    if name and not key:
        raise ProviderError(
            f"llm.provider={provider} needs a key in the environment variable {name}, which is "
            f"not set. Try: export {name}=<your key>, or name another one in llm.api_key_env."
        )
    return key, name
