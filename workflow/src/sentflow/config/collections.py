"""Corpora, question sets, and how documents are cut, analysed and given as answers: entries of the catalog."""

from collections.abc import Iterable, Iterator
from math import inf
from typing import Annotated, Literal

from pydantic import Field

from sentflow.config.datasets import Counted, Files, OfDataset, OwnData, Table
from sentflow.config.model import (
    Count,
    DataVersion,
    Distinct,
    Encoding,
    FileName,
    Int,
    Language,
    Maybe,
    Names,
    Number,
    PartOfData,
    Path,
    Settings,
    Several,
    Sha256,
    Text,
    Title,
)
from sentflow.errors import no_pattern
from sentflow.texts.raw_files import MEANINGS

Column = Text | Count


class Records(Table):
    """Files and how to read them."""

    format: Literal[
        "csv",
        "tsv",
        "jsonl",
        "json",
        "parquet",
        "spaced",
        "smart",
        "slashed",
        "squad",
        "laws",
        "law-questions",
        "beir",
        "beir-judgements",
        "trec",
        "trec-topics",
        "statute",
        "oab-exam",
        "oab-justifications",
        "lines",
        "whole",
        "assin-xml",
        "turns",
        "rasa-intents",
        "rasa-templates",
        "yaml",
        "conll-archive",
    ]
    """tsv is tab-separated without quoting, csv has real quoting; jsonl has one JSON object per line, json is one
    list of them; spaced has fields between white space, as TREC's judgements; smart has fields .I, .T, .W; slashed
    has a number, text and a line with a slash; squad has paragraphs with questions; laws and law-questions are the
    forms of the Zalo challenge and of ALQAC; beir and beir-judgements are files of BEIR's folders, trec and
    trec-topics documents and topics between tags; statute, oab-exam and oab-justifications are Brazilian statutes
    and bar exams; assin-xml has pair elements with similarity; turns is FastChat's form of questions and reference
    answers; rasa-intents and rasa-templates are files of a chatbot; yaml has maps and lists inside each other;
    conll-archive has documents with a token in each line; lines are those that pattern matches, or without it all, in
    the column text; whole takes each file as one text (columns id, its name without the ending, and text).
    """
    files: Files
    pattern: Maybe[Text] = None
    """Regular expression of a whole line, whose named groups are the columns (lines)."""
    least_words: Maybe[dict[str, Count]] = Field(None, min_length=1)
    """Column → number of words; rows with fewer in it are left out."""


class Source(Records):
    """Files and which of their columns are what; which it names depends on what is read."""

    columns: Maybe[Names] = Field(None, min_length=1)
    """Names of the fields of a line (spaced)."""
    lists: Literal["none", "json", "spaces", "numpy", "python"] = "none"
    """How a cell holds several values: json is a list of texts, spaces is [1 2] or 1 2, numpy is a printed array of
    strings, which are joined by spaces; python is a literal list of texts, or of maps, whose values are joined by |.
    Ids, questions and grades are never lists.
    """
    lower: bool = False
    """Whether texts are put in lower case, for files that are in capitals throughout."""
    remove: Maybe[Text] = None
    """Regular expression of what is no part of a text; it becomes a space, and white space single spaces."""
    id: Maybe[Column] = None
    """Column of the identifier of a document or question; left out with other ids."""
    title: Maybe[Column] = None
    """Column of a document's title, which is searched with its text."""
    text: Maybe[Column] = None
    """Column of the text of a document or question."""
    group: Maybe[Column] = None
    """Column of the group of a question; groups are scored apart."""
    cluster: Maybe[Column] = None
    """Column of what a question is about, say a law, which its question set names as its cluster."""
    question: Maybe[Column] = None
    """Column of the identifier of the question that a row judges."""
    question_text: Maybe[Column] = None
    """Column of that question itself, with ids distinct."""
    document: Maybe[Column] = None
    """Column of the identifier of the document that a row judges."""
    document_text: Maybe[Column] = None
    """Column of the text of that document, where files do not name it."""
    grade: Maybe[Column] = None
    """Column of the grade; 1 where there is none."""


