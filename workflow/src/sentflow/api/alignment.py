"""Alignment and uniformity for notebooks: names and arguments of the published tool, its numbers or the defined ones.

Source of the interface: akiFQC/AlignUnformEval@c00dee2c.
"""

import math
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sentflow.api.arguments import ArgumentError, expanded
from sentflow.api.data import catalog_pairs, own_pairs
from sentflow.api.embedding import SentenceEncoder, encoder_name
from sentflow.api.figures import drawn
from sentflow.config.model import refuse_wrong
from sentflow.errors import instead
from sentflow.files.rows import row_from
from sentflow.geometry.facts import AlignmentUniformity, measure, scored_vectors
from sentflow.geometry.settings import ALIGNUNFORMEVAL, AlignmentSettings
from sentflow.texts.collection import distinct_texts, rows_of
from sentflow.texts.pairs import PairTable

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

STSB_SPLITS = ("train", "dev", "test", "all")
DATA_FOLDER = "./sentflow_datasets"


class _AlignmentEval:
    """What the two evaluators share: pairs, an encoder, and two numbers, computed when first asked for."""

    def __init__(
        self,
        encode_fn: Any,
        pairs: Sequence[PairTable],
        positives: Sequence[PairTable],
        *,
        settings: AlignmentSettings,
        batch_size: int,
    ) -> None:
        self._name = encoder_name(encode_fn)
        self._encoder = SentenceEncoder(encode_fn, batch_size=batch_size)
        self._pairs, self._positives = list(pairs), list(positives)
        self.settings = settings
        self._measured: AlignmentUniformity | None = None

    def eval_alignment(self) -> float:
        """Alignment of the positive pairs, lower is better; NaN without any."""
        return self.measure().alignment

    def eval_uniform(self) -> float:
        """Uniformity of the sentences, lower is better."""
        return self.measure().uniformity

    def eval_summary(self) -> dict[str, float]:
        """Both, as ``{"alignment": …, "uniformity": …}``."""
        return {"alignment": self.eval_alignment(), "uniformity": self.eval_uniform()}

    def frame(self) -> "pd.DataFrame":
        """One row: variant, threshold, alignment, uniformity, and the numbers of pairs and sentences."""
        import pandas as pd

        names = ("alignment", "uniformity", "n_positive", "n_sentences", "n_pairs")
        numbers = {name: getattr(self.measure(), name) for name in names}
        return pd.DataFrame(
            [{"variant": self.settings.variant, "threshold": self.settings.threshold, **numbers}]
        )

    def plot(self) -> "Figure":
        """The encoder in the plane of alignment and uniformity, as the figure `alignment-uniformity` of the report."""
        from sentflow.report.families.geometry.rows import PlaneRow
        from sentflow.report.families.similarity.words import criterion

        settings, name = self.settings, type(self).__name__
        title = f"{name}, {settings.variant}, {criterion(settings.threshold, settings.comparison)}"
        known: dict[str, Any] = {
            "alignment_set": name,
            "alignment_title": title,
            "variant": settings.variant,
            "family": "",
        }
        known |= {"model": self._name, "model_title": self._name, "is_control": False, "score_title": ""}
        version = "; ".join(dict.fromkeys(table.info.data_version for table in self._pairs))
        row = row_from(PlaneRow, known | self.eval_summary(), score=math.nan, data_version=version)
        return drawn("alignment-uniformity", [row])

    def __repr__(self) -> str:
        start = f"{type(self).__name__}, variant {self.settings.variant}"
        if self._measured is None:
            return f"{start}: not measured yet; eval_summary() does so"
        both = self._measured
        return f"{start}: alignment {both.alignment:.4f}, uniformity {both.uniformity:.4f} (lower is better)"

    def measure(self) -> AlignmentUniformity:
        """Both with counts of pairs and sentences; each distinct sentence is encoded once. Not in the published class.

        Raises
        ------
        ArgumentError
            See `SentenceEncoder`.
        """
        if self._measured is None:
            texts = distinct_texts([*self._pairs, *self._positives])
            if len(texts) < 2:
                raise ArgumentError(
                    f"the data hold {len(texts)} distinct sentence. Give a file with more pairs."
                )
            vectors, row_of = self._encoder.vectors(texts), rows_of(texts)
            pairs, positives = (
                scored_vectors(tables, vectors, row_of) for tables in (self._pairs, self._positives)
            )
            self._measured = measure(pairs, self.settings, positives)
            for sentence in self._measured.warnings:
                warnings.warn(sentence, UserWarning, stacklevel=3)
        return self._measured


