"""How alignment and uniformity are computed: what an entry of the catalog may say of it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sentflow.errors import ConfigError

DEFINITION, ALIGNUNFORMEVAL, PER_BATCH = "definition", "alignunformeval", "per-batch"
VARIANTS = (DEFINITION, ALIGNUNFORMEVAL, PER_BATCH)
COMPARISONS = ("above", "at-least")
SENTENCES = ("all", "unique")

# Keys of an entry of the catalog that say what is measured on what, not how
_NOT_SETTINGS = frozenset({"title", "pairs", "positives", "alignment", "model", "level", "n_resamples"})


@dataclass(frozen=True)
class AlignmentSettings:
    """How alignment and uniformity are computed.

    Attributes
    ----------
    variant
        ``definition``: on vectors of length one, squared distances, all sentences. ``alignunformeval``: distances not
        squared, vectors as they are. ``per-batch``: as defined, but within batches of pairs in the order of their
        file, among the sentences of positive pairs alone, then the plain mean of the batches.
    threshold, comparison
        A pair is positive with a gold score above the threshold (``above``), or not below it (``at-least``).
    sentences
        Uniformity is that of both sides of all pairs, ``all`` with repeated sentences as often as they occur, or
        ``unique`` with each once.
    batch
        Pairs per batch of ``per-batch``.
    t, alpha
        Of exp(−t d²) and of dᵅ. Of no effect under ``alignunformeval``, whose t is 2 and whose exponent is 1.
    sample
        So many drawn pairs instead of all; None for all.
    seed
        Of the sample, and of the bootstrap.
    """

    variant: str = DEFINITION
    threshold: float = 4.0
    comparison: str = "above"
    sentences: str = "all"
    batch: int = 64
    t: float = 2.0
    alpha: float = 2.0
    sample: int | None = None
    seed: int = 0

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, where: str) -> "AlignmentSettings":
        """The settings of an entry of the catalog; keys that say on what it is measured are passed over.

        Raises
        ------
        ConfigError
            Unknown keys, or values that do not fit each other; all problems are told at once.
        """
        given = {key: value for key, value in settings.items() if key not in _NOT_SETTINGS}
        known = list(cls.__dataclass_fields__)
        if unknown := sorted(given.keys() - set(known)):
            raise ConfigError(
                f"{where}: there is no setting {', '.join(unknown)}. Write one of: {', '.join(known)}."
            )
        if given.get("variant") == PER_BATCH:
            given = {"comparison": "at-least", **given}  # as the study; an entry may say otherwise
        found = cls(**given)
        if problems := found.problems():
            raise ConfigError(f"{where}: {' '.join(problems)}")
        return found

    def problems(self) -> list[str]:
        """What does not fit, each with what to write instead."""
        found = [
            f"{name} is {getattr(self, name)!r}. Write one of: {', '.join(allowed)}."
            for name, allowed in (
                ("variant", VARIANTS),
                ("comparison", COMPARISONS),
                ("sentences", SENTENCES),
            )
            if getattr(self, name) not in allowed
        ]
        if self.variant != DEFINITION:
            changed = [
                name
                for name in ("sentences", "t", "alpha", "sample")
                if getattr(self, name) != self.__dataclass_fields__[name].default
            ]
            if changed:
                found.append(
                    f"{', '.join(changed)}: no effect under the variant {self.variant}, which is as "
                    "published. "
                    f"Leave them out or write variant: {DEFINITION}."
                )
        if self.batch < 1 or (self.sample is not None and self.sample < 1):
            found.append("batch and sample are numbers of pairs. Write a whole number of at least 1.")
        return found

    def facts(self) -> dict[str, Any]:
        """What decides the two numbers, for the result."""
        plain = self.variant == ALIGNUNFORMEVAL
        told = {
            **asdict(self),
            "normalised": not plain,
            "alpha": 1.0 if plain else self.alpha,
            "distance": "unsquared" if plain else "squared",
            "pair_mode": "all" if self.sample is None else "sampled",
            "reduction": "mean of batches" if self.variant == PER_BATCH else "once over the set",
        }
        if self.variant == PER_BATCH:
            return {**told, "sentences": "positives of the batch"}
        del told["batch"]
        return told