def _wrong_sources(
    place: str, sources: tuple[Source, ...], needed: Iterable[tuple[str, ...]]
) -> Iterator[tuple[Path, str]]:
    """Columns that cannot be meant in these sources, and those that are missing: one of each of `needed`."""
    others = {name for meanings in MEANINGS.values() for name in meanings} - {*MEANINGS[place]}
    for number, source in enumerate(sources):
        for name in sorted(others & source.model_fields_set):
            yield (place, number, name), "nothing of this kind is read there. Delete it."
        for name in ("pattern", "remove"):
            if (pattern := getattr(source, name)) and (wrong := no_pattern(pattern)):
                yield (place, number, name), wrong
        for choices in needed:
            if sum(choice in source.model_fields_set for choice in choices) != 1:
                yield (place, number), f"write the column of {' or of '.join(choices)}."


class CorpusFacts(Settings):
    """What corpora say in both of their forms."""

    empty: Literal["refuse", "keep"] = "refuse"
    """Documents without a text are an error (refuse), or stay, and nothing finds them (keep)."""


class CorpusSettings(CorpusFacts):
    """What the table of a corpus depends on."""

    data_version: DataVersion
    language: Language
    documents: Several[Source] = Field(min_length=1)
    """Where documents are read from, in order. A repeated id with the same text is the same document."""
    ids: Literal["column", "distinct"] = "column"
    """column takes the ids of the files; distinct makes equal texts one document and numbers them."""

    def wrong(self) -> Iterator[tuple[Path, str]]:
        own = (("id",),) if self.ids == "column" else ()
        yield from _wrong_sources("documents", self.documents, (*own, ("text",)))


class Sharded(Counted):
    """What corpora say in both of their forms that no table depends on."""

    shards: Count = Field(1, le=100000)
    """Parts of about as many documents that are embedded and searched by jobs of their own (docs/retrieval.md)."""


class Corpus(OfDataset, CorpusSettings, Sharded):
    """Documents that questions are searched in (docs/retrieval.md)."""


class ShortCorpus(OwnData, CorpusFacts, Sharded):
    """A corpus of your own in short form, beir or trec and language (docs/retrieval.md)."""

    beir: Maybe[Text] = None
    """Folder in BEIR's form, beside the configuration file or in the working folder, with corpus.jsonl or .parquet."""
    trec: Maybe[Text] = None
    """File with documents in TREC's form, or a folder of such files."""
    encoding: Encoding = "utf-8"
    language: Language

    def wrong(self) -> Iterator[tuple[str, str]]:
        yield from _of_one_form(self, beir=(), trec=("encoding",))


class Published(Settings):
    """A value that others report."""

    system: Text
    """What searched, as its source calls it."""
    retriever: Maybe[Text] = None
    """Name of the retriever of ours that does the same, whose value is shown beside it if it is comparable."""
    measure: Text
    """As ir-measures writes it."""
    value: Number = Field(ge=0, le=1)
    """As reported; 1 is perfect."""
    source: Text
    """Where it is reported, e.g. a paper and its table."""
    source_kind: Literal["printed", "computed", "remembered"] = "printed"
    """Whether the source prints it, another program computed it on the same files, or nobody looked it up again."""
    comparable: bool = True
    """Whether documents, questions and judgements are ours; if not, nothing of ours stands beside it, see remark."""
    remark: Maybe[Text] = None
    """What a reader must know of it; becomes a footnote."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        if not self.comparable and self.remark is None:
            yield "", "'remark' is missing, why the value is not comparable."


class Part(Settings):
    """A part of the questions, for files without parts for training and for choices."""

    of: Int = Field(ge=2, le=1000)
    """Number of parts, to which questions are assigned by a digest of their ids, about as many to each."""
    keep: Distinct[Annotated[Count, Field(le=1000)]] = Field(min_length=1)
    """Which parts stay, from 1."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        if beyond := [str(one) for one in self.keep if one > self.of]:
            yield (
                "keep",
                f"there is no part {', '.join(beyond)} of {self.of}. Write numbers from 1 to {self.of}.",
            )


