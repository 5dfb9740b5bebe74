"""A model card in the form of the Hugging Face hub, from the facts of one training."""

import math
import re
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from huggingface_hub import EvalResult, ModelCard, ModelCardData
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from sentflow.compare.score_rows import ScoreRow
from sentflow.encoders.manifest import Manifest, read_manifest
from sentflow.encoders.settings import CROSS_ENCODER, SPARSE_EMBED, SPLADE, TRAINED
from sentflow.errors import DataError
from sentflow.files.io import read_sealed
from sentflow.files.parquet import readable
from sentflow.files.rows import read_rows
from sentflow.report import numbers
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.families.retrieval.words import POPULATION as OF_QUESTIONS
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.training.record import HeldOutRow, Made, Record
from sentflow.training.settings import CardSettings
from sentflow.training.sweeps import number_word


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


def read_scores(summaries: Sequence[Path]) -> list[CardScore]:
    """The main scores in summaries of any family; files of other kinds are passed over, undefined scores left out."""
    found: list[CardScore] = []
    for path in summaries:
        if path.suffix == ".parquet" and path.stem in _KINDS:
            kind, convert = _KINDS[path.stem]
            scores = map(convert, read_rows(path, kind, may_be_empty=True))
            found += [score for score in scores if score is not None and math.isfinite(score.value)]
    return found


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
    # held_out: measured on rows that were not trained on, at first and with the chosen weights
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
    """The facts of one encoder, by the folder of its training and the files of ``summary/``."""
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
    held_out = read_rows(training / "held-out.parquet", HeldOutRow, may_be_empty=True)
    first = min((row.step for row in held_out), default=0)
    return Facts(
        record=record,
        made=Made.read(training / "made.json"),
        read_out=read_manifest(manifest),
        about=about,
        selection=selection,
        loss=_ends(training / "history.parquet"),
        held_out=[row for row in held_out if row.step in (first, selection["step"])],
        scores=own,
        spreads=[spread for score in own if len((spread := _spread(score, scores, about)).values) > 1],
        overlap=found,
    )


