"""Settings of encoders: of each kind the keys of an entry, those that decide vectors, and what the workflow must know.

The Snakefile reads this in every job: standard library and pydantic only. No digest of code holds it: what it says
reaches jobs as their params.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, TypeVar, get_args

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from sentflow.config.datasets import OwnerAndName
from sentflow.config.model import (
    Count,
    Distinct,
    Int,
    Maybe,
    Names,
    Number,
    Pair,
    Path,
    Settings,
    Several,
    Sha256,
    Text,
    fields_of,
)
from sentflow.config.trainings import INNER_POOLINGS, Pooling, Rounds, Trained
from sentflow.encoders.service_keys import how_to_name, is_key_variable
from sentflow.errors import instead
from sentflow.training.settings import Selection, Start, TrainingSettings

# What a text is to those who ask for its vector
TEXT, QUERY, DOCUMENT = "text", "query", "document"
# The first and the second texts of a task whose prompts tell them apart
SIDES = (QUERY, DOCUMENT)

# What an encoder gives
DENSE = "dense"  # vectors of texts, one array per dataset
FITTED = "fitted"  # learns from the training part of every fold, so that it has no array
PAIRS = "pairs"  # a number for two texts, and no vector of one
SPARSE = "sparse"  # weights of the terms of a vocabulary, few of them not 0
TERM_VECTORS = "term-vectors"  # the same, and a vector for each term that has a weight
OWN = "own"  # one or the other, or features of rows, as the user's class says

# Kinds that other parts of the program speak of by name
API, CUSTOM, RANDOM, TRAINED = "api", "custom", "random", "trained"
SPLADE, SPARSE_EMBED, CROSS_ENCODER = "splade", "sparse-embed", "cross-encoder"
# Recipe → the kind of encoder that it makes; others make one of dense vectors
MADE_BY: Mapping[str, str] = {"splade": SPLADE, "sparse-embed": SPARSE_EMBED, "cross-encoder": CROSS_ENCODER}


def made_by(recipe: str) -> str:
    """The kind of encoder that a recipe makes."""
    return MADE_BY.get(recipe, TRAINED)


TORCH, ONNX, ONNX_INT8, OPENVINO = "torch", "onnx", "onnx-int8", "openvino"
# Weights and sums in float32, factors and products of matrices in bfloat16: torch's autocast.
FLOAT32, BFLOAT16, BFLOAT16_AUTOCAST = "float32", "bfloat16", "bfloat16-autocast"

_NEURAL_LIBRARIES = ("numpy", "sentence-transformers", "tokenizers", "torch", "transformers")
# What computes a transformer → distributions that it needs
BACKEND_LIBRARIES: Mapping[str, tuple[str, ...]] = {
    TORCH: (),
    ONNX: ("onnx", "onnxruntime", "onnxscript"),
    ONNX_INT8: ("onnx", "onnxruntime", "onnxscript"),
    OPENVINO: ("onnx", "onnxscript", "openvino"),
}
# How words are marked in texts before an encoder reads them → the distribution whose version can change that
SEGMENTERS: Mapping[str, str] = {"vietnamese-words": "underthesea"}

_COMMIT = re.compile(r"[0-9a-f]{40}")
REQUIRED = "REQUIRED"  # of an entry of the catalog whose commit the user must choose
_Type = TypeVar("_Type")
_FETCHED: Final = object()
Fetched = Annotated[_Type, _FETCHED]
"""A field that decides the files of a model, or its manifest: the job `fetch_model` receives it."""


def revision_problems(where: str, source: Mapping[str, Any]) -> list[str]:
    """What is wrong with the revision of a source with ``hub``; a branch or a tag can move."""
    revision = source.get("revision")
    if isinstance(revision, str) and _COMMIT.fullmatch(revision):
        return []
    found = {None: "is missing", REQUIRED: "the catalog knows no commit of this model"}.get(
        revision, f"{revision!r} can point to other weights tomorrow"
    )
    return [
        f"{where}: {found}. Write the 40 hexadecimal digits of a commit of {source.get('hub')}: on its page in "
        "the hub open 'Files and versions', then 'History', and copy the hash of the commit that you mean."
    ]


_ADDRESS = re.compile(r"https?://([\w.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]+)?(/[^\s?#]*)?")
# HF_TOKEN, AWS_SECRET_ACCESS_KEY, OPENAI_API_KEY …: a name, and nothing that could be a key itself
_OTHER_SECRET = re.compile(r"[A-Z]+(_[A-Z]+)+")


def _of_one_kind(names: tuple[str, ...]) -> tuple[str, ...]:
    kinds = {name.partition(":")[0] for name in names}
    if len(names) > 1 and (len(kinds) > 1 or len({*names}) < len(names)):
        raise ValueError(
            "several devices are different ones of one kind, such as [cuda:0, cuda:1], for another kind gives other "
            "last bits. A processor is named once: its threads work together."
        )
    if len(names) > 1 and not all(":" in name for name in names):
        raise ValueError("several devices are named by number, such as [cuda:0, cuda:1].")
    return names


def _plain_address(url: Any) -> Any:
    """An address; what may hold a password is never repeated."""
    if not isinstance(url, str) or not _ADDRESS.fullmatch(url):
        raise ValueError(
            "write the http(s) address that takes the requests, e.g. https://api.example.org/v1/embeddings, without "
            "user, password, query or fragment. A key belongs into an environment variable, whose name is "
            "key_variable."
        )
    return url


def _key_variable(name: Any, info: ValidationInfo) -> Any:
    """The name of a variable; what may be a key is never repeated."""
    if name is None or is_key_variable(name):
        return name
    if isinstance(name, str) and _OTHER_SECRET.fullmatch(name):
        raise ValueError(f"{name} is not sent: {how_to_name(info.data.get('url'))}")
    raise ValueError(
        "write the name of an environment variable, SENTFLOW_KEY_NAME with capital letters, digits and _, not the key "
        "itself. If a key stood here, it is in a file now: revoke it."
    )


Device = Annotated[
    str,
    Field(pattern=r"^(cpu|mps|(cuda|xpu)(:[0-9]+)?)\z", description="Name of a device, as torch writes it."),
]
Devices = Annotated[
    Device | Annotated[Several[Device], Field(min_length=1), AfterValidator(_of_one_kind)] | None,
    Field(
        description="cpu, cuda, cuda:1, mps, xpu, or a list of one kind; null is cuda if available, else cpu."
    ),
]
MaxTokens = Annotated[
    Count | None,
    Field(description="Most tokens of a text, longer texts are truncated; null is the model's own limit."),
]
BatchTokens = Annotated[
    Count,
    Field(description="Tokens of a batch, including padding; affects the last bits of the vectors."),
]
Prompt = Annotated[
    str | None,
    Field(description='Put before every text; null is the default prompt of the model, "" is none.'),
]
Normalise = Annotated[
    bool,
    Field(description="Scale vectors to length 1, after all modules and truncate_dim."),
]
AllowPickle = Annotated[
    bool,
    Field(description="Read the tensors of pytorch_model.bin if there is no model.safetensors."),
]
Dimension = Annotated[
    Count,
    Field(description="Width of the vectors."),
]
RandomSeed = Annotated[
    Int,
    Field(
        ge=0,
        description="Random seed; another seed gives another encoder.",
    ),
]
Seconds = Annotated[
    Number,
    Field(
        gt=0,
        description="Seconds for an answer of a service (60 if left out) or a call of your own class.",
    ),
]
Arguments = Annotated[
    dict[str, Any],
    Field(description="Arguments of the class by name; of scikit-learn, numbers and words only."),
]
SklearnClass = Annotated[str, Field(pattern=r"^sklearn(\.[A-Za-z_][A-Za-z0-9_]*)+\z")]


class _ByRole(Settings):
    """Role → name of a prompt; null is none."""

    def as_dict(self) -> dict[str, Any]:
        """The roles that are written: null is no prompt, and what is left out says nothing."""
        return {
            role: getattr(self, role) for role in type(self).model_fields if role in self.model_fields_set
        }


class PromptNamesOfRoles(_ByRole):
    """Role → name of a prompt; null is none."""

    text: str | None = None
    """Of all texts of the task."""
    query: str | None = None
    """Of the first texts of pairs, and of questions."""
    document: str | None = None
    """Of the second texts of pairs, and of alternatives."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        """Neither all texts nor both sides."""
        if self.model_fields_set not in ({"text"}, {"query", "document"}):
            yield (
                "",
                f"has {', '.join(sorted(self.model_fields_set)) or 'nothing'}. Write {{text: NAME}} for all texts of "
                "the task, or {query: NAME, document: NAME} for its first and its second texts.",
            )


class Roles(_ByRole):
    """The prompt of all texts."""

    text: str | None = None
    """Of texts that are probed."""


class PromptNames(Settings):
    """Which prompt is used for which texts, by name; null is none. A task takes precedence over a role."""

    roles: Maybe[Roles] = None
    """The prompt of all texts, under text; null is none."""
    tasks: Maybe[dict[str, str | PromptNamesOfRoles | None]] = None
    """Task → name of its prompt; or text → name; or query and document → names, for its first and its second texts.
    The task's texts are then embedded separately.
    """


class Terms(Settings):
    """How many terms of a text are kept, those of the largest weights."""

    queries: Maybe[Count] = None
    """Of a question at most."""
    documents: Maybe[Count] = None
    """Of a document or passage at most."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        """Whether any number is told."""
        if not self.model_fields_set:
            yield "", "it is empty. Write queries, documents or both."


TermsKept = Annotated[
    Terms,
    Field(
        description="Most terms of a text; all (splade) or as in the model's files (sparse-embed) if left out."
    ),
]


_TEXTS = "strip_accents lowercase stop_words token_pattern ngram_range analyzer binary"
_COUNTS = f"{_TEXTS} max_df min_df max_features vocabulary"
_REDUCER = "sklearn.decomposition.TruncatedSVD"
# Class of scikit-learn → the arguments that it may be given. Closed, for an argument can be a wish to read the files
# that texts name (`input`), or code; `dtype` changes no vector here.
_CLASSES = {
    "sklearn.feature_extraction.text.CountVectorizer": _COUNTS,
    "sklearn.feature_extraction.text.HashingVectorizer": f"{_TEXTS} n_features norm alternate_sign",
    "sklearn.feature_extraction.text.TfidfVectorizer": f"{_COUNTS} norm use_idf smooth_idf sublinear_tf",
    _REDUCER: "n_components algorithm n_iter n_oversamples power_iteration_normalizer tol random_state",
}


class Step(Settings):
    """A class of scikit-learn and its arguments."""

    class_: SklearnClass = Field(alias="class")
    """Dotted name of a class of scikit-learn."""
    arguments: Maybe[Arguments] = None

    def wrong(self) -> Iterator[tuple[str | Path, str]]:
        """What is not on the list, and chance without a seed."""
        yield from _wrong_step(self.class_, self.arguments or {})


def _wrong_step(name: str, arguments: Mapping[str, Any]) -> Iterator[tuple[str | Path, str]]:
    if name not in _CLASSES:
        yield (
            "class",
            f"{name!r} is no class that an entry may name. {instead(name, _CLASSES)} Any other class may be called by "
            "a custom class of your own (docs/own-encoder.md).",
        )
        return
    if name == _REDUCER and arguments.get("random_state") is None:
        yield (
            "",
            f"{name} draws random numbers, and equal runs must give equal numbers. Write a seed into its arguments, "
            "e.g. random_state: 1.",
        )
    known = _CLASSES[name].split()
    for key, value in arguments.items():
        items = value if isinstance(value, list) else [value]
        if key not in known:
            yield (
                ("arguments", key),
                "this argument is not on the list of an entry. Leave it out if it changes no vector (dtype); arguments "
                f"that read files or name code are refused. Write only: {', '.join(sorted(known))}.",
            )
        elif not all(isinstance(item, bool | int | float | str | None) for item in items):
            yield ("arguments", key), "write a number, a word, true, false, null, or a list of such."


class Archive(Settings):
    """A zip or tar of the model's folder, or of one file of word vectors."""

    urls: Several[Text] = Field(min_length=1)
    """Addresses in the order to try; mirrors are tried before them."""
    sha256: Sha256
    bytes: Maybe[Count] = None
    """Size of the file."""


