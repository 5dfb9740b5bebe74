"""Settings of encoders, a model per kind."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from sentflow.config.datasets import OwnerAndName
from sentflow.config.model import (
    Count,
    Distinct,
    Int,
    Maybe,
    Names,
    Number,
    Pair,
    Settings,
    Several,
    Sha256,
    Text,
)
from sentflow.config.trainings import Pooling, Trained
from sentflow.training.settings import Selection, Start, TrainingOptions

Device = Annotated[
    str,
    Field(pattern=r"^(cpu|mps|(cuda|xpu)(:[0-9]+)?)\z", description="Name of a device, as torch writes it."),
]
SklearnClass = Annotated[str, Field(pattern=r"^sklearn(\.[A-Za-z_][A-Za-z0-9_]*)+\z")]
PromptName = str | None


class PromptNamesOfRoles(Settings):
    """Role → name of a prompt; null is none."""

    text: str | None = None
    """Of all texts of the task."""
    query: str | None = None
    """Of the first texts of pairs, and of questions."""
    document: str | None = None
    """Of the second texts of pairs, and of alternatives."""


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


class Step(Settings):
    """A class of scikit-learn and its arguments."""

    class_: SklearnClass = Field(alias="class")
    """Dotted name of a class of scikit-learn."""
    arguments: Maybe[dict[str, Any]] = None
    """Arguments of the class, by name."""


class Archive(Settings):
    """A zip or tar of the model's folder, or of one file of word vectors."""

    urls: Several[Text] = Field(min_length=1)
    """Addresses in the order to try; mirrors are tried before them."""
    sha256: Sha256
    bytes: Maybe[Count] = None
    """Size of the file."""


# Origin → the keys that go with it, and those that it needs
_ORIGINS = {
    "hub": (("revision", "sha256"), ("revision",)),
    "package": (("module", "folder", "sha256"), ("module", "folder", "sha256")),
    "archive": ((), ()),
    "file": (("sha256",), ()),
    "folder": (("sha256",), ()),
}


class Source(Settings):
    """Where the files of a model come from; exactly one of hub, folder, package, archive and file."""

    hub: Maybe[OwnerAndName] = None
    """Owner and name of a model on the Hugging Face hub."""
    revision: Maybe[str] = Field(None, pattern=r"^([0-9a-f]{40}|REQUIRED)\z")
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


class Described(Settings):
    """What tables and captions say of any encoder."""

    title: Maybe[Text] = None
    """Name for tables and captions; without it the name of the entry is shown."""
    licence: Maybe[Text] = None
    """Licence of the weights, as SPDX name where there is one; none for an encoder without weights."""
    citation: Maybe[Text] = None
    """Paper or page to cite; none if there is none."""
    control: bool = False
    """Whether the encoder is only a reference for the other scores."""


class WithFiles(Described):
    """An encoder with the files of a model."""

    source: Source

    def wrong(self) -> Iterator[tuple[str, str]]:
        """A file of word vectors, which it does not read."""
        if self.source.file is not None:
            yield "source", "a file is of word vectors. Write one of: archive, folder, hub, package."


class Reading(Settings):
    """How texts are read."""

    max_tokens: Count | None = None
    """Texts are cut after this many tokens; null is the model's own limit."""
    truncation: Literal["end", "start", "refuse"] = "end"
    """Which part of a text with more tokens than max_tokens is cut: its end, or its start (the prompt included);
    refuse is an error.
    """
    prompt: str | None = None
    """Prepended to every text; null is the model's own default prompt, if it has one, and "" is none."""
    prompts: dict[str, str] = {}
    """Prompts by name, merged over those in the model's files. Each is used where prompt_names says so."""
    prompt_names: PromptNames = PromptNames()
    """Which prompt is used for which texts, by name; null is none. A task takes precedence over a role."""
    segment: Literal["vietnamese-words"] | None = None
    """How words are marked in every text before the tokenizer reads it, for encoders that were pre-trained on such
    texts, as PhoBERT; vietnamese-words joins the syllables of a word by "_" (underthesea). A trained encoder has
    that of its start. null is not at all.
    """
    dtype: Literal["float32", "bfloat16-autocast", "bfloat16", "float16"] = "float32"
    """Of weights and activations. bfloat16-autocast keeps float32 weights and multiplies matrices in bfloat16, which
    is fast on processors with instructions for it and slow on others. The vectors are float32 whatever it is.
    """
    device: Device | Annotated[Distinct[Device], Field(min_length=1)] | None = None
    """Where the vectors are computed: cpu, cuda, cuda:1, mps, xpu, or a list of several of one kind; null is cuda if
    there is one, else cpu. A change runs nothing again.
    """
    batch_tokens: Count = 2048
    """Tokens of a batch, padding included. More needs more memory; on a GPU 32768 and above is faster. The last bits
    of the vectors depend on it.
    """
    batch_size: Count | None = None
    """Maximum number of texts of a batch, in addition to batch_tokens; null is no such limit; 64 for kinds splade
    and sparse-embed if left out. The last bits of the vectors depend on it.
    """


