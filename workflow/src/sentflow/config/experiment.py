"""What a configuration says: the sections that are not entries of the catalog.

The Snakefile reads this in every job: pydantic only.
"""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from sentflow.config.model import (
    Correlation,
    Count,
    Distinct,
    Entries,
    Folds,
    Int,
    Maybe,
    Measure,
    Names,
    Number,
    Pair,
    Repetitions,
    Seed,
    Settings,
    Several,
    Text,
)
from sentflow.errors import instead
from sentflow.files.limits import Limits

PUBLISHED_SEED = 9847706


class About(Settings):
    """What the experiment is called in captions and in the report."""

    title: Text = Field(description="Name of the experiment; every caption begins with it.")
    description: str = Field(description="What it is for, in a sentence or two, for the head of the report.")


class Select(Settings):
    """What is run. Lists are replaced by a later config file, not merged."""

    models: Names = Field(
        description="Names of encoders, in the order of the tables; [] where nothing that is selected needs one."
    )
    tasks: Names = Field(
        description="Names of tasks, in the order of the tables; none where pair sets are selected."
    )
    pair_sets: Names = Field(
        (), description="Names of sets of scored sentence pairs, in the order of the tables."
    )
    alignments: Names = Field(
        (), description="Names of measurements of alignment and uniformity, in the order of the tables."
    )
    regressions: Names = Field((), description="Names of trained similarities, in the order of the tables.")
    question_sets: Names = Field(
        (),
        description="Names of question sets, in the order of the tables; their corpora are prepared with them.",
    )
    retrievers: Names = Field(
        (),
        description="Names of retrievers, in the order of the tables; those that they fuse are run, but not shown "
        "unless they are named here.",
    )
    decisions: Names = Field(
        (),
        description="Names of decisions, in the order of the tables; each is applied to what retrievers rank "
        "(docs/retrieval.md).",
    )
    sweeps: Names = Field(
        (),
        description="Names of sweeps, in the order of the tables; their cells that are to be run are encoders of the "
        "experiment.",
    )


class Probe(Settings):
    """How probes are trained and tested."""

    protocol: Text = Field(
        "published",
        description="Name of the protocol of all tasks that name none of their own; published is the published "
        "evaluator's, number by number, and holds for tasks of the catalog only (docs/protocols.md).",
    )
    repetitions: Repetitions = Field(
        10, description="Repetitions of the cross-validation, where the protocol names none; 10 as published."
    )
    folds: Folds = Field(
        5, description="Folds of one repetition, where the protocol names none; 5 as published."
    )
    seed: Seed = Field(
        PUBLISHED_SEED,
        description="Seed of all random draws, where the protocol names none; 9847706 as published.",
    )
    job: Literal["fold", "repetition", "task"] = Field(
        "task", description="How many folds one job computes. It changes neither files nor numbers."
    )
    documents: bool = Field(
        True,
        description="Whether tasks that name the document of each row are probed a second time with the rows of a "
        "document kept together (protocol NAME-documents): intervals and tests for new documents come from "
        "there, and the table documents has them. Where a task has too few documents, its line there says so.",
    )
    device: str = Field(
        "cpu",
        pattern=r"^(cpu|auto|cuda(:[0-9]+)?)\z",
        description="Where probes are trained: cpu, cuda, one of several GPUs as cuda:1, or auto for a GPU where there "
        "is one and the processor elsewhere. CPUs and GPUs round differently, so a change from one to the other runs "
        "the probes again; a change from one GPU to another runs nothing again.",
    )


class Study(Settings):
    """Protocols to compare with probe.protocol, on all selected models and on the tasks that take probe.protocol."""

    protocols: Names = Field(
        (), description="Names of protocols, in the order of the table `protocols`; none for no study."
    )