def _ends(history: Path) -> tuple[float, float]:
    with readable(history, "history of a training"):
        table = pq.read_table(history, columns=["step", "loss"]).sort_by("step")
    losses = [loss for loss in table["loss"].to_pylist() if math.isfinite(loss)]
    n = max(1, len(losses) // _END_SHARE)
    return statistics.fmean(losses[:n]), statistics.fmean(losses[-n:])


def _spread(score: CardScore, scores: Sequence[CardScore], about: CardSettings) -> Spread:
    def without_encoder(one: CardScore) -> tuple[str, str, str]:
        """Of the same thing; a retriever may be named after its encoder."""
        return one.task_type, one.data, one.measure.replace(one.model, "")

    same = {one.model: one.value for one in scores if without_encoder(one) == without_encoder(score)}
    return Spread(score, tuple(same[model] for model in about.siblings if model in same))


TEMPLATE = Path(__file__).with_name("card.md.j2")
# Marks of Markdown that a name or title must not become
_MARKS = re.compile(r"([\\`*_\[\]<>|#])")
# SPDX and what the hub calls the same; it knows no other way of writing them
_NO_LICENCE = {"", "none", "not stated"}
_HUB_LICENCE = re.compile(r"[a-z0-9][a-z0-9.+-]*\Z")


def model_card(facts: Facts) -> str:
    """The text of ``README.md``, equal for equal facts. jinja2.UndefinedError: the template asks for others."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATE.parent),
        undefined=StrictUndefined,
        autoescape=select_autoescape(()),  # of Markdown; the filter md escapes names
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "md": escaped,
        "decimal": decimal,
        "count": numbers.count,
        "limits": limits,
        "percent": lambda level: numbers.percent(level).replace("\u202f", " "),
        "duration": numbers.duration,
        "listed": numbers.listed,
        "shown": shown,
    }
    body = environment.get_template(TEMPLATE.name).render(
        facts=facts,
        record=facts.record,
        made=facts.made,
        about=facts.about,
        read_out=facts.read_out,
        use=USES[facts.read_out.kind],
        settings=list(flat(facts.record.recipe_settings)),
        training=list(flat(facts.record.training)),
        selection=list(flat(facts.selection)),
        limitations=list(limitations(facts)),
    )
    return str(ModelCard(f"---\n{front_matter(facts).to_yaml()}\n---\n\n{body}"))


def front_matter(facts: Facts) -> ModelCardData:
    """What the hub reads of a card."""
    about, record, use = facts.about, facts.record, USES[facts.read_out.kind]
    further: dict[str, Any] = {
        "base_model": about.base_hub or None,
        "base_model_revision": about.base_revision or None,
        "datasets": [about.data_hub] if about.data_hub else None,
        "language": list(about.languages) or None,
        **licence(about.licence),
    }
    if facts.scores:
        further |= {
            "model_name": record.model,
            "eval_results": [eval_result(score) for score in facts.scores],
        }
    return ModelCardData(
        library_name=use.library,
        pipeline_tag=use.pipeline,
        tags=list(dict.fromkeys([*use.tags, "sentflow", record.recipe])),
        **{key: value for key, value in further.items() if value is not None},
    )


def eval_result(score: CardScore) -> EvalResult:
    """One score for the index of the hub; its interval stands among the arguments of the metric."""
    bounded = not math.isnan(score.low)
    interval = {"interval": [score.low, score.high], "level": score.level} if bounded else {}
    return EvalResult(
        task_type=score.task_type,
        task_name=score.task_name,
        dataset_type=score.data,
        dataset_name=score.data_title,
        dataset_args={"version": score.data_version, score.unit: score.n},
        metric_type=score.measure,
        metric_value=score.value,
        metric_args={**interval, "speaks_for": score.population},
    )


def licence(name: str) -> dict[str, str]:
    """The keys of the front matter that say on what terms an encoder may be used."""
    short = name.lower().strip()
    if short in _NO_LICENCE:
        return {"license": "unknown"}
    if _HUB_LICENCE.match(short):
        return {"license": short}
    return {"license": "other", "license_name": re.sub(r"[^a-z0-9.]+", "-", short).strip("-")}


def limitations(facts: Facts) -> Iterator[str]:
    """What does not follow from the card, a sentence each."""
    about, record = facts.about, facts.record
    n_seeds = len(about.siblings)
    if n_seeds < 2:
        yield (
            "One training with one seed: how much another seed would change is not known, so no difference from "
            "another recipe is shown by these scores."
        )
    else:
        yield (
            "Intervals speak for new texts, pairs or questions and for this seed alone; the spread above is that of "
            f"{n_seeds} seeds."
        )
    if any("sample data" in score.data_version for score in facts.scores):
        yield "Scores on sample data are of generated texts and do not apply to real ones."
    if facts.is_chosen_by_score:
        yield (
            "The snapshot was chosen by its score on the development set; that score is therefore too good an "
            "estimate of what the encoder reaches on new texts."
        )
    development = facts.selection.get("pairs")
    if facts.is_chosen_by_score and any(score.data == development for score in facts.scores):
        yield (
            f"The scores on {escaped(str(development))} above are of the set by which the snapshot was chosen: "
            "they are too high an estimate, and no test."
        )
    if about.read_out and about.read_out != facts.read_out.pooling:
        yield (
            f"Scores are of the read-out {about.read_out}. The files of this folder read out "
            f"{facts.read_out.pooling or 'as their modules say'}, which gives other scores."
        )
    earlier = [*([about.base_title] if about.base_title else []), *about.path]
    if earlier:
        yield (
            f"This training went on from {numbers.listed([escaped(name) for name in earlier])}, of which the own "
            "training data are not counted in the overlap with test sets."
        )
    if facts.overlap is None:
        yield "Overlap of training texts with test sets was not counted."
    elif any(test["texts"]["copies"] + test["texts"]["near"] for test in facts.overlap["tests"]):
        yield "Some texts of test sets occur in the training data: scores on these sets are not of unseen texts."
    if record.training.get("max_tokens") is not None:
        yield f"Training cut texts after {record.training['max_tokens']} tokens."


def escaped(text: str) -> str:
    """A name as Markdown shows it, on one line."""
    return _MARKS.sub(r"\\\1", " ".join(str(text).split()))


def decimal(value: float, digits: int = 3) -> str:
    """A number with fixed decimals and a plain minus sign, which programs read."""
    return numbers.decimal(value, digits).replace(numbers.MINUS, "-")


def limits(score: CardScore) -> str:
    """``0.812 to 0.845``; a dash without an interval."""
    if math.isnan(score.low) or math.isnan(score.high):
        return numbers.MISSING
    return f"{decimal(score.low)} to {decimal(score.high)}"


def shown(value: Any) -> str:
    """A setting as it was written: ``3e-5``, ``0.9, 0.999``, ``yes``."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:  # which may mean that the start's own is taken, as for dropout
        return "not set"
    if isinstance(value, list | tuple):
        return ", ".join(shown(one) for one in value) or "none"
    if value == "":  # as of prompts
        return "empty"
    return number_word(value, 12) if isinstance(value, float) else escaped(str(value))


def flat(settings: Mapping[str, Any], above: Sequence[str] = ()) -> Iterator[tuple[str, Any]]:
    """Keys and values of nested settings, keys and places in lists joined by points, in alphabetical order."""
    for key in sorted(settings):
        value = settings[key]
        if isinstance(value, Mapping):
            yield from flat(value, [*above, key])
        elif isinstance(value, list) and any(isinstance(one, Mapping) for one in value):
            yield from flat({str(place): one for place, one in enumerate(value, 1)}, [*above, key])
        else:
            yield ".".join([*above, key]), value
