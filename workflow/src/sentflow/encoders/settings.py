"""Settings of encoders, a model per kind."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

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
from sentflow.config.trainings import INNER_POOLINGS, Pooling, Trained
from sentflow.encoders.fetch.revisions import REQUIRED, revision_problems
from sentflow.encoders.kinds.service_keys import how_to_name, is_key_variable
from sentflow.encoders.kinds.table import MADE_BY
from sentflow.training.settings import Selection, Start, TrainingSettings

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
        description="cpu, cuda, cuda:1, mps, xpu, or a list of several of one kind; null is cuda if there is one, "
        "else cpu. A change runs nothing again."
    ),
]
MaxTokens = Annotated[
    Count | None,
    Field(description="Texts are cut after this many tokens; null is the model's own limit."),
]
BatchTokens = Annotated[
    Count,
    Field(description="Tokens of a batch, padding included; decides the last bits of the vectors."),
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
    Field(description="Read the tensors of pytorch_model.bin where there is no model.safetensors."),
]
Dimension = Annotated[
    Count,
    Field(description="Width of the vectors."),
]
RandomSeed = Annotated[
    Int,
    Field(
        ge=0,
        description="Of everything that is drawn; another seed gives another encoder.",
    ),
]
Seconds = Annotated[
    Number,
    Field(
        gt=0,
        description="Most seconds of an answer of a service, 60 if left out, or of a call of your own class.",
    ),
]
Arguments = Annotated[
    dict[str, Any],
    Field(description="Arguments of the class by name; of scikit-learn, numbers and words only."),
]
SklearnClass = Annotated[str, Field(pattern=r"^sklearn(\.[A-Za-z_][A-Za-z0-9_]*)+\z")]


class PromptNamesOfRoles(Settings):
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


class Roles(Settings):
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
            yield "", "nothing is told. Write queries, documents or both."


TermsKept = Annotated[
    Terms,
    Field(
        description="How many terms of a text are kept, the largest weights first; all of them (splade), or what the"
        " model's files say (sparse-embed), where a key is left out."
    ),
]


class Step(Settings):
    """A class of scikit-learn and its arguments."""

    class_: SklearnClass = Field(alias="class")
    """Dotted name of a class of scikit-learn."""
    arguments: Maybe[Arguments] = None


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
    """Where the files of a model come from; exactly one of hub, folder, package, archive and file."""

    hub: Maybe[OwnerAndName] = None
    """Owner and name of a model on the Hugging Face hub."""
    revision: Maybe[str] = None
    """Commit of a hub model, 40 hexadecimal digits; its page lists them under "Files and versions", "History".
    REQUIRED in the catalog means that none is known there, and that you must write one.
    """
    folder: Maybe[Text] = None
    """Folder with the model's files, relative to the working directory, or to the package if there is one."""
    file: Maybe[Text] = None
    """File of word vectors, relative to the working directory."""
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


class Described(Settings):
    """What tables and captions say of any encoder."""

    title: Maybe[Text] = None
    """Name in tables and captions; the name of the entry if left out."""
    licence: Maybe[Text] = None
    """Licence of the weights, as SPDX name where there is one."""
    citation: Maybe[Text] = None
    """Paper or page to cite."""
    control: bool = False
    """Whether it is only a reference for other scores."""


class WithFiles(Described):
    """An encoder with the files of a model."""

    source: Source

    def wrong(self) -> Iterator[tuple[str | Path, str]]:
        """A file of word vectors, which it does not read."""
        yield from super().wrong()
        if self.source.file is not None:
            yield "source", "a file is of word vectors. Write one of: archive, folder, hub, package."


