"""Loopback servers that speak the three wire formats, strictly, and fail on demand."""

from experiments.providers.peers.anthropic_wire import AnthropicWire
from experiments.providers.peers.chat_wire import ChatWire
from experiments.providers.peers.responses_wire import ResponsesWire
from experiments.providers.peers.wire import Wire

WIRES: dict[str, Wire] = {
    "anthropic": AnthropicWire(),
    "openai": ResponsesWire(),
    "compatible": ChatWire(),
}
