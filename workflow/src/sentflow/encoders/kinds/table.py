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
_FOLDERS = ("archive", "folder", "hub", "package")


@dataclass(frozen=True)
class Kind:
    """A kind of encoder.

    Attributes
    ----------
    name
        As entries write it.
    module
        Computes: what `sentflow.encoders.kinds.contract` asks of it.
    fetcher
        Module that makes the manifest, see `sentflow.encoders.fetch`; empty where rules of its own make it.
    fetch_keys
        Of an entry: decide what the manifest says. A change of any other key fetches nothing again.
    gives
        `DENSE`, `FITTED`, `PAIRS`, `SPARSE`, `TERM_VECTORS` or `OWN`.
    encode_keys
        Decide what the vectors are, beside the manifest.
    connection_keys, limit_keys, place_keys
        Say how a service is reached, what a user's class may take, and where vectors are computed. A change of these
        runs nothing again.
    choice_keys
        Say which of several encoders that were made it is, and are read when all of them are there.
    short_keys
        Stand for others, and are gone once an entry is written out.
    own_descriptive_keys
        That only tables and captions read, beside `DESCRIPTIVE_KEYS`.
    optional_keys
        Fetch keys that an entry may leave out.
    sources
        Where its files may come from; none for kinds without files.
    libraries
        Distributions whose versions can change a vector.
    backend_libraries
        Further distributions, by what computes a transformer (key ``backend``).
    threads
        That it has use for.
    has_tokenizer
        Whether `sentflow.encoders.kinds.neural.tokenizer` can say where its tokens are.
    """

    name: str
    module: str
    fetcher: str
    fetch_keys: tuple[str, ...]
    gives: str = DENSE
    encode_keys: tuple[str, ...] = ()
    connection_keys: tuple[str, ...] = ()
    limit_keys: tuple[str, ...] = ()
    place_keys: tuple[str, ...] = ()
    choice_keys: tuple[str, ...] = ()
    short_keys: tuple[str, ...] = ()
    own_descriptive_keys: tuple[str, ...] = ()
    optional_keys: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ("numpy",)
    backend_libraries: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    threads: int = 1
    has_tokenizer: bool = False

    @property
    def weighs_terms(self) -> bool:
        """Whether it gives weights of terms, with vectors of them or without."""
        return self.gives in (SPARSE, TERM_VECTORS)

    @property
    def keys(self) -> tuple[str, ...]:
        """Every key but those that only tables and captions read."""
        elsewhere = (*self.connection_keys, *self.limit_keys, *self.place_keys, *self.choice_keys)
        elsewhere = (*elsewhere, *self.short_keys, *self.own_descriptive_keys)
        return (*self.fetch_keys, *self.encode_keys, *elsewhere)

    def vector_libraries(self, settings: Mapping[str, object]) -> tuple[str, ...]:
        """`libraries` and those of the backend and of the words that an entry, or its encode settings, names."""
        segmenter = SEGMENTERS.get(str(settings.get("segment")))
        return (
            *self.libraries,
            *self.backend_libraries.get(str(settings.get("backend")), ()),
            *([segmenter] if segmenter else []),
        )


_NEURAL_LIBRARIES = ("numpy", "sentence-transformers", "tokenizers", "torch", "transformers")
_NEURAL_KEYS = (
    *("max_tokens", "truncation", "truncate_dim", "normalise", "pooling", "prompt", "prompts"),
    *("prompt_names", "dtype", "backend", "batch_tokens", "batch_size", "segment"),
)
# How texts are read, of encoders that weigh terms
_TERM_KEYS = (
    *("max_tokens", "truncation", TERMS, "prompt", "prompts", "prompt_names"),
    *("dtype", "batch_tokens", "batch_size", "segment"),
)
_BACKENDS = {
    "torch": (),
    "onnx": ("onnx", "onnxruntime", "onnxscript"),
    "onnx-int8": ("onnx", "onnxruntime", "onnxscript"),
    "openvino": ("onnx", "onnxscript", "openvino"),
}


# Of entries of kind trained: how an encoder is made, what stands for others, and what the program writes
_TRAINING = ("kind", "recipe", "start", "data", "seed", "settings", "training")
_TRAINING_SHORT = ("preset", "seeds")
_TRAINING_WRITTEN = ("seed_of", "cell")


