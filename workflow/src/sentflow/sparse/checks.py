"""What is refused before anything is computed: sizes, vocabularies that differ, values that are not finite."""

from typing import Any

import torch

from sentflow.errors import ConfigError, DataError

_NAMED = 3


def check_count(value: Any, name: str) -> int:
    """A number of terms, documents or rows. Raises ConfigError: it is no whole number of at least 1."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ConfigError(f"{name} is {value!r}. Write a whole number of at least 1.")
    return value


def check_finite(values: torch.Tensor, what: str) -> None:
    """Refuse NaN and infinity. `values`: (n, …) float; row i is of the text at place i."""
    good = torch.isfinite(values).flatten(1).all(dim=1) if values.ndim > 1 else torch.isfinite(values)
    if not good.all():
        places = torch.nonzero(~good).flatten().tolist()
        raise DataError(
            f"{what}: values of {len(places)} of {len(good)} texts are not finite (NaN or infinity), first at "
            f"{', '.join(map(str, places[:_NAMED]))}. Compute in float32, lower the learning rate, or go back to an "
            "earlier snapshot."
        )


def check_vocabularies(tokenizer: Any, n_terms: int, teacher: Any = None) -> None:
    """Refuse a tokenizer whose ids are not the terms of a model, or not those of a teacher.

    More logits than the tokenizer has ids are allowed: some models pad their vocabulary.
    Raises ConfigError: an id of the tokenizer has no logit, or both tokenizers do not give every token the same id.
    """
    own = tokenizer.get_vocab()
    if max(own.values()) >= n_terms:
        raise ConfigError(
            f"the tokenizer has ids up to {max(own.values())}, and the model predicts {n_terms} terms, 0 to "
            f"{n_terms - 1}. Take the tokenizer of the model."
        )
    if teacher is None:
        return
    others = teacher.get_vocab()
    if differing := sorted(
        token for token in own.keys() | others.keys() if own.get(token) != others.get(token)
    ):
        raise ConfigError(
            f"the vocabularies of model and teacher differ in {len(differing)} tokens, e.g. "
            f"{', '.join(map(repr, differing[:_NAMED]))}. A teacher of term weights needs the same tokenizer; one that "
            "scores pairs of texts does not."
        )