class Similarity(Settings):
    """How encoders are compared on pair sets."""

    measure: Measure = Field(
        "cosine",
        description="Similarity of two vectors in tables, figures and tests; the files of results hold all four.",
    )
    correlation: Correlation = Field(
        "spearman",
        description="Correlation of similarities and gold scores in tables, figures and tests; the files of results "
        "hold both.",
    )
    baselines: Distinct[
        Literal[
            "jaccard-words",
            "jaccard-bigrams",
            "count-cosine",
            "jaccard-words-lowercase",
            "jaccard-bigrams-lowercase",
        ]
    ] = Field(
        ("jaccard-words", "jaccard-bigrams"),
        description="Similarities that need no encoder, reported with the encoders. jaccard-words and jaccard-bigrams "
        "are the share of common words or of common pairs of characters, in lower case with -lowercase; count-cosine "
        "is the cosine of counts of words.",
    )
    seed: Seed = Field(
        PUBLISHED_SEED,
        description="Seed of the resamples for intervals and tests, and of the training of regressions.",
    )


class Geometry(Settings):
    """What is measured on the vectors of a family of pair sets."""

    families: Literal["all"] | Distinct[str] = Field(
        "all",
        description='Families to describe. "all" is every family of a selected pair set, [] is none.',
    )
    truncation: Distinct[Count] = Field(
        (16, 32, 64, 128, 256),
        description="Numbers of leading dimensions that scores are computed with; those beyond the dimension of an "
        "encoder are left out.",
    )
    permuted_texts: Int = Field(
        500,
        ge=0,
        le=100_000,
        description="Texts of a family that are embedded once more with their words in another order, to see whether "
        "word order matters; 0 for none.",
    )
    neighbours: Count = Field(
        10, le=1000, description="Nearest neighbours of a text that count towards hubness; 10 as usual."
    )
    seed: Seed = Field(PUBLISHED_SEED, description="Seed of the permutations and resamples.")


class Stage(Settings):
    """A stage of a chain of retrievers."""

    title: Text = Field(description="What stands below it in the figure.")
    retrievers: Several[str] = Field(
        min_length=1,
        description="A selected retriever for each series; one with seeds stands for all of them.",
    )


class Stages(Settings):
    """Stages of a chain of retrievers, for the figure and the table `retrieval-stages`."""

    series: Names = Field(
        min_length=1,
        description="What is followed from stage to stage; retrievers in the same place of all stages are one line of "
        "the figure.",
    )
    of: Several[Stage] = Field(min_length=2, description="The stages, in their order.")
    measures: Maybe[Annotated[Names, Field(min_length=1)]] = Field(
        None,
        description="Some of `measures`; the main one, and R@10 where it is measured, if left out.",
    )


class Retrieval(Settings):
    """How runs are cut, measured and compared."""

    measures: Names = Field(
        ("nDCG@10", "R@10", "R@100", "RR@10", "AP@100"),
        min_length=1,
        description="Names of measures as ir-measures writes them, e.g. nDCG@10, R@100, RR@10, AP@100, P@5.",
    )
    main: Text = Field(
        "nDCG@10", description="The one of them that tests, marks and intervals in tables follow."
    )
    reference: Maybe[Text] = Field(
        None,
        description="The selected retriever that figures compare the others with; the first of kind bm25 without it.",
    )
    stages: Maybe[Stages] = Field(
        None,
        description="Stages of a chain of retrievers, for the figure and the table `retrieval-stages`.",
    )
    depth: Count = Field(
        1000,
        le=100_000,
        description="Documents that a retriever ranks per question at most. Fusions and measures see no more.",
    )
    pair: Maybe[Annotated[Pair[str], Field(description="Two different names.")]] = Field(
        None,
        description="Two selected retrievers; the questions on which they differ most are listed. The two with the "
        "highest means of each question set if left out, controls apart.",
    )
    seed: Seed = Field(
        PUBLISHED_SEED, description="Seed of random retrievers, of resamples and of randomisation tests."
    )

    def wrong(self) -> Iterator[tuple[str, str]]:
        """Whether the pair is one."""
        if self.pair and self.pair[0] == self.pair[1]:
            yield "pair", f"it has {self.pair[0]!r} twice. Write two different ones."


class Training(Settings):
    """What holds for all trainings and changes none of them."""

    keep_snapshots: bool = Field(
        False,
        description="Whether the weights after each scored step stay. If not, they are deleted when the encoder is "
        "chosen, and an edit of what scores them trains once more.",
    )


