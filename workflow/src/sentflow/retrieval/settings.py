"""Settings of retrievers, a model per kind, and of the jobs that search; and which module is the code of each."""

from collections.abc import Iterator
from math import comb
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from sentflow.config.collections import MOST_CANDIDATES, Analyser, Decision, TuningFolds
from sentflow.config.model import (
    Count,
    Int,
    Maybe,
    Name,
    Names,
    Number,
    Path,
    Seed,
    Settings,
    Several,
    Text,
    Title,
)

_SEARCHES = "sentflow.retrieval.retrievers"


class IndexSettings(Settings):
    """An approximate index; with the distributions whose versions count."""

    libraries: ClassVar[tuple[str, ...]] = ("faiss-cpu", "numpy")
    asks: ClassVar[tuple[str, int, int]] = ("search", 60, 6)
    kind: str
    seed: Int = Field(0, ge=0, le=2147483647)
    """Random seed of graph and clusterings."""


class FlatIndex(IndexSettings):
    """Compares all vectors."""

    kind: Literal["flat"]


class Hnsw(IndexSettings):
    """Walks a graph of neighbours."""

    kind: Literal["hnsw"]
    links: Int = Field(32, ge=2, le=512)
    """Links per vector."""
    build_width: Count = Field(200, le=10000)
    """Width of the search while building."""
    search_width: Count = Field(128, le=100000)
    """Width of the search, at least the documents that are asked for."""


class IvfFlat(IndexSettings):
    """Looks into some lists of a clustering."""

    kind: Literal["ivf-flat"]
    lists: Count = Field(256, le=1000000)
    """Lists of the clustering."""
    probes: Count = Field(16, le=1000000)
    """Lists to search."""


class IvfPq(IvfFlat):
    """Looks into some lists of a clustering, by codes."""

    kind: Literal["ivf-pq"]  # type: ignore[assignment]
    parts: Count = Field(48, le=1024)
    """Parts of a vector, each with a code."""
    bits: Int = Field(8, ge=4, le=12)
    """Bits of a code."""


DenseIndex = Annotated[FlatIndex | Hnsw | IvfFlat | IvfPq, Field(discriminator="kind")]


class TunedWeights(Settings):
    """Weights that the main measure chooses on training questions; they add up to 1."""

    tuned_on: Names = Field(min_length=1)
    """Question sets on which weights are chosen, with no question of others that are searched (docs/retrieval.md)."""
    steps: Count = Field(20, le=1000)
    """Weights are multiples of 1 / steps."""
    folds: TuningFolds = 10


class Shown(Settings):
    """What every retriever may say; with the module that searches, and the distributions whose versions count."""

    module: ClassVar[str]
    libraries: ClassVar[tuple[str, ...]] = ("numpy",)
    asks: ClassVar[tuple[str, int, int]] = ("search", 60, 30)
    """Whose memory a search takes in `sentflow.flow.rules.COSTS`, its minutes, and MB for each MB of files."""
    title: Maybe[Title] = None
    seed_of: Maybe[Name] = None
    """Name shared by retrievers that differ only in their seed; tables show their mean with an interval."""


class CountsTerms(Shown):
    """What a retriever may say that counts terms by BM25."""

    asks = ("search", 60, 6)
    libraries = ("bm25s", "numpy")
    analyser: Text | dict[str, Text]
    """Name of the analyser that makes terms, or language of the corpus → name, and `other` → name."""
    variant: Literal["lucene", "robertson", "atire", "bm25l", "bm25+"] = "lucene"
    """Variant of BM25."""
    k1: Number = Field(1.5, ge=0)
    """Saturation of the term frequency."""
    b: Number = Field(0.75, ge=0, le=1)
    """Weight of the length of a document."""
    delta: Number = Field(1, ge=0)
    """Added by bm25l and bm25+."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        if isinstance(self.analyser, dict) and "other" not in self.analyser:
            yield "analyser", "'other' is missing, the analyser of languages that are not named."


class BM25(CountsTerms):
    """Counts terms."""

    module = f"{_SEARCHES}.bm25"
    kind: Literal["bm25"]


class BM25RM3(CountsTerms):
    """Counts terms, with those of the documents that it ranks first (RM3)."""

    module = f"{_SEARCHES}.bm25_rm3"
    kind: Literal["bm25-rm3"]
    feedback_documents: Count = 10
    """Documents whose terms expand a question."""
    feedback_terms: Count = 10
    """Terms to add to a question."""
    original_weight: Number = Field(0.5, ge=0, le=1)
    """Weight of the question's own terms."""