class Reading(Settings):
    """How texts are read."""

    max_tokens: MaxTokens = None
    truncation: Literal["end", "start", "refuse"] = "end"
    """What is cut of a text that is too long: its end, or its start with the prompt; refuse is an error."""
    prompt: Prompt = None
    prompts: dict[str, str] = {}
    """Prompts by name, merged over those in the model's files."""
    prompt_names: PromptNames = PromptNames()
    """Which prompt is put before which texts, by role and task; null is none."""
    segment: Literal["vietnamese-words"] | None = None
    """How words are marked before the tokenizer reads a text, as PhoBERT needs it; null is not at all. A trained
    encoder has that of its start.
    """
    dtype: Literal["float32", "bfloat16-autocast", "bfloat16", "float16"] = "float32"
    """Of weights and activations; bfloat16-autocast keeps float32 weights. The vectors are float32 in any case."""
    device: Devices = None
    batch_tokens: BatchTokens = 2048
    batch_size: Count | None = None
    """Most texts of a batch, beside batch_tokens; null is no limit, but 64 for kinds splade and sparse-embed."""

    def wrong(self) -> Iterator[tuple[str | Path, str]]:
        """A prompt of all texts beside prompts by name."""
        yield from super().wrong()
        if self.prompt is not None and (self.prompts or self.prompt_names.model_fields_set):
            yield (
                "prompt",
                "is put before every text, whatever its role; prompts and prompt_names would never be used. Keep the "
                "one or the others.",
            )


class Vectors(Reading):
    """How vectors of texts are made."""

    truncate_dim: Count | None = None
    """Only so many first values of a vector are kept (Matryoshka); null is all."""
    normalise: Normalise = False
    backend: Literal["torch", "onnx", "onnx-int8", "openvino"] = "torch"
    """What computes the transformer. All but torch need an extra, export the weights, and run on the processor."""

    def wrong(self) -> Iterator[tuple[str | Path, str]]:
        """What the other backends cannot do."""
        yield from super().wrong()
        yield from wrong_backend(self.backend, self.dtype, getattr(self, "pooling", None))


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


class Neural(WithFiles, Vectors):
    """A neural model with all of its modules, or a plain one, of which only the transformer is read."""

    kind: Literal["sentence-transformers", "transformers"]
    allow_pickle: AllowPickle = False
    tokenizer_class: Maybe[str] = None
    """Class of transformers that reads the tokenizer's files, where these name another or none, e.g. AlbertTokenizer.
    """
    pooling: Pooling = None


class TrainedEncoder(Described, Vectors, Trained):
    """One that a recipe makes of another here."""

    kind: Literal["trained"]
    preset: Maybe[Text] = None
    """Published settings of catalog/presets.yaml, over which the keys of the entry are laid."""
    recipe: Text
    """How it is trained, see docs/training.md."""
    training: TrainingSettings
    start: str | Start
    """The encoder that is trained on; or like and configuration for random weights, and perhaps tokenizer."""
    data: Text
    """What it is trained on, an entry of training_data."""
    seed: Maybe[RandomSeed] = None
    seeds: Maybe[Distinct[Annotated[Int, Field(ge=0)]]] = Field(None, min_length=1)
    """Several seeds are several encoders, with -seed-1 and so on behind the name."""
    selection: Maybe[Selection] = None
    seed_of: Maybe[str] = None
    """The entry with several seeds that it was made of; written by the program."""
    cell: Maybe[dict[str, Any]] = None
    """Its place in a sweep; written by the program."""
    terms: Maybe[TermsKept] = None

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


class CrossEncoder(WithFiles):
    """Compares two texts, for retrievers of kind rerank."""

    kind: Literal["cross-encoder"]
    allow_pickle: AllowPickle = False
    max_tokens: MaxTokens = None
    batch_tokens: BatchTokens = 2048
    device: Devices = None


class Splade(WithFiles, Reading):
    """Weighs the terms of its vocabulary, for retrievers of kind sparse."""

    kind: Literal["splade"]
    allow_pickle: AllowPickle = False
    pooling: Literal["max", "sum"] | None = None
    """How weights of terms are put together over the tokens of a text; null is what the files say, and max where they
    name nothing.
    """
    terms: Maybe[TermsKept] = None


