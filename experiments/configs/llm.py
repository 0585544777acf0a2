"""Where answers come from: a recording, a folder, or a model behind one of three services.

Keys are never part of a configuration: they come from the environment.
"""

import dataclasses
import re
from typing import Literal
from urllib.parse import urlsplit

from rlgpt_jax.agents.llm.anthropic_messages import LONGEST_WITHOUT_STREAM
from rlgpt_jax.agents.llm.calls import Limits
from rlgpt_jax.agents.llm.endpoint import MODEL_NAMES, Endpoint, read_key

CRITICS = ("critic", "trial_critic")  # agents that `critic_model` answers for
# Fields that must stay as they are unless the provider is one of these.
ONLY_FOR = {
    "base_url": tuple(MODEL_NAMES), "api_key_env": tuple(MODEL_NAMES),
    "critic_model": tuple(MODEL_NAMES), "json_schema": tuple(MODEL_NAMES),
    "stream": tuple(MODEL_NAMES), "temperature": ("compatible",), "seed": ("compatible",),
    "timeout_minutes": ("file",), "folder": ("file",), "replay": ("replay",),
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class LLMConfig:
    """Where answers come from."""

    # replay: a recording; file: a person or a program; the others: a model behind a service.
    provider: Literal["replay", "file", "anthropic", "openai", "compatible"] = "replay"
    transcript: str = ""  # replay: path from the checkout, or absolute
    # replay: strict stops at the first prompt that is not the recorded one or was not recorded,
    # lenient counts them.
    replay: Literal["strict", "lenient"] = "lenient"
    folder: str = ""  # file: requests and responses; "" is <workdir>/requests
    timeout_minutes: float | None = None  # file: None waits for ever
    model: str = "unknown"  # a real model's name; file: the name written to the transcript
    critic_model: str = ""  # of the critic alone; "" is `model`
    base_url: str = ""  # compatible: needed, often ends with /v1; others: "" is their own
    api_key_env: str = ""  # variable that holds the key; "" is the provider's usual one
    max_output_tokens: int = 8192  # of one answer, hidden reasoning included
    stream: bool = False  # take answers piece by piece: long ones outlive idle connections
    # Hold the model to the schema of an answer, where there is one. None: true, but false
    # for compatible servers, not all of which know how.
    json_schema: bool | None = None
    temperature: float | None = None  # compatible only; None is the server's own
    seed: int | None = None  # compatible only
    max_parallel: int = 8  # calls at the same time
    timeout_seconds: float = 600.0  # of one call
    deadline_seconds: float = 1800.0  # of all tries of one request, with the waits between
    max_retries: int = 6  # of one request, after faults that may pass

    def __post_init__(self) -> None:
        if self.provider == "replay" and not self.transcript:
            raise ValueError(
                "llm.provider=replay needs llm.transcript, the path of a recorded "
                "transcript.jsonl. Try experiments/transcripts/harvest_milk.jsonl."
            )
        self._check_fields()
        self._check_numbers()
        if self.is_real:
            self._check_service()

    @property
    def is_real(self) -> bool:
        """Whether a model is asked over a network."""
        return self.provider in MODEL_NAMES

    def endpoint(self) -> Endpoint:
        """The service with the key from the environment.

        Raises:
          ProviderError: if there is no key.
        """
        key, variable = read_key(self.provider, self.api_key_env)
        schema = self.provider != "compatible" if self.json_schema is None else self.json_schema
        return Endpoint(
            self.provider, self.model, key, variable, self.base_url,
            dict.fromkeys(CRITICS, self.critic_model) if self.critic_model else {},
            self.max_output_tokens, self.stream, schema, self.temperature, self.seed,
        )  # fmt: skip

    @property
    def limits(self) -> Limits:
        return Limits(
            self.max_parallel, self.timeout_seconds, self.deadline_seconds, self.max_retries
        )

    def _check_fields(self) -> None:
        """Refuses a field that the provider would not look at."""
        defaults = {field.name: field.default for field in dataclasses.fields(self)}
        for name, providers in ONLY_FOR.items():
            if getattr(self, name) != defaults[name] and self.provider not in providers:
                raise ValueError(
                    f"llm.{name} is for llm.provider={' or '.join(providers)}; this is "
                    f"{self.provider}. Leave it out, or choose that provider."
                )

    def _check_numbers(self) -> None:
        for name in ("max_output_tokens", "max_parallel"):
            if getattr(self, name) < 1:
                raise ValueError(f"llm.{name}={getattr(self, name)} must be at least 1.")
        if self.max_retries < 0:
            raise ValueError(f"llm.max_retries={self.max_retries} must be 0 or more.")
        if not 0 < self.timeout_seconds <= self.deadline_seconds:
            raise ValueError(
                f"llm.timeout_seconds={self.timeout_seconds:g} must be above 0 and at most "
                f"llm.deadline_seconds={self.deadline_seconds:g}, which covers all tries."
            )
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise ValueError(f"llm.temperature={self.temperature:g} must be in 0..2.")

    def _check_service(self) -> None:
        if self.model in ("", "unknown"):
            raise ValueError(
                f"llm.provider={self.provider} needs llm.model. There are, for example: "
                f"{MODEL_NAMES[self.provider]}."
            )
        if self.provider == "compatible" and not self.base_url:
            raise ValueError(
                "llm.provider=compatible needs llm.base_url, where the server listens. Try "
                "http://localhost:8000/v1 (vLLM), http://localhost:11434/v1 (Ollama) or "
                "http://localhost:8080/v1 (llama.cpp)."
            )
        url = urlsplit(self.base_url)
        _ = url.port  # a ValueError for one that is no number
        if self.base_url and (url.scheme not in ("http", "https") or not url.hostname):
            raise ValueError(
                f"llm.base_url={self.base_url} must start with http:// or https:// and name a host."
            )
        if url.username or url.password:
            raise ValueError(
                "llm.base_url holds a name or password, which would be written to the run "
                "folder. Put the key into a variable and name that in llm.api_key_env."
            )
        if self.api_key_env and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", self.api_key_env):
            raise ValueError(
                "llm.api_key_env takes the name of an environment variable, not the key itself. "
                "Try: export MY_KEY=<your key>, and --config.llm.api_key_env=MY_KEY."
            )
        if self.provider == "anthropic" and not self.stream:
            if self.max_output_tokens > LONGEST_WITHOUT_STREAM:
                raise ValueError(
                    f"llm.max_output_tokens={self.max_output_tokens} takes Anthropic's models "
                    f"longer than an idle connection lives. Set llm.stream=true, or at most "
                    f"{LONGEST_WITHOUT_STREAM}."
                )
