"""What a call costs, from the price table that comes with `genai-prices`.

Prices have steps by prompt length and other rates for tokens from a cache, so nothing is
multiplied here. The table is a file of the installed package: no network is asked.
"""

import dataclasses

from rlgpt_jax.agents.llm.base import Completion, Usage

# Providers of ours whose models have a list price. A server of one's own ("compatible") or
# a folder ("file") has none, whatever its model is called.
LISTED = ("anthropic", "openai")


def price(provider: str, model: str, usage: Usage) -> float | None:
    """US dollars of one call at today's list price.

    Args:
      provider: as in `Completion.provider`; "" finds the one that has a model of that name.
      model: as the provider names it, with or without a date.
      usage: its tokens.

    Returns:
      None if the provider or the model has no list price.
    """
    if provider and provider not in LISTED:
        return None
    # Here, because reading the table takes a quarter of a second that most runs can save.
    import genai_prices

    asked, cached = usage.input_tokens, min(usage.cached_tokens, usage.input_tokens)
    tokens = genai_prices.Usage(
        input_tokens=asked,
        cache_read_tokens=cached,
        output_tokens=usage.output_tokens,
        cache_write_tokens=min(usage.cache_write_tokens, asked - cached),
    )
    try:
        found = genai_prices.calc_price(tokens, model, provider_id=provider or None)
    except LookupError:
        return None
    return float(found.total_price)


def priced(completion: Completion) -> Completion:
    """The same with its list price, where its tokens were counted and one is known."""
    if completion.usage is None:
        return completion
    found = price(completion.provider, completion.model, completion.usage)
    return dataclasses.replace(completion, price=found)