def _neural(name: str) -> Kind:
    """The same encoder for folders of sentence-transformers and of transformers."""
    return Kind(
        name,
        module=f"{_KINDS}.neural.load",
        fetcher=f"{_FETCH}.neural",
        fetch_keys=("kind", "source", "allow_pickle", "tokenizer_class"),
        encode_keys=_NEURAL_KEYS,
        place_keys=("device",),
        sources=_FOLDERS,
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
        fetch_keys=(*_TRAINING, "training_pooling"),
        encode_keys=_NEURAL_KEYS,
        place_keys=("device",),
        choice_keys=("selection",),
        short_keys=_TRAINING_SHORT,
        own_descriptive_keys=_TRAINING_WRITTEN,
        optional_keys=("settings", "training_pooling"),
        libraries=_NEURAL_LIBRARIES,
        backend_libraries=_BACKENDS,
        threads=4,
        has_tokenizer=True,
    ),
    Kind(
        CROSS_ENCODER,
        module=f"{_KINDS}.neural.cross_encoder",
        fetcher=f"{_FETCH}.cross_encoder",
        fetch_keys=("kind", "source", "allow_pickle"),
        gives=PAIRS,
        encode_keys=("max_tokens", "batch_tokens"),
        place_keys=("device",),
        sources=_FOLDERS,
        libraries=_NEURAL_LIBRARIES,
        threads=4,
    ),
    Kind(
        SPLADE,
        module=f"{_KINDS}.neural.splade",
        fetcher=f"{_FETCH}.splade",
        fetch_keys=("kind", "source", "allow_pickle"),
        gives=SPARSE,
        encode_keys=("pooling", *_TERM_KEYS),
        place_keys=("device",),
        sources=_FOLDERS,
        libraries=(*_NEURAL_LIBRARIES, "scipy"),
        threads=4,
        has_tokenizer=True,
    ),
    Kind(
        SPARSE_EMBED,
        module=f"{_KINDS}.neural.sparse_embed",
        fetcher=f"{_FETCH}.sparse_embed",
        fetch_keys=("kind", "source"),
        gives=TERM_VECTORS,
        encode_keys=_TERM_KEYS,
        place_keys=("device",),
        sources=_FOLDERS,
        libraries=(*_NEURAL_LIBRARIES, "scipy"),
        threads=4,
        has_tokenizer=True,
    ),
    Kind(
        "model2vec",
        module=f"{_KINDS}.model2vec",
        fetcher=f"{_FETCH}.model2vec",
        fetch_keys=("kind", "source"),
        encode_keys=("max_tokens", "normalise"),
        sources=_FOLDERS,
        libraries=("numpy", "tokenizers"),
    ),
    Kind(
        "word-vectors",
        module=f"{_KINDS}.word_vectors",
        fetcher=f"{_FETCH}.word_vectors",
        fetch_keys=("kind", "source"),
        encode_keys=("tokens", "lower_case", "normalise"),
        sources=("archive", "file"),
    ),
    Kind(
        "api",
        module=f"{_KINDS}.api",
        fetcher=f"{_FETCH}.service",
        fetch_keys=("kind", "url", "model", "dimension", "request_dimension"),
        encode_keys=("prompt", "normalise"),
        connection_keys=("key_variable", "batch_texts", "timeout_seconds", "attempts"),
        place_keys=("allow_upload",),
        optional_keys=("request_dimension",),
        # A service computes elsewhere; asking again costs money, and NumPy does no more than divide by a length.
        libraries=(),
    ),
    Kind(
        "tfidf",
        module=f"{_KINDS}.tfidf",
        fetcher=f"{_FETCH}.plain",
        fetch_keys=("kind", "max_features", "ngram_range", "stop_words"),
        gives=FITTED,
        optional_keys=("stop_words",),
        libraries=("numpy", "scikit-learn"),
    ),
    Kind(
        "scikit-learn",
        module=f"{_KINDS}.scikit_learn",
        fetcher=f"{_FETCH}.scikit_learn",
        fetch_keys=("kind", "class", "arguments", "pipeline"),
        gives=FITTED,
        optional_keys=("class", "arguments", "pipeline"),
        libraries=("numpy", "scikit-learn"),
    ),
    Kind(
        "bag-of-words",
        module=f"{_KINDS}.bag_of_words",
        fetcher=f"{_FETCH}.plain",
        fetch_keys=("kind", "dimension"),
    ),
    Kind(
        "random",
        module=f"{_KINDS}.random",
        fetcher=f"{_FETCH}.plain",
        fetch_keys=("kind", "dimension", "seed"),
    ),
    Kind(
        "custom",
        module=f"{_KINDS}.custom",
        fetcher=f"{_FETCH}.custom",
        fetch_keys=("kind", "custom", "arguments", "files", "libraries"),
        gives=OWN,
        limit_keys=("timeout_seconds",),
        optional_keys=("arguments", "files", "libraries"),
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
    return replace(
        made,
        name=TRAINED,
        fetcher="",
        fetch_keys=_TRAINING,
        encode_keys=tuple(key for key in made.encode_keys if key != "pooling"),
        short_keys=_TRAINING_SHORT,
        own_descriptive_keys=_TRAINING_WRITTEN,
        optional_keys=("settings",),
        sources=(),
    )


# Recipe of an entry of kind trained → what such an encoder is; others are of the kind trained itself
TRAINED_KINDS: Mapping[str, Kind] = {recipe: _trained(KINDS[kind]) for recipe, kind in MADE_BY.items()}
# Keys that only tables and captions read
DESCRIPTIVE_KEYS = ("title", "licence", "citation", "control")
