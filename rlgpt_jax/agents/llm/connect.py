"""From a service's description to a provider."""

from collections.abc import Callable

from rlgpt_jax.agents.llm.anthropic_messages import AnthropicMessages
from rlgpt_jax.agents.llm.calls import Call, Limits, Parallel
from rlgpt_jax.agents.llm.endpoint import Endpoint
from rlgpt_jax.agents.llm.openai_chat import OpenAIChat
from rlgpt_jax.agents.llm.openai_responses import OpenAIResponses

CALLS: dict[str, Callable[[Endpoint], Call]] = {
    "anthropic": AnthropicMessages,
    "openai": OpenAIResponses,
    "compatible": OpenAIChat,
}


def connect(endpoint: Endpoint, limits: Limits) -> Parallel:
    """Imports the chosen SDK and nothing else; asks nobody yet."""
    return Parallel(CALLS[endpoint.provider](endpoint), limits)