class ByEncoder(Shown):
    """What a retriever may say that an encoder reads for."""

    model: Text
    """Name of an encoder: of vectors (dense), of kind splade or sparse-embed (sparse), or cross-encoder (rerank)."""
    passages: Maybe[Text] = None
    """Name of a way to cut documents into passages, of which the best counts; whole documents if left out."""


class Dense(ByEncoder):
    """Compares vectors of an encoder."""

    module = f"{_SEARCHES}.dense"
    asks = ("search", 60, 4)
    kind: Literal["dense"]
    similarity: Literal["cosine", "dot"] = "cosine"
    """Similarity of two vectors."""
    index: Maybe[DenseIndex] = None
    """Approximate index by faiss, compared with exact search; exact search if left out."""


class Sparse(ByEncoder):
    """Multiplies weights of terms by a model of kind splade or sparse-embed."""

    module = f"{_SEARCHES}.sparse"
    asks = ("search", 60, 6)
    libraries = ("numpy", "scipy")
    kind: Literal["sparse"]
    impacts: Maybe[Count] = Field(None, le=8)
    """Bits to which weights of documents are rounded, relative to the largest of the corpus."""
    candidates: Maybe[Count] = None
    """Documents that weights find and vectors of terms order, at least retrieval.depth (sparse-embed)."""


class Fusion(Shown):
    """Makes one run of several."""

    module = f"{_SEARCHES}.fusion"
    asks = ("search", 20, 30)
    kind: Literal["fusion"]
    of: Names = Field(min_length=2)
    """Names of the retrievers whose runs become one."""
    rule: Literal["product", "sum", "reciprocal-rank"]
    """product of scores of documents that all runs have; sum of weighted scores; sum of weight / (k + rank)."""
    weights: Maybe[Annotated[Several[Annotated[Number, Field(ge=0)]], Field(min_length=2)] | TunedWeights] = (
        None
    )
    """One per retriever of `of`, or how they are chosen; all 1 if left out (fusion by sum or reciprocal-rank)."""
    normalise: Literal["none", "least-to-greatest", "standard"] = "least-to-greatest"
    """How the scores of a run are made comparable, question by question."""
    times: Maybe[Text] = None
    """Name of a retriever whose scores multiply the sum of the others, for documents that it found; without weight."""
    k: Number = Field(60, ge=0)
    """Added to every rank."""

    def wrong(self) -> Iterator[tuple[str | Path, str]]:
        n = len(self.of)
        if self.times and self.rule == "product":
            yield "times", f"a product multiplies all of its runs. Write {self.times} in of."
        if self.weights is not None and self.rule == "product":
            yield "weights", "a product has no weights. Delete them, or write rule: sum."
        elif isinstance(self.weights, TunedWeights):
            n_candidates = comb(self.weights.steps + n - 1, n - 1)
            if n_candidates > MOST_CANDIDATES:
                yield (
                    ("weights", "steps"),
                    f"{n_candidates} weights of {n} retrievers. Write fewer steps: at most {MOST_CANDIDATES} weights.",
                )
        elif self.weights is not None and len(self.weights) != n:
            yield "weights", f"{len(self.weights)} weights for {n} retrievers. Write one for each."
        elif self.weights is not None and not max(self.weights):
            yield "weights", "all of them are 0. Write a greater one."


class Rerank(ByEncoder):
    """Orders the first documents of another retriever anew by a cross-encoder."""

    module = f"{_SEARCHES}.rerank"
    asks = ("embed", 240, 30)
    kind: Literal["rerank"]
    of: Text
    """Name of the retriever whose first documents are reranked."""
    depth: Count = 100
    """Number of documents to rerank; the others keep their order."""


