"""What tables of trainings show: how a start is called, and cells without a value. No job that trains imports it."""

# Cells of a table of trainings, as papers print them
VALUE = "value"
NOT_RUN = "?"
NOT_APPLICABLE = "-"


def shown_start(name: str, *, drawn: bool) -> str:
    """An encoder, or random weights with its tokenizer and architecture, which are another start than the encoder."""
    return f"random weights like {name}" if drawn else name