class Vectors(Reading):
    """How vectors of texts are made."""

    truncate_dim: Count | None = None
    """Only this many leading values of each vector are kept, for models trained for that (Matryoshka); null is all."""
    normalise: bool = False
    """Scale every vector to length 1, after all modules of the model and after truncate_dim."""
    backend: Literal["torch", "onnx", "onnx-int8", "openvino"] = "torch"
    """What computes the transformer. All but torch need an optional extra, export the weights themselves, and run on
    the processor; onnx-int8 rounds to 8 bits and reads one text at a time.
    """


class Neural(WithFiles, Vectors):
    """A neural model with all of its modules, or a plain one, of which only the transformer is read."""

    kind: Literal["sentence-transformers", "transformers"]
    allow_pickle: bool = False
    """Whether weights saved as pytorch_model.bin may be read where there is no model.safetensors. Only tensors are
    taken from it.
    """
    tokenizer_class: Maybe[str] = None
    """Class of transformers that reads the files of the tokenizer, e.g. AlbertTokenizer, where the files name
    another or none; it decides where the classification token stands. Left out, it is what the files say.
    """
    pooling: Pooling = None


class TrainedEncoder(Described, Vectors, Trained):
    """One that a recipe makes of another here."""

    kind: Literal["trained"]
    preset: Maybe[Text] = None
    """Name of published settings in catalog/presets.yaml, over which the keys of the entry are laid."""
    recipe: Text
    """How it is trained, see docs/training.md."""
    training: TrainingOptions
    start: str | Start
    """The encoder that is trained on, another entry of models, which may be trained itself; or like and
    configuration, for random weights, and perhaps tokenizer.
    """
    data: Text
    """What it reads, an entry of training_data."""
    seed: Maybe[Int] = Field(None, ge=0)
    """Seed of the random vectors, or of everything that a training draws; another seed gives another encoder."""
    seeds: Maybe[Distinct[Annotated[Int, Field(ge=0)]]] = Field(None, min_length=1)
    """The entry stands for one encoder per seed, with -seed-1 and so on behind its name."""
    selection: Maybe[Selection] = None
    seed_of: Maybe[str] = None
    """The entry with several seeds that it was made of. Written by the program."""
    cell: Maybe[dict[str, Any]] = None
    """Its place in a sweep. Written by the program."""
    terms: Maybe[Terms] = None
    """How many terms of a text are kept, those of the largest weights; where a key is left out, all of them
    (splade), or as many as the files of the model say (sparse-embed).
    """


class CrossEncoder(WithFiles):
    """Compares two texts, for retrievers of kind rerank."""

    kind: Literal["cross-encoder"]
    allow_pickle: bool = False
    """Whether weights saved as pytorch_model.bin may be read where there is no model.safetensors. Only tensors are
    taken from it.
    """
    max_tokens: Count | None = None
    """Texts are cut after this many tokens; null is the model's own limit."""
    batch_tokens: Count = 2048
    """Tokens of a batch, padding included. More needs more memory; on a GPU 32768 and above is faster. The last bits
    of the vectors depend on it.
    """
    device: Device | Annotated[Distinct[Device], Field(min_length=1)] | None = None
    """Where the vectors are computed: cpu, cuda, cuda:1, mps, xpu, or a list of several of one kind; null is cuda if
    there is one, else cpu. A change runs nothing again.
    """


class Splade(WithFiles, Reading):
    """Weighs the terms of its vocabulary, for retrievers of kind sparse."""

    kind: Literal["splade"]
    allow_pickle: bool = False
    """Whether weights saved as pytorch_model.bin may be read where there is no model.safetensors. Only tensors are
    taken from it.
    """
    pooling: Pooling = None
    terms: Maybe[Terms] = None
    """How many terms of a text are kept, those of the largest weights; where a key is left out, all of them
    (splade), or as many as the files of the model say (sparse-embed).
    """


class SparseEmbed(WithFiles, Reading):
    """Weighs the terms of its vocabulary and gives each a vector, too, for retrievers of kind sparse."""

    kind: Literal["sparse-embed"]
    terms: Maybe[Terms] = None
    """How many terms of a text are kept, those of the largest weights; where a key is left out, all of them
    (splade), or as many as the files of the model say (sparse-embed).
    """


class Model2vec(WithFiles):
    """Averages vectors of tokens."""

    kind: Literal["model2vec"]
    max_tokens: Count | None = None
    """Texts are cut after this many tokens; null is the model's own limit."""
    normalise: bool = False
    """Scale every vector to length 1, after all modules of the model and after truncate_dim."""