class RunFile(Shown):
    """Reads the run of another engine."""

    module = f"{_SEARCHES}.run_file"
    asks = ("search", 20, 0)
    libraries = ()
    kind: Literal["run"]
    files: dict[str, Text] = Field(min_length=1)
    """Question set → path of a file in TREC's form, question Q0 document rank score tag (run)."""


class RandomOrder(Shown):
    """Puts documents in a random order, as a control."""

    module = f"{_SEARCHES}.random_order"
    asks = ("search", 10, 0)
    kind: Literal["random"]
    seed: Maybe[Seed] = None
    """Seed of the order; that of `retrieval.seed` if left out."""


Retriever = Annotated[
    BM25 | BM25RM3 | Dense | Sparse | Fusion | Rerank | RunFile | RandomOrder, Field(discriminator="kind")
]
"""What ranks the documents of a corpus for a question (docs/retrieval.md)."""


# --- of jobs --------------------------------------------------------------------------------------------------


class RetrieverSettings(Settings):
    """What decides an index beside its files."""

    by: Retriever
    """Without what is shown of it alone; `analyser` and `seed` are those that it comes to."""


class SearchSettings(RetrieverSettings):
    """What decides a run beside its files."""

    retriever: Text
    depth: Count
    """Documents that are ranked per question at most."""
    analyser: Maybe[Analyser] = None
    encoder: Maybe[dict[str, Any]] = None

    @property
    def module(self) -> str:
        """The module that searches."""
        return f"{_SEARCHES}.index" if self.index else self.by.module

    @property
    def index(self) -> IndexSettings | None:
        """The approximate index that is searched."""
        return self.by.index if isinstance(self.by, Dense) else None


class CertifySettings(SearchSettings):
    """What decides a certificate beside its files."""

    measure: Text
    margin: Number
    level: Number
    """Of the interval of the difference."""
    cutoffs: Several[Count]
    """Documents whose recall is certified."""


class WeighSettings(SearchSettings):
    """What decides what weights reach beside files."""

    measure: Text
    steps: Count


class ResamplingSettings(Settings):
    """How intervals are drawn."""

    level: Number
    n_resamples: Int
    seed: Seed


class EvaluateSettings(ResamplingSettings):
    """What decides the values of a run beside its files."""

    measures: Several[Text]
    cluster: Maybe[Literal["gold-document", "column"]] = None
    cluster_pattern: Maybe[Text] = None


class TuningSettings(Settings):
    """How something is chosen on training questions."""

    folds: TuningFolds
    margin: Number
    """Within which choices count as equally good."""
    row_ids: Several[Text] = ()
    """Question sets whose ids are numbers of rows."""
    seed: Seed


class DecideSettings(Settings):
    """What decides which documents are given as answers beside the files."""

    decision: Text
    parameters: Decision
    """Without what is shown of it alone, and how it is chosen."""
    tuning: Maybe[TuningSettings] = None


class HardestSettings(Settings):
    """Which questions are worth reading."""

    retrievers: Several[Text]
    """In the order in which they are shown."""
    controls: Several[Text]
    pair: Several[Text] = ()
    """Two of them; those with the highest means if empty."""
    measure: Text
    limit: Count


class QuestionTests(ResamplingSettings):
    """How systems are compared question by question."""

    alpha: Number
    """Up to which an adjusted p counts as a difference."""
    margin: Number
    """Difference that would matter, for tests of equivalence; above 0."""


class ComparisonSettings(QuestionTests):
    """Which systems are compared, and how."""

    question_sets: Several[Text]
    systems: Several[Text]
    """Retrievers, or these with a decision."""


class RetrievalComparisonSettings(ComparisonSettings):
    """How retrievers are compared."""

    families: dict[str, dict[str, str]]
    """Name → seed → retriever; those of a family differ in their seed alone."""
    main: Text
    measures: Several[Text]


class DecisionSettings(ResamplingSettings):
    """How decisions on a question set are measured."""

    systems: Several[Text]
    """Retrievers with a decision, in their order, for Snakemake sees sets of inputs."""