class JudgedFacts(Settings):
    """What question sets say of judgements in both of their forms."""

    relevant_grade: Count = 1
    """Least grade that counts as relevant; the gains of nDCG are the grades themselves."""
    same_ids: Maybe[Literal["keep", "exclude"]] = None
    """Whether a document that has the id of a question is ranked for it (keep), or neither ranked nor judged
    (exclude), because it is the question itself (ArguAna, Quora). If left out, it is kept, and the log says where
    ids and texts of questions are those of documents.
    """
    unknown: Literal["refuse", "leave-out"] = "refuse"
    """Judgements of unknown questions or documents are an error, or left out and counted in the log."""


class JudgedCounts(Counted):
    """How many questions and judgements there must be."""

    judged: Maybe[Count] = None
    """Number of judgements that there must be; another number is an error."""


class QuestionFacts(JudgedFacts, JudgedCounts):
    """What question sets say in both of their forms."""

    training: Maybe[Names] = None
    """Names of the question sets that encoders were trained on. Questions that are equal to one of theirs, or nearly
    so, are counted as leaked, and the scores of the others are shown beside those of all.
    """
    cluster_pattern: Maybe[Text] = None
    """Regular expression of what counts of the identifiers of gold documents, say a law; all if left out."""
    labels: Maybe[Text] = None
    """Who judged, and how the judgements came about; shown on the page."""
    published: Maybe[Several[Published]] = Field(None, min_length=1)
    """Values that others report on these questions, for the table retrieval-published."""
    mteb: Maybe[Text] = None
    """Name of the task of MTEB that this is, for result files; its own name if left out."""


class QuestionSettings(JudgedFacts):
    """What the tables of a question set depend on. A set without judgements can be searched, but not evaluated."""

    corpus: Text
    """Name of the corpus that is searched."""
    data_version: DataVersion
    language: Language
    questions: Several[Source] = Field(min_length=1)
    """Where questions are read from, one source after the other."""
    judgements: Several[Source]
    """Where judgements are read from. Documents without one are not relevant. [] can be searched, not evaluated."""
    ids: Literal["column", "rows", "distinct"] = "column"
    """Those of the files; of rows, each with its judgements in the row of the same number; or of distinct texts."""
    grades: dict[str, Int | None] = {}
    """Grade as written in the file → number, or null for rows that judge nothing; put it in quotes."""
    unjudged: Literal["keep", "leave-out"] = "keep"
    """Questions without any judgement stay, but count in no mean, or are left out (files with all splits)."""
    without: Several[Source] = ()
    """Where questions are read from that are taken out, by id, or by text without case and punctuation."""
    part: Maybe[Part] = None
    """A part of the questions; sets with other parts of as many share none."""

    def wrong(self) -> Iterator[tuple[str | Path, str]]:
        own = (("id",),) if self.ids == "column" else ()
        question = {"column": (("question",),), "distinct": (("question_text",),)}.get(self.ids, ())
        yield from _wrong_sources("questions", self.questions, (*own, ("text",)))
        yield from _wrong_sources("judgements", self.judgements, (*question, ("document", "document_text")))
        yield from _wrong_sources("without", self.without, (("id", "text"),))


