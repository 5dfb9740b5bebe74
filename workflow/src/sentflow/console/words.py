"""A job in words: what its rule does, and for which task, encoder and so on."""

from collections.abc import Mapping

# Names of wildcards that say less than the field's word; the others are words already.
_WORDS = {
    "data": "training data",
    "model": "encoder",
    "pairs": "pair set",
    "questions": "question set",
    "rep": "repetition",
}


def job_words(rule: str, wildcards: Mapping[str, str]) -> str:
    """E.g. ``probe: task T1B-sample, encoder minilm-l6``, or ``table: scores``."""
    name = rule.replace("_", " ")
    parts = [value if key == name else f"{_WORDS.get(key, key)} {value}" for key, value in wildcards.items()]
    return f"{name}: {', '.join(parts)}" if parts else name
