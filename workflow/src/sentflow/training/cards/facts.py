"""Everything that a model card says, as it stands in the files of the results.

Of the audit ``audit/training/{data}.json`` these keys are read: ``data``; ``n_texts``, distinct training texts;
``threshold``, the similarity from which a text is nearly another; ``tests``, a list of maps with ``kind``, ``name`` and
``texts``, a map with ``n`` (distinct texts of the test), ``copies`` (how many of them are training texts) and ``near``
(how many more nearly are).
"""

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from sentflow.compare.score_rows import ScoreRow
from sentflow.encoders.manifest import Manifest, read_manifest
from sentflow.encoders.settings import CROSS_ENCODER, SPARSE_EMBED, SPLADE, TRAINED
from sentflow.errors import DataError
from sentflow.files.io import read_sealed
from sentflow.files.rows import read_rows
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.families.retrieval.words import POPULATION as OF_QUESTIONS
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.training.record import HeldOutRow, Made, Record
from sentflow.training.settings import CardSettings


@dataclass(frozen=True)
class Use:
    """How an encoder of a kind is used."""

    # opening: the first sentences of a card; ``{dimension}`` is the width of vectors, or the number of terms
    opening: str
    code: str  # Python; ``{folder}`` is that of the card
    pipeline: str  # what the hub calls the task
    tags: tuple[str, ...]  # for the index of the hub
    library: str = "sentence-transformers"  # that loads the folder


USES: Mapping[str, Use] = {
    TRAINED: Use(
        "An encoder of sentences: it gives a text a vector of {dimension} numbers, and texts of similar meaning get "
        "similar vectors.",
        "from sentence_transformers import SentenceTransformer\n\n"
        'encoder = SentenceTransformer("{folder}")  # the folder of this card\n'
        'vectors = encoder.encode(["A sentence.", "Another one."])',
        "sentence-similarity",
        ("sentence-transformers", "sentence-similarity", "feature-extraction"),
    ),
    SPLADE: Use(
        "A sparse encoder of questions and documents: it weighs the {dimension} terms of its vocabulary in a text, "
        "most of them with 0, and the product of two texts' weights says how well they fit.",
        "from sentence_transformers import SparseEncoder\n\n"
        'encoder = SparseEncoder("{folder}")  # the folder of this card\n'
        'questions, documents = encoder.encode_query(["A question?"]), encoder.encode_document(["A document."])\n'
        "print(encoder.similarity(questions, documents), encoder.decode(documents, top_k=10))",
        "feature-extraction",
        ("sentence-transformers", "sparse-encoder", "sparse", "splade"),
    ),
    SPARSE_EMBED: Use(
        "A sparse encoder of questions and documents: it weighs the {dimension} terms of its vocabulary in a text, and "
        "gives each of the few that it keeps a vector. Weights find documents; the vectors of the terms that a "
        "question and a document share rank them.",
        "from sentflow.sparse import Retriever\nfrom sentflow.sparse.folder import load_sparse_embed\n\n"
        'encoder = load_sparse_embed("{folder}")  # the folder of this card\n'
        'retriever = Retriever(key="id", on="text", model=encoder)\n'
        'retriever.add([{{"id": 1, "text": "A document."}}, {{"id": 2, "text": "Another one."}}])\n'
        'print(retriever("A question?"))',
        "feature-extraction",
        ("sparse-encoder", "sparse", "sparse-embed"),
        library="sentflow",
    ),
    CROSS_ENCODER: Use(
        "A cross-encoder: it reads a question and a document together and gives them a number, the higher the better "
        "they fit.",
        "from sentence_transformers import CrossEncoder\n\n"
        'encoder = CrossEncoder("{folder}")  # the folder of this card\n'
        'scores = encoder.predict([("A question?", "A document."), ("A question?", "Another one.")])',
        "text-ranking",
        ("sentence-transformers", "cross-encoder", "reranker"),
    ),
}


OF_TEXTS = "new texts from the same source"
OF_PAIRS = "new pairs from the same source"
_WHOLE = ("all", "mean", "wmean")  # aggregations that are no part of a set