class QuestionSet(OfDataset, QuestionSettings, QuestionFacts):
    """Questions that are searched in a corpus, with judgements of its documents (docs/retrieval.md)."""

    split: Maybe[PartOfData] = None
    cluster: Maybe[Literal["gold-document", "column"]] = None
    """Which questions belong together, so that a second interval and second tests hold for new documents:
    gold-document puts questions that share a relevant document in one cluster, column those of which the source's
    column `cluster` says the same. Without it, questions are independent.
    """

    def wrong(self) -> Iterator[tuple[str | Path, str]]:
        yield from super().wrong()
        named = any(source.cluster is not None for source in self.questions)
        if self.cluster == "column" and not named:
            yield "cluster", "no source names the column. Write cluster: COLUMN at its questions."
        if named and self.cluster != "column":
            yield "questions", "a column of clusters is named, but not used. Write cluster: column."
        if self.cluster_pattern is not None and self.cluster != "gold-document":
            yield "cluster_pattern", "it needs cluster: gold-document. Write that, or delete the pattern."
        elif self.cluster_pattern is not None and (wrong := no_pattern(self.cluster_pattern)):
            yield "cluster_pattern", wrong


class ShortQuestionSet(OwnData, QuestionFacts):
    """A question set of your own in short form, beir or trec and qrels, and language (docs/retrieval.md)."""

    beir: Maybe[Text] = None
    """Folder in BEIR's form, with queries.jsonl or queries.parquet, and qrels/SPLIT.tsv, .jsonl or .parquet."""
    split: FileName = "test"
    """Which of the folder's judgements (beir); questions without one are left out."""
    without_split: Maybe[FileName] = None
    """Questions that are judged in that split, too, are taken out (beir)."""
    trec: Maybe[Text] = None
    """File with topics in TREC's form."""
    qrels: Maybe[Text] = None
    """File with judgements in TREC's form, question iteration document grade (trec)."""
    text: Literal["title", "description", "narrative", "title_description"] = "title"
    """What of a topic is asked (trec)."""
    encoding: Encoding = "utf-8"
    corpus: Maybe[Text] = None
    """Name of the corpus that is searched; that of the question set if left out."""
    language: Language
    cluster: Maybe[Literal["gold-document"]] = None
    """gold-document puts questions that share a relevant document in one cluster; without it, they are independent."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        yield from _of_one_form(self, beir=("split", "without_split"), trec=("qrels", "text", "encoding"))
        if self.beir is None and self.qrels is None:
            yield "qrels", "there are no judgements. Write qrels: <file>."


def _of_one_form(
    entry: ShortCorpus | ShortQuestionSet, *, beir: tuple[str, ...], trec: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    """Both forms, or keys of that which it has not."""
    if entry.beir is not None and entry.trec is not None:
        yield "", "beir and trec are two forms. Write one of them."
        return
    form, others = ("beir", trec) if entry.beir is not None else ("trec", beir)
    for key in others:
        if key in entry.model_fields_set:
            yield key, f"nothing of this kind is read in the form {form}. Delete it."


# --- how documents are cut, analysed and given as answers ---------------------------------------------------------

TuningFolds = Annotated[
    Int,
    Field(
        ge=2,
        le=100,
        description="Folds of the training questions; what is chosen on all but one of them is judged on that one.",
    ),
]
PARAMETERS = ("most", "window", "share", "least")
_BOUNDS = {"most": (1, inf, 1), "window": (0, inf, 0), "share": (0, 1, 0), "least": (-inf, inf, 0)}
MOST_CANDIDATES = 5000  # weights, or parameters of a decision, that are tried


class StopList(Settings):
    """A list of terms in a file."""

    file: Text
    """Path of a text file in UTF-8, a term per line, beside the configuration file or in the working folder."""
    sha256: Maybe[Sha256] = None
    """SHA-256 of the file; another file is then refused. An edit of the file runs the analysis again either way."""
    source: Maybe[Text] = None
    """Who publishes the file and how to get it, for the message where it is missing or another one."""


class Range(Settings):
    """Numbers from one to another, both included."""

    from_: Number = Field(alias="from")
    """First number."""
    to: Number
    """Last number."""
    step: Number = Field(gt=0)
    """Distance of two numbers."""


class Analyser(Settings):
    """How texts become the terms that lexical retrievers count (docs/retrieval.md)."""

    title: Maybe[Title] = None
    units: Literal["words", "long-words", "character-bigrams", "vietnamese-words"]
    """words are runs of letters, digits and underscores; long-words those of two or more; character-bigrams pairs of
    neighbours within a word; vietnamese-words are made by underthesea.
    """
    lower: bool = True
    """Whether case is dropped."""
    normalise: bool = True
    """Whether letters and accents are compared in Unicode's composed form (NFC)."""
    stop_words: Maybe[Text | Names | StopList] = None
    """Terms that are dropped, after the case was; or the name of a list of bm25s, e.g. english; or a file."""
    stemmer: Literal["none", "english", "portuguese", "german", "spanish", "french", "italian"] = "none"
    """Language of Snowball's stemmer."""


