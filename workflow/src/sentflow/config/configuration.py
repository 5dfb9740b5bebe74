"""What a configuration says beside entries of the catalog: a model per section, and the parts of it that jobs read.

The Snakefile reads this in every job: standard library and pydantic only.
"""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from sentflow.config.model import (
    PUBLISHED_SEED,
    Count,
    Distinct,
    Folds,
    Int,
    Maybe,
    Names,
    Number,
    OwnEntries,
    Pair,
    Repetitions,
    Seed,
    Settings,
    Several,
    Text,
)
from sentflow.files.limits import Limits
from sentflow.geometry.settings import Described
from sentflow.similarity.settings import Measured


class About(Settings):
    """What the experiment is called in captions and in the report."""

    title: Text
    """Name of the experiment, at the start of every caption."""
    description: str
    """Purpose in a sentence or two, for the head of the report."""


class Select(Settings):
    """What is run. Lists are replaced by a later config file, not merged."""

    models: Names
    """Names of encoders, in the order of the tables; [] if nothing needs one."""
    tasks: Names
    """Names of tasks, in the order of the tables."""
    pair_sets: Names = ()
    """Names of pair sets, in the order of the tables."""
    alignments: Names = ()
    """Names of alignments, in the order of the tables."""
    regressions: Names = ()
    """Names of regressions, in the order of the tables."""
    question_sets: Names = ()
    """Names of question sets, in the order of the tables."""
    retrievers: Names = ()
    """Names of retrievers, in the order of the tables; those that they fuse are run, but not shown."""
    decisions: Names = ()
    """Names of decisions, in the order of the tables; each is applied to the ranked lists (docs/retrieval.md)."""
    sweeps: Names = ()
    """Names of sweeps, in the order of the tables; their cells are encoders of the experiment."""


class Probe(Settings):
    """How probes are trained and tested."""

    protocol: Text = "published"
    """Protocol of tasks that name none (docs/protocols.md); own tasks take corrected in place of published."""
    repetitions: Repetitions = 10
    """Repetitions of the cross-validation; with fewer than the published 10, scores are marked as not comparable."""
    folds: Folds = 5
    """Folds of one repetition; 5 as published."""
    seed: Seed = PUBLISHED_SEED
    """Seed of all random draws; 9847706 as published. A protocol may have other repetitions, folds and seed."""
    job: Literal["fold", "repetition", "task"] = "task"
    """How many folds one job computes. It changes neither files nor numbers."""
    documents: bool = True
    """Whether tasks with documents are probed again with whole documents held out, for the table documents."""
    device: str = Field("cpu", pattern=r"^(cpu|auto|cuda(:[0-9]+)?)\z")
    """cpu. Other values (cuda, cuda:1, auto) give a notice: probes are trained on the processor."""


class Study(Settings):
    """Protocols to compare with probe.protocol, on all selected models and on the tasks that take probe.protocol."""

    protocols: Names = ()
    """Names of protocols, in the order of the table `protocols`."""


class Similarity(Measured):
    """How encoders are compared on pair sets."""

    baselines: Distinct[
        Literal[
            "jaccard-words",
            "jaccard-bigrams",
            "count-cosine",
            "jaccard-words-lowercase",
            "jaccard-bigrams-lowercase",
        ]
    ] = ("jaccard-words", "jaccard-bigrams")
    """Similarities that need no encoder: shares of common words or bigrams, and the cosine of counts of words."""
    seed: Seed = PUBLISHED_SEED
    """Seed of the resamples for intervals and tests, and of the training of regressions."""


class Geometry(Described):
    """What is measured on the vectors of a family of pair sets."""

    families: Literal["all"] | Distinct[str] = "all"
    """Families to describe; "all" is every family of a selected pair set."""
    permuted_texts: Int = Field(500, ge=0, le=100_000)
    """Texts of a family that are also embedded with their words in random order; 0 for none."""


class Stage(Settings):
    """A stage of a chain of retrievers."""

    title: Text
    """What stands below it in the figure."""
    retrievers: Several[str] = Field(min_length=1)
    """A selected retriever for each series; one with seeds stands for all of them."""


class Stages(Settings):
    """Stages of a chain of retrievers, for the figure and the table `retrieval-stages`."""

    series: Names = Field(min_length=1)
    """What is followed from stage to stage; retrievers in the same place of all stages are one line of the figure."""
    of: Several[Stage] = Field(min_length=2)
    """The stages, in their order."""
    measures: Maybe[Annotated[Names, Field(min_length=1)]] = None
    """Some of `measures`; the main one, and R@10 where it is measured, if left out."""