@dataclass(frozen=True)
class CardScore:
    """One score of one encoder."""

    model: str  # its encoder
    # task_type, task_name: as the Hugging Face hub calls what was done; and in words
    task_type: str
    task_name: str
    # data, data_title, data_version: what it was measured on
    data: str
    data_title: str
    data_version: str
    measure: str  # identifier, e.g. ``"spearman_cosine"``
    # value, low, high: fractions; the limits are NaN where there is no interval
    value: float
    low: float
    high: float
    level: float  # of the interval
    # n, unit: how many of what were measured
    n: int
    unit: str
    population: str  # what the interval speaks for

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells the scores of an encoder apart."""
        return self.task_type, self.data, self.measure


def read_scores(summaries: Sequence[Path]) -> list[CardScore]:
    """The main scores in summaries of any family; files of other kinds are passed over, undefined scores left out."""
    found = [score for path in summaries for score in _read(path)]
    return [score for score in found if math.isfinite(score.value)]


def _read(path: Path) -> Iterable[CardScore]:
    if path.suffix != ".parquet" or path.stem not in _KINDS:
        return []
    kind, convert = _KINDS[path.stem]
    return [score for row in read_rows(path, kind, may_be_empty=True) if (score := convert(row)) is not None]


def _of_task(row: ScoreRow) -> CardScore:
    low, high = (math.nan, math.nan) if row.degenerate else row.shown_generalisation
    return CardScore(
        row.model, "text-classification", "Probe on frozen vectors", row.task, row.task_title, row.data_version,
        row.metric, row.mean, low, high, row.level, row.n_balanced_rows, "rows", OF_TEXTS,
    )  # fmt: skip


def _of_pairs(row: SimilarityRow) -> CardScore | None:
    if not row.is_main or row.aggregation not in _WHOLE:
        return None
    measure = f"{row.coefficient}_{row.measure}" + ("" if row.aggregation == "all" else f"_{row.aggregation}")
    return CardScore(
        row.model, "sentence-similarity", "Semantic similarity", row.pairs, row.pairs_title, row.data_version,
        measure, row.value, row.low, row.high, row.level, row.n, "pairs", OF_PAIRS,
    )  # fmt: skip


def _of_questions(row: RetrievalRow) -> CardScore | None:
    # a retriever of one encoder's vectors alone is told under the encoder's name
    if not row.is_main or row.group or row.is_baseline:
        return None
    return CardScore(
        row.model, "information-retrieval", f"Retrieval by {row.retriever_title}",
        row.questions, row.questions_title, row.data_version,
        f"{row.measure} ({row.retriever})", row.value, row.low, row.high, row.level, row.n_questions, "questions",
        OF_QUESTIONS,
    )  # fmt: skip


_KINDS: Mapping[str, tuple[type[Any], Callable[[Any], CardScore | None]]] = {
    ScoreRow.FILE: (ScoreRow, _of_task),
    SimilarityRow.FILE: (SimilarityRow, _of_pairs),
    RetrievalRow.FILE: (RetrievalRow, _of_questions),
}

_END_SHARE = 10  # the first and the last tenth of the steps stand for beginning and end


@dataclass(frozen=True)
class HistoryRow:
    """What a model card reads of one step."""

    FILE: ClassVar[str] = "history"

    step: int
    loss: float


@dataclass(frozen=True)
class Spread:
    """A score of this encoder beside those of the other seeds."""

    score: CardScore
    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Over seeds."""
        return statistics.fmean(self.values)

    @property
    def deviation(self) -> float:
        """Standard deviation between seeds, of a sample."""
        return statistics.stdev(self.values)


@dataclass(frozen=True)
class Facts:
    """What one card says."""

    # record, made, read_out, about: of the encoder
    record: Record
    made: Made
    read_out: Manifest
    about: CardSettings
    selection: Mapping[str, Any]  # how the snapshot was chosen; ``step`` is the chosen one
    loss: tuple[float, float]  # mean over the first and over the last tenth of the steps
    # held_out: what rows that were not trained on measured at first and with the chosen weights; empty without such
    # rows
    held_out: Sequence[HeldOutRow]
    scores: Sequence[CardScore]  # of this encoder
    spreads: Sequence[Spread]  # of the scores that two seeds or more have
    # overlap: the audit of the training texts beside the test sets; None where they were not counted
    overlap: Mapping[str, Any] | None

    @property
    def is_chosen_by_score(self) -> bool:
        """Whether a development set chose the snapshot; without one, it is the last."""
        return self.selection.get("rule") == "best" and self.selection.get("pairs") is not None


def read_facts(
    training: Path, manifest: Path, about: CardSettings, summaries: Sequence[Path], overlap: Path | None
) -> Facts:
    """The facts of one encoder.

    `training`: folder with ``record.json``, ``made.json``, ``selection.json``, ``history.parquet`` and
    ``held-out.parquet``. `summaries`: files of ``summary/``; those that hold no scores are passed over.
    """
    record = Record.read(training / "record.json")
    selection = read_sealed(training / "selection.json")
    if not isinstance(selection, dict) or not isinstance(selection.get("step"), int):
        raise DataError(
            f"{training / 'selection.json'} does not say which step was chosen. Delete it and run snakemake again."
        )
    scores = read_scores(summaries)
    own = [score for score in scores if score.model == record.model]
    found = read_sealed(overlap) if overlap else None
    if found is not None and found.get("data") != record.data.name:
        raise DataError(
            f"{overlap} is the audit of other training data than {training / 'record.json'} names. "
            "Delete it and run snakemake again."
        )
    return Facts(
        record=record,
        made=Made.read(training / "made.json"),
        read_out=read_manifest(manifest),
        about=about,
        selection=selection,
        loss=_ends(read_rows(training / "history.parquet", HistoryRow)),
        held_out=_first_and_chosen(
            read_rows(training / "held-out.parquet", HeldOutRow, may_be_empty=True), selection["step"]
        ),
        scores=own,
        spreads=[spread for score in own if len((spread := _spread(score, scores, about)).values) > 1],
        overlap=found,
    )


def _ends(history: Sequence[HistoryRow]) -> tuple[float, float]:
    losses = [row.loss for row in sorted(history, key=lambda row: row.step) if math.isfinite(row.loss)]
    n = max(1, len(losses) // _END_SHARE)
    return statistics.fmean(losses[:n]), statistics.fmean(losses[-n:])


def _first_and_chosen(rows: Sequence[HeldOutRow], chosen: int) -> list[HeldOutRow]:
    shown = {min((row.step for row in rows), default=chosen), chosen}
    return [row for row in rows if row.step in shown]


def _spread(score: CardScore, scores: Sequence[CardScore], about: CardSettings) -> Spread:
    same = {other.model: other.value for other in scores if _same(other, score)}
    return Spread(score, tuple(same[model] for model in about.siblings if model in same))


def _same(one: CardScore, other: CardScore) -> bool:
    """Whether two scores are of the same thing; a retriever may be named after its encoder."""
    return _without_encoder(one) == _without_encoder(other)


def _without_encoder(score: CardScore) -> tuple[str, str, str]:
    return score.task_type, score.data, score.measure.replace(score.model, "")
