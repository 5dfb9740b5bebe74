"""How tables call what a training began with. No job that trains imports it."""


def shown_start(name: str, *, drawn: bool) -> str:
    """An encoder, or random weights with its tokenizer and architecture, which are another start than the encoder."""
    return f"random weights like {name}" if drawn else name