class Cut(Settings):
    """How long documents are cut into passages that are searched in their stead (docs/retrieval.md)."""

    title: bool = True
    """Whether each passage begins with the title of its document."""
    words: Maybe[Count] = None
    """Words of a passage, between white space."""
    tokens: Maybe[Count] = None
    """Tokens of a passage by its encoder's tokenizer, beside title and special tokens. Instead of words."""
    overlap: Int = Field(0, ge=0)
    """Words, or tokens, that a passage shares with the one before it."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        if (self.words is None) == (self.tokens is None):
            yield "", "how long is a passage? Write words or tokens, and not both."
        elif self.overlap >= (size := self.tokens or self.words or 0):
            unit = "words" if self.tokens is None else "tokens"
            yield (
                "overlap",
                f"passages of {size} {unit} cannot overlap by {self.overlap}. Write fewer than {size}.",
            )


class Decision(Settings):
    """Which ranked documents are given as an answer: those that pass all that is written (docs/retrieval.md)."""

    title: Maybe[Title] = None
    most: Maybe[Count | Range] = None
    """Documents per question at most; a number, or a range to choose from."""
    window: Maybe[Annotated[Number, Field(ge=0)] | Range] = None
    """Keeps scores that are below the best one by at most so much; a number, or a range to choose from."""
    share: Maybe[Annotated[Number, Field(ge=0, le=1)] | Range] = None
    """Keeps scores of at least this share of the best one; a number, or a range to choose from."""
    least: Maybe[Number | Range] = None
    """Keeps scores of at least so much, in the units of the retriever; a number, or a range to choose from."""
    tuned_on: Maybe[Names] = Field(None, min_length=1)
    """Question sets on which the mean F2 chooses among ranges; they share no question with others that are decided."""
    folds: TuningFolds = 10
    retrievers: Maybe[Names] = Field(None, min_length=1)
    """Names of selected retrievers whose runs it is applied to; all if left out."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        given = {key: getattr(self, key) for key in PARAMETERS if getattr(self, key) is not None}
        ranges = {key: one for key, one in given.items() if isinstance(one, Range)}
        if not given:
            yield "", f"there is no condition. Write one of: {', '.join(PARAMETERS)}."
        if ranges and self.tuned_on is None:
            yield next(iter(ranges)), "a range, but no questions to choose on. Write tuned_on, or a number."
        if not ranges and self.tuned_on is not None:
            yield (
                "tuned_on",
                "there is nothing to choose. Write a range {from, to, step}, or delete tuned_on.",
            )
        n_candidates = 1.0
        for key, one in ranges.items():
            if one.to < one.from_:
                yield key, f"from {one.from_} to {one.to} is no range. Write the lesser number first."
            least, most, unit = _BOUNDS[key]
            if one.from_ < least or one.to > most or (unit and (one.from_ % unit or one.step % unit)):
                kind = "whole numbers" if unit else "numbers"
                yield key, f"from {one.from_} to {one.to}. Write {kind} from {least} to {most}."
            n_candidates *= max(1.0, 1 + (one.to - one.from_) / one.step)
        if n_candidates > MOST_CANDIDATES:
            yield (
                "",
                f"its ranges have {n_candidates:.0f} values. Write larger steps: at most {MOST_CANDIDATES}.",
            )