class STSBEval(_AlignmentEval):
    """Alignment and uniformity on STS-B.

    Parameters
    ----------
    encode_fn
        Function from a sentence to its vector, or from a list of sentences to their vectors; or a model with
        ``encode``. See `SentenceEncoder` for how the kinds are told apart.
    path
        A file in the form of STS-B: tab-separated, no quoting, 7 or 9 columns, with or without a line of names. Without
        it, the file of the catalog is downloaded (or taken from a mirror) and verified.
    threshold
        Pairs with a gold score above it are positive.
    variant
        ``"alignunformeval"``: the numbers of the published tool, which are **not** alignment and uniformity as defined
        (no squares, no normalisation) and compare with those of that tool alone. ``"definition"``: those of the papers.
        ``"per-batch"``: those of the Korean/English contrastive study. See docs/geometry.md.
    split
        ``"dev"`` as published, ``"train"``, ``"test"`` or ``"all"`` three; of no effect with `path`.
    comparison
        ``"above"`` the threshold or ``"at-least"``; by default as the variant was published: at-least for per-batch.
    sentences
        ``"all"``, or ``"unique"`` (definition only).
    batch_size
        Sentences per call of `encode_fn`, where it takes lists.
    data_dir_path
        Where downloaded files lie.
    mirrors
        Folders or base addresses that are tried first, as are those of the environment variable SENTFLOW_MIRROR.

    Raises
    ------
    ConfigError, DataError
        An argument or the file does not fit, or the file cannot be had.

    Notes
    -----
    The first three arguments are the published ones, the others are not. With an encoder whose vectors have length one
    the published numbers differ from the defined ones by the missing squares alone.
    """

    def __init__(
        self,
        encode_fn: Any,
        path: str | Path | None = None,
        threshold: float = 4.0,
        *,
        variant: str = ALIGNUNFORMEVAL,
        split: str = "dev",
        comparison: str | None = None,
        sentences: str = "all",
        batch_size: int = 64,
        data_dir_path: str | Path = DATA_FOLDER,
        mirrors: Sequence[str] = (),
    ) -> None:
        if split not in STSB_SPLITS:
            raise ArgumentError(f"split is {split!r}. {instead(str(split), STSB_SPLITS)}")
        settings = _settings("STSBEval", variant, threshold, comparison, sentences)
        if path is not None:
            tables = [own_pairs(path, like="STSB-dev")]
        else:
            names = STSB_SPLITS[:3] if split == "all" else [split]
            folder = Path(expanded(data_dir_path))
            tables = [catalog_pairs(f"STSB-{name}", folder=folder, mirrors=mirrors) for name in names]
        super().__init__(encode_fn, tables, tables, settings=settings, batch_size=batch_size)


class TMUPEval(_AlignmentEval):
    """Alignment and uniformity on TMUP, 655 pairs of Japanese sentences of which 363 are paraphrases.

    Parameters
    ----------
    encode_fn, variant, comparison, sentences, batch_size, data_dir_path, mirrors
        See `STSBEval`.
    path
        A file in the form of ``tmup.tsv``; without it, that of the catalog.

    Notes
    -----
    The corpus has a space between words. As published (``"alignunformeval"``) spaces are removed from the sentences of
    the alignment but not from those of the uniformity, so that the two numbers are of different strings; under the
    other variants they are removed from all.
    """

    def __init__(
        self,
        encode_fn: Any,
        path: str | Path | None = None,
        *,
        variant: str = ALIGNUNFORMEVAL,
        comparison: str | None = None,
        sentences: str = "all",
        batch_size: int = 64,
        data_dir_path: str | Path = DATA_FOLDER,
        mirrors: Sequence[str] = (),
    ) -> None:
        # between the labels 0 and 1, either comparison gives the rows with label 1
        settings = _settings("TMUPEval", variant, 0.5, comparison, sentences)

        def table(name: str) -> PairTable:
            if path is not None:
                return own_pairs(path, like=name)
            return catalog_pairs(name, folder=Path(expanded(data_dir_path)), mirrors=mirrors)

        joined = table("TMUP-joined")
        whole = table("TMUP") if variant == ALIGNUNFORMEVAL else joined
        super().__init__(encode_fn, [whole], [joined], settings=settings, batch_size=batch_size)


def _settings(
    where: str, variant: str, threshold: float, comparison: str | None, sentences: str
) -> AlignmentSettings:
    given = {"variant": variant, "threshold": float(threshold), "sentences": sentences}
    if comparison is not None:
        given["comparison"] = comparison
    return refuse_wrong(AlignmentSettings, given, where=where)
