"""Every kind of encoder: which modules run for it, what it gives, and which keys of an entry each rule reads.

Modules are named here and imported by name, so that a job depends on those of its own kind alone. No digest of code
holds this table: whatever it says reaches a job as a param (keys, versions of libraries, digests of the named modules)
or changes no number. Standard library only: the Snakefile imports it in every job.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

# What a kind gives
DENSE = "dense"  # vectors of texts, one array per dataset
FITTED = "fitted"  # learns from the training part of every fold, so that it has no array
PAIRS = "pairs"  # a number for two texts, and no vector of one
SPARSE = "sparse"  # weights of the terms of a vocabulary, few of them not 0
TERM_VECTORS = "term-vectors"  # the same, and a vector for each term that has a weight
OWN = "own"  # one or the other, or features of rows, as the user's class says

# Kinds that other parts of the program speak of by name
API, CUSTOM, RANDOM, TRAINED = "api", "custom", "random", "trained"
SPLADE, SPARSE_EMBED = "splade", "sparse-embed"
CROSS_ENCODER = "cross-encoder"
# Recipe → the kind of encoder that it makes; others make one of dense vectors
MADE_BY: Mapping[str, str] = {"splade": SPLADE, "sparse-embed": SPARSE_EMBED, "cross-encoder": CROSS_ENCODER}
# Key of a sparse encoder, and role of texts → the name in its map: how many terms of a text are kept
TERMS = "terms"
TERMS_OF: Mapping[str, str] = {"query": "queries", "document": "documents"}

# How words are marked in texts before an encoder reads them → the distribution whose version can change that
SEGMENTERS: Mapping[str, str] = {"vietnamese-words": "underthesea"}

_KINDS = "sentflow.encoders.kinds"
_FETCH = "sentflow.encoders.fetch"


@dataclass(frozen=True)
class Kind:
    """A kind of encoder."""

    name: str  # as entries write it
    module: str  # computes: what `sentflow.encoders.kinds.contract` asks of it
    # fetcher: module that makes the manifest, see `sentflow.encoders.fetch`; empty where rules of its own make it
    fetcher: str
    gives: str = DENSE  # `DENSE`, `FITTED`, `PAIRS`, `SPARSE`, `TERM_VECTORS` or `OWN`
    has_files: bool = False  # whether it has a source of files
    libraries: tuple[str, ...] = ("numpy",)  # distributions whose versions can change a vector
    # backend_libraries: further distributions, by what computes a transformer (key ``backend``)
    backend_libraries: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    threads: int = 1  # that it has use for
    # has_tokenizer: whether `sentflow.encoders.kinds.neural.tokenizer` can say where its tokens are
    has_tokenizer: bool = False

    @property
    def weighs_terms(self) -> bool:
        """Whether it gives weights of terms, with vectors of them or without."""
        return self.gives in (SPARSE, TERM_VECTORS)

    def vector_libraries(self, settings: Mapping[str, object]) -> tuple[str, ...]:
        """`libraries` and those of the backend and of the words that an entry, or its encode settings, names."""
        segmenter = SEGMENTERS.get(str(settings.get("segment")))
        return (
            *self.libraries,
            *self.backend_libraries.get(str(settings.get("backend")), ()),
            *([segmenter] if segmenter else []),
        )


_NEURAL_LIBRARIES = ("numpy", "sentence-transformers", "tokenizers", "torch", "transformers")
_BACKENDS = {
    "torch": (),
    "onnx": ("onnx", "onnxruntime", "onnxscript"),
    "onnx-int8": ("onnx", "onnxruntime", "onnxscript"),
    "openvino": ("onnx", "onnxscript", "openvino"),
}


def _neural(name: str) -> Kind:
    """The same encoder for folders of sentence-transformers and of transformers."""
    return Kind(
        name,
        module=f"{_KINDS}.neural.load",
        fetcher=f"{_FETCH}.neural",
        has_files=True,
        libraries=_NEURAL_LIBRARIES,
        backend_libraries=_BACKENDS,
        threads=4,
        has_tokenizer=True,
    )


_ALL = (
    _neural("sentence-transformers"),
    _neural("transformers"),
    Kind(
        "trained",
        module=f"{_KINDS}.neural.load",
        # made by rules of its own
        fetcher="",
        libraries=_NEURAL_LIBRARIES,
        backend_libraries=_BACKENDS,
        threads=4,
        has_tokenizer=True,
    ),
    Kind(
        CROSS_ENCODER,
        module=f"{_KINDS}.neural.cross_encoder",
        fetcher=f"{_FETCH}.cross_encoder",
        gives=PAIRS,
        has_files=True,
        libraries=_NEURAL_LIBRARIES,
        threads=4,
    ),
    Kind(
        SPLADE,
        module=f"{_KINDS}.neural.splade",
        fetcher=f"{_FETCH}.splade",
        gives=SPARSE,
        has_files=True,
        libraries=(*_NEURAL_LIBRARIES, "scipy"),
        threads=4,
        has_tokenizer=True,
    ),
    Kind(
        SPARSE_EMBED,
        module=f"{_KINDS}.neural.sparse_embed",
        fetcher=f"{_FETCH}.sparse_embed",
        gives=TERM_VECTORS,
        has_files=True,
        libraries=(*_NEURAL_LIBRARIES, "scipy"),
        threads=4,
        has_tokenizer=True,
    ),
    Kind(
        "model2vec",
        module=f"{_KINDS}.model2vec",
        fetcher=f"{_FETCH}.model2vec",
        has_files=True,
        libraries=("numpy", "tokenizers"),
    ),
    Kind(
        "word-vectors",
        module=f"{_KINDS}.word_vectors",
        fetcher=f"{_FETCH}.word_vectors",
        has_files=True,
    ),
    Kind(
        "api",
        module=f"{_KINDS}.api",
        fetcher=f"{_FETCH}.service",
        # A service computes elsewhere; asking again costs money, and NumPy does no more than divide by a length.
        libraries=(),
    ),
    Kind(
        "tfidf",
        module=f"{_KINDS}.tfidf",
        fetcher=f"{_FETCH}.plain",
        gives=FITTED,
        libraries=("numpy", "scikit-learn"),
    ),
    Kind(
        "scikit-learn",
        module=f"{_KINDS}.scikit_learn",
        fetcher=f"{_FETCH}.scikit_learn",
        gives=FITTED,
        libraries=("numpy", "scikit-learn"),
    ),
    Kind(
        "bag-of-words",
        module=f"{_KINDS}.bag_of_words",
        fetcher=f"{_FETCH}.plain",
    ),
    Kind(
        "random",
        module=f"{_KINDS}.random",
        fetcher=f"{_FETCH}.plain",
    ),
    Kind(
        "custom",
        module=f"{_KINDS}.custom",
        fetcher=f"{_FETCH}.custom",
        gives=OWN,
        # its entry names more under `libraries`
        libraries=(*_NEURAL_LIBRARIES, "scikit-learn"),
        threads=4,
    ),
)

KINDS: Mapping[str, Kind] = {kind.name: kind for kind in _ALL}
# Kinds that retrievers of kind sparse search by
WEIGHING = tuple(kind.name for kind in _ALL if kind.weighs_terms)
# Kinds whose weights can be trained on
TRAINABLE = ("sentence-transformers", "transformers", SPLADE, TRAINED)


def _trained(made: Kind) -> Kind:
    """What an encoder is that a recipe made: one of its kind, whose read-out is part of its files."""
    return replace(made, name=TRAINED, fetcher="", has_files=False)


# Recipe of an entry of kind trained → what such an encoder is; others are of the kind trained itself
TRAINED_KINDS: Mapping[str, Kind] = {recipe: _trained(KINDS[kind]) for recipe, kind in MADE_BY.items()}
# Keys of entries that do not decide the vectors of a text, beside the manifest: they are in the manifest, …
FETCH_KEYS = frozenset(
    (
        *("kind", "source", "allow_pickle", "tokenizer_class"),
        *("url", "model", "dimension", "request_dimension", "max_features", "ngram_range", "stop_words"),
        *("class", "arguments", "pipeline", "custom", "files", "libraries"),
        *("recipe", "start", "data", "seed", "settings", "training", "training_pooling"),
    )
)
# … say how a service is reached, how long a call may take, and where vectors are computed, which changes no result, …
CONNECTION_KEYS = frozenset({"key_variable", "batch_texts", "timeout_seconds", "attempts"})
PLACE_KEYS = frozenset({"device", "allow_upload"})
# … choose among encoders that were made, stand for others or are written by the program, or are read by tables alone
DESCRIPTIVE_KEYS = frozenset({"title", "licence", "citation", "control"})
OTHER_KEYS = frozenset({"selection", "preset", "seeds", "seed_of", "cell"})