# Origin → the keys that go with it, and those that it needs
_ORIGINS = {
    "hub": (("revision", "sha256"), ()),
    "package": (("module", "folder", "sha256"), ("module", "folder", "sha256")),
    "archive": ((), ()),
    "file": (("sha256",), ()),
    "folder": (("sha256",), ()),
}


class Source(Settings):
    """Origin of the files: exactly one of hub, folder, package, archive and file."""

    hub: Maybe[OwnerAndName] = None
    """Owner and name of a model on the Hugging Face hub."""
    revision: Maybe[str] = None
    """Commit of a hub model, 40 hexadecimal digits; its page lists them under "Files and versions", "History".
    REQUIRED in the catalog means that none is known there, and that you must write one.
    """
    folder: Maybe[Text] = None
    """Folder with the model's files, beside the configuration file or in the working folder; of a package, in the
    package.
    """
    file: Maybe[Text] = None
    """File of word vectors, beside the configuration file or in the working folder."""
    package: Maybe[Text] = None
    """Installed Python package that holds the model's files, as pip names it."""
    module: Maybe[str] = Field(None, pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*\z")
    """The package's module, as import names it."""
    sha256: Maybe[dict[str, Sha256]] = Field(None, min_length=1)
    """File in the model's folder → SHA-256 that it must have."""
    archive: Maybe[Archive] = None
    """A zip or tar of the model's folder, or of one file of word vectors."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        """Whether there is one origin, whole and with nothing of another."""
        given = self.model_fields_set
        origin = next((name for name in _ORIGINS if name in given), None)
        if origin is None:
            yield "", f"says where the model comes from. Write one of: {', '.join(sorted(_ORIGINS))}."
            return
        known, needed = _ORIGINS[origin]
        for key in sorted(given - {origin, *known}):
            yield key, f"a source has one origin, here {origin}. Write only: {', '.join((origin, *known))}."
        for key in needed:
            if key not in given:
                yield "", f"{key!r} is missing, which the origin {origin} needs."
        if self.hub and self.revision != REQUIRED:
            for problem in revision_problems("", {"hub": self.hub, "revision": self.revision}):
                yield "revision", problem.removeprefix(": ")


class NoSettings(Settings):
    """Of kinds whose vectors depend on the manifest alone."""


class Described(Settings):
    """What tables and captions say of any encoder; and what the workflow must know of its kind."""

    encoding: ClassVar[type[Settings]] = NoSettings
    """The keys that decide the vectors of a text, beside the manifest."""
    output: ClassVar[str] = DENSE
    distributions: ClassVar[tuple[str, ...]] = ("numpy",)
    """Those whose versions can change a vector."""
    threads: ClassVar[int] = 1
    """That it has use for."""
    has_tokenizer: ClassVar[bool] = False
    """Whether `sentflow.encoders.neural.tokenizer` can say where its tokens are."""
    one_file: ClassVar[bool] = False
    """Whether its source is one file of word vectors, and no folder of a model."""
    file: ClassVar[str] = ""
    """Below ``kinds/``; empty is the name of the kind."""
    described_by: ClassVar[str] = ""
    """Function, as ``module:name``, that says what a manifest holds; empty where the entry does."""

    title: Maybe[Text] = None
    """Name in tables and captions; the entry's name if left out."""
    licence: Maybe[Text] = None
    """Licence of the weights, as SPDX name where there is one."""
    citation: Maybe[Text] = None
    """Paper or page to cite."""
    control: bool = False
    """Whether it is a control, a reference for other scores."""

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The kinds that entries of this class have."""
        return get_args(cls.model_fields["kind"].annotation)

    @classmethod
    def module(cls) -> str:
        """Where its code is."""
        return f"sentflow.encoders.kinds.{cls.file or cls.names()[0].replace('-', '_')}"

    @classmethod
    def vector_libraries(cls, settings: Mapping[str, object]) -> tuple[str, ...]:
        """`distributions`, and those of the backend and of the words that an entry or its settings name."""
        segmenter = SEGMENTERS.get(str(settings.get("segment")))
        backend = BACKEND_LIBRARIES.get(str(settings.get("backend")), ())
        return (*cls.distributions, *backend, *([segmenter] if segmenter else []))


class WithFiles(Described):
    """An encoder with the files of a model."""

    source: Fetched[Source]

    def wrong(self) -> Iterator[tuple[str | Path, str]]:
        """A file of word vectors, which it does not read."""
        yield from super().wrong()
        if self.source.file is not None:
            yield "source", "a file is of word vectors. Write one of: archive, folder, hub, package."


class OnDevice(WithFiles):
    """A neural model."""

    distributions: ClassVar[tuple[str, ...]] = _NEURAL_LIBRARIES
    threads = 4
    device: Devices = None


class TextSettings(Settings):
    """How texts are read."""

    max_tokens: MaxTokens = None
    truncation: Literal["end", "start", "refuse"] = "end"
    """Which part of a long text is truncated: its end, or its start with the prompt; refuse is an error."""
    prompt: Prompt = None
    prompts: dict[str, str] = {}
    """Prompts by name, merged over those in the model's files."""
    prompt_names: PromptNames = PromptNames()
    """Prompt of texts by role and task; null is none."""
    segment: Literal["vietnamese-words"] | None = None
    """Word segmentation before the tokenizer, as PhoBERT needs it. A trained encoder has that of its start."""
    dtype: Literal["float32", "bfloat16-autocast", "bfloat16", "float16"] = "float32"
    """Type of weights and activations; bfloat16-autocast keeps float32 weights. Vectors are always float32."""
    batch_tokens: BatchTokens = 2048
    batch_size: Count | None = None
    """Most texts of a batch, besides batch_tokens; null is no limit."""

    def wrong(self) -> Iterator[tuple[str | Path, str]]:
        """A prompt of all texts beside prompts by name."""
        yield from super().wrong()
        if self.prompt is not None and (self.prompts or self.prompt_names.model_fields_set):
            yield (
                "prompt",
                "is put before every text, whatever its role; prompts and prompt_names would never be used. Keep the "
                "one or the others.",
            )


class VectorSettings(TextSettings):
    """How vectors of texts are made."""

    truncate_dim: Count | None = None
    """Number of first values of a vector to keep (Matryoshka); null is all."""
    normalise: Normalise = False
    backend: Literal["torch", "onnx", "onnx-int8", "openvino"] = "torch"
    """Library that computes the transformer. All but torch need an extra and run on the processor."""
    pooling: Pooling = None

    def wrong(self) -> Iterator[tuple[str | Path, str]]:
        """What the other backends cannot do."""
        yield from super().wrong()
        yield from wrong_backend(self.backend, self.dtype, self.pooling)


class TermSettings(TextSettings):
    """How terms of texts are weighed."""

    # whose weights are dense for a moment: 64 × 30,522 of them take 8 MB
    batch_size: Count | None = 64
    terms: Maybe[TermsKept] = None

    def most_terms(self, role: str) -> int | None:
        """Terms that are kept of a text of a role; None where the entry does not say."""
        return getattr(self.terms, TERMS_OF[role], None) if role in TERMS_OF else None


# Role of texts → the name in the map of how many of their terms are kept
TERMS_OF: Mapping[str, str] = {QUERY: "queries", DOCUMENT: "documents"}


def wrong_backend(backend: str, dtype: str, pooling: str | None) -> Iterator[tuple[str, str]]:
    """What other backends than torch cannot do: a key, and a sentence."""
    if backend != "torch" and dtype != "float32":
        yield (
            "dtype",
            f"the backend {backend} computes in float32 here. Leave dtype out, or write backend: torch.",
        )
    if backend != "torch" and pooling in INNER_POOLINGS:
        yield (
            "pooling",
            f"{pooling} reads inner layers, which the backend {backend} does not give. Write backend: torch, or a "
            "pooling of the last layer.",
        )


class Neural(OnDevice, VectorSettings):
    """A neural model with all of its modules, or a plain one, of which only the transformer is read."""

    encoding = VectorSettings
    described_by = "sentflow.encoders.neural.describe:describe_vectors"
    has_tokenizer = True
    kind: Literal["sentence-transformers", "transformers"]
    allow_pickle: Fetched[AllowPickle] = False
    tokenizer_class: Fetched[Maybe[str]] = None
    """Class of transformers for the tokenizer, if its files name another or none, e.g. AlbertTokenizer."""


class TrainedEncoder(Described, VectorSettings, Trained):
    """One that a recipe makes of another here."""

    encoding = VectorSettings
    described_by = Neural.described_by
    distributions = _NEURAL_LIBRARIES
    threads = 4
    has_tokenizer = True
    file = "sentence_transformers"
    kind: Literal["trained"]
    preset: Maybe[Text] = None
    """Published settings of catalog/presets.yaml; keys of the entry override them."""
    recipe: Text
    """Training recipe (docs/training.md)."""
    training: TrainingSettings
    start: str | Start
    """Encoder to start from; or like and configuration (and perhaps tokenizer) for random weights."""
    data: Text
    """Training data, an entry of training_data."""
    seed: Maybe[RandomSeed] = None
    seeds: Maybe[Distinct[Annotated[Int, Field(ge=0)]]] = Field(None, min_length=1)
    """Several random seeds: one encoder each, named NAME-seed-1 and so on."""
    selection: Maybe[Selection] = None
    rounds: Maybe[Rounds] = None
    called: Maybe[Text] = None
    """What {name} stands for in rounds; the name of the entry if left out."""
    round_of: Maybe[str] = None
    """Entry with rounds from which it was made; written by the program."""
    seed_of: Maybe[str] = None
    """Entry with several seeds from which it was made; written by the program."""
    cell: Maybe[dict[str, Any]] = None
    """Its place in a sweep; written by the program."""
    terms: Maybe[TermsKept] = None
    device: Devices = None

    def wrong(self) -> Iterator[tuple[str | Path, str]]:
        """No seed, and keys that what its recipe makes does not have."""
        yield from super().wrong()
        if self.seed is None and self.seeds is None:
            yield "", "'seed' is missing. Write it, or seeds with a list."
        made = _MADE.get(self.recipe)
        known = {*fields_of(TrainedEncoder)} - {"terms"}
        if made:
            known -= {*fields_of(Neural), "selection", "training_pooling"} - {*fields_of(Described), "kind"}
            known |= {*fields_of(made)} - {"source", "allow_pickle", "pooling"}
        for key in sorted(self.model_fields_set - known):
            kind = f"of kind {MADE_BY[self.recipe]}" if made else "of dense vectors"
            yield (
                key,
                f"the recipe {self.recipe} makes an encoder {kind}, which has no such key. Write one of: "
                f"{', '.join(sorted(known))}.",
            )


class PairSettings(Settings):
    """How pairs of texts are read."""

    max_tokens: MaxTokens = None
    batch_tokens: BatchTokens = 2048


class CrossEncoder(OnDevice, PairSettings):
    """Compares two texts, for retrievers of kind rerank."""

    encoding = PairSettings
    described_by = "sentflow.encoders.neural.describe:describe_pairs"
    output = PAIRS
    kind: Literal["cross-encoder"]
    allow_pickle: Fetched[AllowPickle] = False


class SpladeSettings(TermSettings):
    """How SPLADE weighs terms."""

    pooling: Literal["max", "sum"] | None = None
    """How weights of terms are combined over the tokens of a text; null is as in the files, or max."""


class Splade(OnDevice, SpladeSettings):
    """Weighs the terms of its vocabulary, for retrievers of kind sparse."""

    encoding = SpladeSettings
    described_by = "sentflow.encoders.neural.describe:describe_terms"
    output = SPARSE
    distributions = (*_NEURAL_LIBRARIES, "scipy")
    has_tokenizer = True
    kind: Literal["splade"]
    allow_pickle: Fetched[AllowPickle] = False


class SparseEmbed(OnDevice, TermSettings):
    """Weighs the terms of its vocabulary and gives each a vector, too, for retrievers of kind sparse."""

    encoding = TermSettings
    described_by = "sentflow.encoders.neural.describe:describe_term_vectors"
    output = TERM_VECTORS
    distributions = (*_NEURAL_LIBRARIES, "scipy")
    has_tokenizer = True
    kind: Literal["sparse-embed"]


class Model2vecSettings(Settings):
    """How texts are read."""

    max_tokens: MaxTokens = None
    normalise: Normalise = False


class Model2vec(WithFiles, Model2vecSettings):
    """Averages vectors of tokens."""

    encoding = Model2vecSettings
    described_by = "sentflow.encoders.kinds.model2vec:describe"
    distributions = ("numpy", "tokenizers")
    kind: Literal["model2vec"]


class WordVectorSettings(Settings):
    """How texts are cut into words."""

    tokens: Literal["words", "hyphenated-words", "words-and-signs", "whitespace"] = "words"
    """Unit of the vocabulary (docs/models.md)."""
    lower_case: bool = True
    """Look up words in lower case."""
    normalise: Normalise = False


class WordVectors(Described, WordVectorSettings):
    """Averages vectors of words."""

    encoding = WordVectorSettings
    described_by = "sentflow.encoders.kinds.word_vectors:describe"
    one_file = True
    kind: Literal["word-vectors"]
    source: Fetched[Source]

    def wrong(self) -> Iterator[tuple[str, str]]:
        """Whether it comes from a file or an archive."""
        if self.source.file is None and self.source.archive is None:
            yield "source", "word vectors are in one file. Write file or archive."


class PowerMeansSettings(WordVectorSettings):
    """How texts are cut into words, and what is made of these."""

    means: Distinct[Literal["min", "mean", "cubic", "max"]] = Field(("min", "mean", "max"), min_length=1)
    """Power means of each value over the words of a text, side by side; cubic has the power 3."""


class PowerMeans(WordVectors, PowerMeansSettings):
    """Power means of vectors of words."""

    encoding = PowerMeansSettings
    described_by = "sentflow.encoders.kinds.power_means:describe"
    kind: Literal["power-means"]  # type: ignore[assignment]


class ServiceSettings(Settings):
    """What is done to texts before, and to vectors after, a service is asked."""

    prompt: Prompt = None
    normalise: Normalise = False


class Connection(Settings):
    """How a service is reached; none of this changes what it answers."""

    # validated before the other: its message names the address
    url: Maybe[Any] = None
    key_variable: Annotated[str | None, BeforeValidator(_key_variable)] = None
    """Name of the environment variable with the key, SENTFLOW_KEY_…; SENTFLOW_HOST_… beside it names the host."""
    batch_texts: Count = 64
    """Most texts of a request."""
    timeout_seconds: Maybe[Seconds] = None
    attempts: Count = 6
    """Tries of a request to a service."""


class Service(Described, ServiceSettings, Connection):
    """A service behind an address."""

    encoding = ServiceSettings
    described_by = "sentflow.encoders.kinds.api:describe"
    # It computes elsewhere; asking again costs money, and NumPy does no more than divide by a length
    distributions = ()
    kind: Literal["api"]
    url: Fetched[Annotated[str, BeforeValidator(_plain_address)]]
    """Address for requests in the OpenAI format, without user, password or query."""
    model: Fetched[Text]
    """The model's name at the service."""
    dimension: Fetched[Dimension]
    request_dimension: Fetched[bool] = False
    """Whether requests name the dimension."""
    allow_upload: bool = False
    """Whether texts of files outside the folder of the configuration may be sent, too."""


class Tfidf(Described):
    """TF-IDF, fitted on the training part of each fold."""

    output = FITTED
    distributions = ("numpy", "scipy")
    kind: Literal["tfidf"]
    max_features: Fetched[Count]
    """Number of most frequent n-grams of the training texts to keep."""
    ngram_range: Fetched[Pair[Count]]
    """Shortest and longest n-gram, in words."""
    stop_words: Fetched[Literal["portuguese", "none"]] = "none"
    """Words that are removed before n-grams are formed."""


class ScikitLearn(Described):
    """A class of scikit-learn, or several, fitted on the training part of each fold."""

    described_by = "sentflow.encoders.kinds.scikit_learn:describe"
    output = FITTED
    distributions = ("numpy", "scikit-learn")
    kind: Literal["scikit-learn"]
    class_: Fetched[Maybe[SklearnClass]] = Field(None, alias="class")
    """Dotted name of a class of scikit-learn that vectorises texts."""
    arguments: Fetched[Maybe[Arguments]] = None
    pipeline: Fetched[Maybe[Several[Step]]] = Field(None, min_length=1)
    """Steps with class and arguments; the first reads texts."""

    def wrong(self) -> Iterator[tuple[str | Path, str]]:
        """Whether it is one class or several, of which the first alone reads texts."""
        if (self.class_ is None) == (self.pipeline is None):
            yield "", "write class, or pipeline with several."
            return
        if self.class_ is not None:
            yield from _wrong_step(self.class_, self.arguments or {})
        elif self.arguments is not None:
            yield "arguments", "these belong to a step of the pipeline. Write them there."
        names = [self.class_] if self.class_ else [step.class_ for step in self.pipeline or ()]
        where = "" if self.class_ else "pipeline"
        if names[0] == _REDUCER:
            yield (
                where,
                f"the first step, {_REDUCER}, does not read texts. Begin with a vectoriser, e.g. "
                "sklearn.feature_extraction.text.TfidfVectorizer.",
            )
        for name in names[1:]:
            if name != _REDUCER:
                yield (
                    where,
                    f"{name} reads texts, so it can only be the first step. Write it first, or leave it out.",
                )


class BagOfWords(Described):
    """Counts of words, as a control."""

    kind: Literal["bag-of-words"]
    dimension: Fetched[Dimension]


class Random(Described):
    """Random vectors, as a control."""

    kind: Literal["random"]
    dimension: Fetched[Dimension]
    seed: Fetched[RandomSeed]


class Custom(Described):
    """A class of your own."""

    described_by = "sentflow.encoders.kinds.custom:describe"
    output = OWN
    # its entry names more under `libraries`
    distributions = (*_NEURAL_LIBRARIES, "scikit-learn")
    threads = 4
    kind: Literal["custom"]
    custom: Fetched[str] = Field(pattern=r"^.+\.py:[A-Za-z_][A-Za-z0-9_]*\z")
    """path/to/file.py:ClassName, beside the configuration file or in the working folder; run with your rights."""
    arguments: Fetched[Maybe[Arguments]] = None
    files: Fetched[Names] = ()
    """Further files that the class reads."""
    libraries: Fetched[Names] = ()
    """Packages whose versions can change the vectors, as pip names them."""
    timeout_seconds: Maybe[Seconds] = None


_MADE: Mapping[str, type[Settings]] = {
    "cross-encoder": CrossEncoder,
    "splade": Splade,
    "sparse-embed": SparseEmbed,
}
"""Recipe → the model of what it makes, where that is no encoder of dense vectors."""
ModelName = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9][a-z0-9.-]*\z",
        description="Lower case with hyphens, for it is a folder of the results.",
    ),
]
Model = Annotated[
    Neural
    | TrainedEncoder
    | CrossEncoder
    | Splade
    | SparseEmbed
    | Model2vec
    | WordVectors
    | PowerMeans
    | Service
    | Tfidf
    | ScikitLearn
    | BagOfWords
    | Random
    | Custom,
    Field(discriminator="kind"),
]
"""An encoder, where it comes from and how it is used."""
_ALL: tuple[type[Described], ...] = get_args(get_args(Model)[0])
KINDS: Mapping[str, type[Described]] = {name: one for one in _ALL for name in one.names()}
"""Kind → the model of its entries."""
# Kinds that retrievers of kind sparse search by
WEIGHING = tuple(name for name, one in KINDS.items() if one.output in (SPARSE, TERM_VECTORS))
# Kinds whose weights can be trained on
TRAINABLE = ("sentence-transformers", "transformers", SPLADE, TRAINED)
DESCRIPTIVE_KEYS = frozenset(Described.model_fields)


def fetched_keys(kind: type[Described]) -> list[str]:
    """The keys of an entry that the job `fetch_model` receives."""
    return ["kind", *(key for key, field in fields_of(kind).items() if _FETCHED in field.metadata)]