class SparseEmbed(WithFiles, Reading):
    """Weighs the terms of its vocabulary and gives each a vector, too, for retrievers of kind sparse."""

    kind: Literal["sparse-embed"]
    terms: Maybe[TermsKept] = None


class Model2vec(WithFiles):
    """Averages vectors of tokens."""

    kind: Literal["model2vec"]
    max_tokens: MaxTokens = None
    normalise: Normalise = False


class WordVectors(Described):
    """Averages vectors of words."""

    kind: Literal["word-vectors"]
    source: Source
    tokens: Literal["words", "hyphenated-words", "words-and-signs", "whitespace"] = "words"
    """What a word is: hyphenated-words keep hyphens, and of words-and-signs each punctuation mark is one."""
    lower_case: bool = True
    """Whether words are looked up in lower case."""
    normalise: Normalise = False

    def wrong(self) -> Iterator[tuple[str, str]]:
        """Whether it comes from a file or an archive."""
        if self.source.file is None and self.source.archive is None:
            yield "source", "word vectors are in one file. Write file or archive."


class Service(Described):
    """A service behind an address."""

    kind: Literal["api"]
    url: Annotated[str, BeforeValidator(_plain_address)]
    """Address that takes requests in the OpenAI format; neither user, password nor query."""
    model: Text
    """The model's name at the service."""
    dimension: Dimension
    request_dimension: bool = False
    """Whether requests name the dimension."""
    prompt: Prompt = None
    normalise: Normalise = False
    key_variable: Annotated[str | None, BeforeValidator(_key_variable)] = None
    """Name of the environment variable with the key, SENTFLOW_KEY_…; SENTFLOW_HOST_… beside it names the host."""
    allow_upload: bool = False
    """Whether texts of files outside the folder of the configuration may be sent, too."""
    batch_texts: Count = 64
    """Most texts of a request."""
    timeout_seconds: Maybe[Seconds] = None
    attempts: Count = 6
    """Tries of a request to a service."""


class Tfidf(Described):
    """TF-IDF, fitted on the training part of each fold."""

    kind: Literal["tfidf"]
    max_features: Count
    """So many of the most frequent n-grams of the training texts are kept."""
    ngram_range: Pair[Count]
    """Shortest and longest n-gram, in words."""
    stop_words: Literal["portuguese", "none"] = "none"
    """Words that are left out before n-grams are formed."""


class ScikitLearn(Described):
    """A class of scikit-learn, or several, fitted on the training part of each fold."""

    kind: Literal["scikit-learn"]
    class_: Maybe[SklearnClass] = Field(None, alias="class")
    """Dotted name of a class of scikit-learn that turns texts into rows of numbers."""
    arguments: Maybe[Arguments] = None
    pipeline: Maybe[Several[Step]] = Field(None, min_length=1)
    """Steps with class and arguments; the first reads texts."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        """Whether it is one class or several."""
        if (self.class_ is None) == (self.pipeline is None):
            yield "", "write class, or pipeline with several."


class BagOfWords(Described):
    """Counts of words, as a control."""

    kind: Literal["bag-of-words"]
    dimension: Dimension


class Random(Described):
    """Random vectors, as a control."""

    kind: Literal["random"]
    dimension: Dimension
    seed: RandomSeed


class Custom(Described):
    """A class of your own."""

    kind: Literal["custom"]
    custom: str = Field(pattern=r"^.+\.py:[A-Za-z_][A-Za-z0-9_]*\z")
    """path/to/file.py:ClassName, relative to the folder in which you run. It is run with your rights."""
    arguments: Maybe[Arguments] = None
    files: Names = ()
    """Further files that the class reads; an edit runs the model again."""
    libraries: Names = ()
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
    | Service
    | Tfidf
    | ScikitLearn
    | BagOfWords
    | Random
    | Custom,
    Field(discriminator="kind"),
]
"""An encoder, where it comes from and how it is used."""