class WordVectors(Described):
    """Averages vectors of words."""

    kind: Literal["word-vectors"]
    source: Source
    tokens: Literal["words", "hyphenated-words", "words-and-signs", "whitespace"] = "words"
    """How texts are cut into the words of a file of word vectors: words (letters and digits), hyphenated-words,
    words-and-signs (each punctuation mark is a word too), whitespace.
    """
    lower_case: bool = True
    """Whether the words of a text are looked up in lower case."""
    normalise: bool = False
    """Scale every vector to length 1, after all modules of the model and after truncate_dim."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        """Whether it comes from a file or an archive."""
        if self.source.file is None and self.source.archive is None:
            yield "source", "word vectors are in one file. Write file or archive."


class Service(Described):
    """A service behind an address."""

    kind: Literal["api"]
    url: str = Field(pattern=r"^https?://[^/\s?#@]+(/[^\s?#]*)?\z")
    """Address that takes requests for embeddings in the OpenAI format; neither user, password nor query."""
    model: Text
    """Name of the model that is requested from a service."""
    dimension: Count
    """Dimension of the vectors of a control, or of those that a service returns."""
    request_dimension: bool = False
    """Whether requests name the dimension, for models that can shorten their vectors."""
    prompt: str | None = None
    """Prepended to every text; null is the model's own default prompt, if it has one, and "" is none."""
    normalise: bool = False
    """Scale every vector to length 1, after all modules of the model and after truncate_dim."""
    key_variable: str | None = Field(None, pattern=r"^SENTFLOW_KEY_[A-Z0-9_]+\z")
    """Name of the environment variable that holds the key of a service, never the key itself; SENTFLOW_HOST_NAME
    beside it names the host.
    """
    allow_upload: bool = False
    """Whether texts of files outside the folder of the configuration may be sent to the service."""
    batch_texts: Count = 64
    """Maximum number of texts per request to a service."""
    timeout_seconds: Maybe[Number] = Field(None, gt=0)
    """How long a whole answer of a service may take, to its last byte (60 if left out), or what each call of a class
    of your own may take (no limit if left out).
    """
    attempts: Count = 6
    """Tries of a request to a service."""


class Tfidf(Described):
    """TF-IDF, fitted on the training part of each fold."""

    kind: Literal["tfidf"]
    max_features: Count
    """Maximum number of features of TF-IDF, the most frequent n-grams of the training texts."""
    ngram_range: Pair[Count]
    """Shortest and longest n-gram of TF-IDF, in words."""
    stop_words: Literal["portuguese", "none"] = "none"
    """Words that TF-IDF leaves out before it forms n-grams."""


class ScikitLearn(Described):
    """A class of scikit-learn, or several, fitted on the training part of each fold."""

    kind: Literal["scikit-learn"]
    class_: Maybe[SklearnClass] = Field(None, alias="class")
    """Dotted name of a class of scikit-learn that turns texts into rows of numbers; one of the list in
    docs/models.md.
    """
    arguments: Maybe[dict[str, Any]] = None
    """Arguments of the class, by name; of scikit-learn, numbers and words only."""
    pipeline: Maybe[Several[Step]] = Field(None, min_length=1)
    """Steps of scikit-learn, one after the other; the first reads texts."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        """Whether it is one class or several."""
        if (self.class_ is None) == (self.pipeline is None):
            yield "", "write class, or pipeline with several."


class BagOfWords(Described):
    """Counts of words, as a control."""

    kind: Literal["bag-of-words"]
    dimension: Count
    """Dimension of the vectors of a control, or of those that a service returns."""


class Random(Described):
    """Random vectors, as a control."""

    kind: Literal["random"]
    dimension: Count
    """Dimension of the vectors of a control, or of those that a service returns."""
    seed: Int = Field(ge=0)
    """Seed of the random vectors, or of everything that a training draws; another seed gives another encoder."""


class Custom(Described):
    """A class of your own."""

    kind: Literal["custom"]
    custom: str = Field(pattern=r"^.+\.py:[A-Za-z_][A-Za-z0-9_]*\z")
    """A class of your own as path/to/file.py:ClassName, relative to the folder in which you run. It is run with your
    rights.
    """
    arguments: Maybe[dict[str, Any]] = None
    """Arguments of the class, by name; of scikit-learn, numbers and words only."""
    files: Names = ()
    """Further files that the class reads, e.g. weights; an edit of them runs the model again. Code beside its file
    is found.
    """
    libraries: Names = ()
    """Packages whose versions can change the vectors, as pip names them; another version runs the model again."""
    timeout_seconds: Maybe[Number] = Field(None, gt=0)
    """How long a whole answer of a service may take, to its last byte (60 if left out), or what each call of a class
    of your own may take (no limit if left out).
    """


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