class Retrieval(Settings):
    """How runs are cut, measured and compared."""

    measures: Names = Field(("nDCG@10", "R@10", "R@100", "RR@10", "AP@100"), min_length=1)
    """Names of measures as ir-measures writes them, e.g. nDCG@10, R@100, RR@10, AP@100, P@5."""
    main: Text = "nDCG@10"
    """Measure of tests, marks and intervals."""
    reference: Maybe[Text] = None
    """Selected retriever with which figures compare the others; the first of kind bm25 if left out."""
    stages: Maybe[Stages] = None
    """Stages of a chain of retrievers, for the figure and the table `retrieval-stages`."""
    depth: Count = Field(1000, le=100_000)
    """Most documents that a retriever ranks per question, also for fusions and measures."""
    pair: Maybe[Annotated[Pair[str], Field(description="Two different names.")]] = None
    """Two selected retrievers whose most different questions are listed; those with the highest means if left out."""
    seed: Seed = PUBLISHED_SEED
    """Seed of random retrievers, of resamples and of randomisation tests."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        if self.pair and self.pair[0] == self.pair[1]:
            yield "pair", f"it has {self.pair[0]!r} twice. Write two different ones."


class Training(Settings):
    """What holds for all trainings and changes none of them."""

    keep_snapshots: bool = False
    """Keep the weights of all snapshots; otherwise a change of the selection trains again."""


class ItemStatistics(Settings):
    """What of the section ``statistics`` decides intervals over texts and tasks."""

    level: Number = Field(0.95, gt=0.5, lt=1)
    """Confidence level of all intervals except the published bootstrap, which always has 0.99."""
    n_item_resamples: Int = Field(2000, ge=100, le=1_000_000)
    """Resamples of texts and tasks."""


class ScoreStatistics(ItemStatistics):
    """What of it decides how a score is summarised."""

    n_resamples: Int = Field(10_000, ge=100, le=1_000_000)
    """Resamples of the published bootstrap; 10000 as published."""


class ComparisonStatistics(ItemStatistics):
    """What of it decides how encoders are compared."""

    rope: Number = Field(0.01, ge=0, lt=1)
    """Largest difference of scores that counts as none, for equivalence."""
    alpha: Number = Field(0.05, gt=0, lt=0.5)
    """Level of tests between encoders."""
    test: Literal["out-of-fold", "corrected-t"] = "out-of-fold"
    """Test of two encoders on a task: out-of-fold, or corrected-t (Nadeau and Bengio), which is always used where the
    former is not calibrated (docs/statistics.md).
    """
    adjustment: Literal["holm", "benjamini-hochberg"] = "holm"
    """Adjustment of counts over tasks, for all pairs of encoders on all tasks."""


class Statistics(ScoreStatistics, ComparisonStatistics):
    """How scores are summarised. A change runs no probe again."""


class PublishedScore(Settings):
    """A score reported by a paper."""

    task: str
    """Name of the task."""
    model: str
    """Name of the encoder."""
    value: Number = Field(ge=-1, le=1)
    """The score in the metric of the task, 1 is perfect (0.506, not 50.6)."""
    source: Text
    """Where it is reported, e.g. "Author 2025, table 3"."""


class Report(Settings):
    """What is made from the scores. Products of what is not selected are left out."""

    tables: Distinct[str]
    """Tables to write."""
    figures: Distinct[str]
    """Figures to draw."""
    checks: Distinct[str]
    """Acceptance checks to run."""
    published: Several[PublishedScore] = ()
    """Scores of papers, for the table published."""


class Configuration(Settings):
    """One experiment: what is run, by which protocol, and what is made from it."""

    extends: Maybe[Literal["none"]] = None
    """none runs only what the file itself selects; without it, its lists replace those of config.yaml."""
    experiment: About
    select: Select
    models: OwnEntries = {}
    tasks: OwnEntries = {}
    datasets: OwnEntries = {}
    protocols: OwnEntries = {}
    pair_sets: OwnEntries = {}
    alignments: OwnEntries = {}
    regressions: OwnEntries = {}
    question_sets: OwnEntries = {}
    corpora: OwnEntries = {}
    retrievers: OwnEntries = {}
    decisions: OwnEntries = {}
    analysers: OwnEntries = {}
    passages: OwnEntries = {}
    training_data: OwnEntries = {}
    sweeps: OwnEntries = {}
    presets: OwnEntries = {}
    probe: Probe = Probe()
    study: Study = Study()
    similarity: Similarity = Similarity()
    geometry: Geometry = Geometry()
    retrieval: Retrieval = Retrieval()
    training: Training = Training()
    statistics: Statistics = Statistics()
    report: Report
    mirrors: Several[Text] = ()
    """Folders or base addresses, which begin with http:// or https://, that are tried before a file's own addresses."""
    limits: Limits = Limits()