class Statistics(Settings):
    """How scores are summarised. A change runs no probe again."""

    level: Number = Field(
        0.95,
        gt=0.5,
        lt=1,
        description="Confidence level of all intervals but the published bootstrap, which always has 0.99; between 0.5 "
        "and 1. With 1 − alpha an interval of a difference leaves out 0 exactly where its single test is significant.",
    )
    n_resamples: Int = Field(
        10_000,
        ge=100,
        le=1_000_000,
        description="Resamples of the published bootstrap; 10000 as published.",
    )
    n_item_resamples: Int = Field(
        2000,
        ge=100,
        le=1_000_000,
        description="Resamples of the texts for the item-level intervals, and of the tasks for the intervals of ranks.",
    )
    rope: Number = Field(
        0.01,
        ge=0,
        lt=1,
        description="Difference of scores up to which two encoders count as practically equal, e.g. 0.01.",
    )
    alpha: Number = Field(
        0.05,
        gt=0,
        lt=0.5,
        description='Probability of a wrong "significant" among all pairs of a task, and with `adjustment` holm among '
        "all pairs on all tasks, between 0 and 0.5.",
    )
    test: Literal["out-of-fold", "corrected-t"] = Field(
        "out-of-fold",
        description="Test of two encoders on a task, which p, marks, intervals of differences and the MDD are of: "
        "out-of-fold, by the predictions of the texts that were tested, or corrected-t (Nadeau and Bengio), by the "
        "folds. Other than 5 folds, fewer than 10 repetitions, more than 66 % of the rows trained on, regularised "
        "probes and documents kept together have always corrected-t. Ranks do not follow it.",
    )
    adjustment: Literal["holm", "benjamini-hochberg"] = Field(
        "holm",
        description="How counts over tasks adjust for all pairs on all tasks; holm bounds the probability of any wrong "
        '"significant", benjamini-hochberg the expected share of wrong ones.',
    )


class PublishedScore(Settings):
    """A score reported by a paper."""

    task: str = Field(description="Name of the task.")
    model: str = Field(description="Name of the encoder.")
    value: Number = Field(
        ge=-1, le=1, description="The score in the metric of the task, 1 is perfect (0.506, not 50.6)."
    )
    source: Text = Field(description='Where it is reported, e.g. "Author 2025, table 3".')


class Report(Settings):
    """What is made from the scores. Products of what is not selected are left out."""

    tables: Distinct[str] = Field(description="Tables to write.")
    figures: Distinct[str] = Field(description="Figures to draw.")
    checks: Distinct[str] = Field(description="Acceptance checks to run.")
    published: Several[PublishedScore] = Field(
        (), description="Scores reported by papers, which the table published compares with ours."
    )

    def wrong(self) -> Iterator[tuple[str, str]]:
        """Names of products that do not exist."""
        from sentflow.graph import products  # which imports the families, and they this module

        for kind in (products.TABLE, products.FIGURE, products.CHECK):
            known = products.names(kind)
            for place, name in enumerate(getattr(self, f"{kind}s")):
                if name not in known:
                    yield f"{kind}s.{place}", f"there is no {kind} {name!r}. {instead(name, known)}"


class Configuration(Settings):
    """One experiment: what is run, by which protocol, and what is made from it."""

    experiment: About
    select: Select
    models: Entries = {}
    tasks: Entries = {}
    datasets: Entries = {}
    protocols: Entries = {}
    pair_sets: Entries = {}
    alignments: Entries = {}
    regressions: Entries = {}
    question_sets: Entries = {}
    corpora: Entries = {}
    retrievers: Entries = {}
    decisions: Entries = {}
    analysers: Entries = {}
    passages: Entries = {}
    training_data: Entries = {}
    sweeps: Entries = {}
    presets: Entries = {}
    probe: Probe = Probe()
    study: Study = Study()
    similarity: Similarity = Similarity()
    geometry: Geometry = Geometry()
    retrieval: Retrieval = Retrieval()
    training: Training = Training()
    statistics: Statistics = Statistics()
    report: Report
    mirrors: Several[Text] = Field(
        (),
        description="Folders or base addresses, which begin with http:// or https://, that are tried before a "
        "file's own addresses.",
    )
    limits: Limits = Limits()
