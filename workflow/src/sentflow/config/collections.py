"""Corpora and question sets: entries of the catalog."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from pydantic import Field

from sentflow.config.datasets import OwnData
from sentflow.config.model import (
    Count,
    DataVersion,
    Delimiter,
    Distinct,
    Encoding,
    FileName,
    Int,
    Language,
    Like,
    Maybe,
    Member,
    Names,
    Note,
    Number,
    PartOfData,
    Path,
    Settings,
    Several,
    Text,
    Title,
)
from sentflow.errors import no_pattern
from sentflow.texts.raw_files import MEANINGS

Column = Text | Count


class Records(Settings):
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
        "conll-archive",
    ]
    """tsv is tab-separated without quoting, csv has real quoting; jsonl has one JSON object per line, json is one
    list of them; spaced has fields between white space, as TREC's judgements; smart has fields .I, .T, .W; slashed
    has a number, text and a line with a slash; squad has paragraphs with questions; laws and law-questions are the
    forms of the Zalo challenge and of ALQAC; beir and beir-judgements are files of BEIR's folders, trec and
    trec-topics documents and topics between tags; statute, oab-exam and oab-justifications are Brazilian statutes
    and bar exams; assin-xml has pair elements with similarity; turns is FastChat's form of questions and reference
    answers; rasa-intents and rasa-templates are files of a chatbot; conll-archive has documents with a token in each
    line; lines are those that pattern matches, or without it all, in the column text; whole takes each file as one
    text (columns id, its name without the ending, and text).
    """
    files: Names = Field(min_length=1)
    """Names of files in the dataset, read one after the other. An archive (zip or tar) can be given instead of the
    one text file in it.
    """
    member: Maybe[Member] = None
    delimiter: Delimiter = ","
    encoding: Encoding = "utf-8"
    quoting: bool = True
    """Whether double quotes enclose fields of a csv."""
    header: bool = True
    """Whether the first line names the columns (csv, tsv); otherwise they have numbers from 1."""
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
    """Regular expression of what is no part of a text, such as the operators of a search engine. It is replaced by a
    space, and white space by single spaces.
    """
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
    rows: Maybe[Count] = None
    """Number of documents that there must be; another number is an error."""
    note: Maybe[Note] = None


class Corpus(CorpusFacts):
    """Documents that questions are searched in (docs/retrieval.md)."""

    like: Maybe[Like] = None
    title: Title
    dataset: Text
    """Name of the dataset whose files hold the documents."""
    language: Language
    data_version: DataVersion
    documents: Several[Source] = Field(min_length=1)
    """Where documents are read from, one source after the other. A repeated id with the same text is the same
    document.
    """
    ids: Literal["column", "distinct"] = "column"
    """column takes the ids of the files; distinct makes equal texts one document and numbers them."""
    shards: Count = Field(1, le=100000)
    """Parts of about equal numbers of documents that are embedded and searched by jobs of their own, so that no job
    holds more than one. As many as there are for one to fit into memory (docs/retrieval.md).
    """

    def wrong(self) -> Iterator[tuple[Path, str]]:
        """Columns of its sources."""
        own = (("id",),) if self.ids == "column" else ()
        yield from _wrong_sources("documents", self.documents, (*own, ("text",)))


class ShortCorpus(OwnData, CorpusFacts):
    """A corpus of your own in short form, beir or trec and language (docs/retrieval.md)."""

    beir: Maybe[Text] = None
    """Folder in BEIR's form, with corpus.jsonl or corpus.parquet, beside the configuration file or in the working
    folder.
    """
    trec: Maybe[Text] = None
    """File with documents in TREC's form, or a folder of such files."""
    encoding: Encoding = "utf-8"
    language: Language

    def wrong(self) -> Iterator[tuple[str, str]]:
        """Keys of the other form."""
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
    """printed, as the source has it; computed, by another program on the same files and printed nowhere; remembered,
    a printed value that was not looked up.
    """
    comparable: bool = True
    """Whether documents, questions and judgements are the same as ours. If not, nothing of ours is shown beside it,
    and remark says why.
    """
    remark: Maybe[Text] = None
    """What a reader must know of it; becomes a footnote."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        """Whether a value that cannot be compared says why."""
        if not self.comparable and self.remark is None:
            yield "", "'remark' is missing, why the value is not comparable."


class Part(Settings):
    """A part of the questions, for files without parts for training and for choices."""

    of: Int = Field(ge=2, le=1000)
    """Number of parts, to which questions are assigned by a digest of their ids, about as many to each."""
    keep: Distinct[Annotated[Count, Field(le=1000)]] = Field(min_length=1)
    """Which parts stay, from 1."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        """Parts that there are not."""
        if beyond := [str(one) for one in self.keep if one > self.of]:
            yield (
                "keep",
                f"there is no part {', '.join(beyond)} of {self.of}. Write numbers from 1 to {self.of}.",
            )


class QuestionFacts(Settings):
    """What question sets say in both of their forms."""

    relevant_grade: Count = 1
    """Least grade that counts as relevant; the gains of nDCG are the grades themselves."""
    same_ids: Maybe[Literal["keep", "exclude"]] = None
    """Whether a document that has the id of a question is ranked for it (keep), or neither ranked nor judged
    (exclude), because it is the question itself (ArguAna, Quora). If left out, it is kept, and the log says where
    ids and texts of questions are those of documents.
    """
    unknown: Literal["refuse", "leave-out"] = "refuse"
    """Judgements of questions or documents that do not exist are an error (refuse), or left out and counted in the
    log (leave-out).
    """
    training: Maybe[Names] = None
    """Names of the question sets that encoders were trained on. Questions that are equal to one of theirs, or nearly
    so, are counted as leaked, and the scores of the others are shown beside those of all.
    """
    rows: Maybe[Count] = None
    """Number of questions that there must be; another number is an error."""
    judged: Maybe[Count] = None
    """Number of judgements that there must be; another number is an error."""
    cluster_pattern: Maybe[Text] = None
    """Regular expression of the part of a document's identifier that counts for `cluster: gold-document`, say its
    law: the first group, or all that matches. The whole identifier if left out.
    """
    labels: Maybe[Text] = None
    """Who judged, and how the judgements came about; shown on the page."""
    published: Maybe[Several[Published]] = Field(None, min_length=1)
    """Values that others report on these questions, for the table retrieval-published."""
    mteb: Maybe[Text] = None
    """Name of the task of MTEB that this is, for result files; its own name if left out."""
    note: Maybe[Note] = None


class QuestionSet(QuestionFacts):
    """Questions that are searched in a corpus, with judgements of its documents (docs/retrieval.md)."""

    like: Maybe[Like] = None
    title: Title
    corpus: Text
    """Name of the corpus that is searched."""
    dataset: Text
    """Name of the dataset whose files hold questions and judgements."""
    split: Maybe[PartOfData] = None
    language: Language
    data_version: DataVersion
    questions: Several[Source] = Field(min_length=1)
    """Where questions are read from, one source after the other."""
    judgements: Several[Source]
    """Where judgements are read from, one source after the other. Documents without one are not relevant. [] is a
    set that can be searched, but not evaluated.
    """
    ids: Literal["column", "rows", "distinct"] = "column"
    """column takes the ids of the files; rows makes each row a question, whose judgements are in the row of the same
    number; distinct makes equal texts one question.
    """
    grades: Maybe[dict[str, Int | None]] = Field(None, min_length=1)
    """Grade as written in the file → number, or null for rows that judge nothing; put it in quotes."""
    unjudged: Literal["keep", "leave-out"] = "keep"
    """Questions without any judgement stay, but count in no mean (keep), or are left out (leave-out), for files with
    the questions of all splits.
    """
    without: Maybe[Several[Source]] = Field(None, min_length=1)
    """Where questions are read from that are taken out, by id or by text; texts are compared by their runs of two or
    more letters in lower case.
    """
    part: Maybe[Part] = None
    """A part of the questions, for files without parts for training and for choices; two sets with other parts of as
    many share no question.
    """
    cluster: Maybe[Literal["gold-document", "column"]] = None
    """Which questions belong together, so that a second interval and second tests hold for new documents:
    gold-document puts questions that share a relevant document in one cluster, column those of which the source's
    column `cluster` says the same. Without it, questions are independent.
    """

    def wrong(self) -> Iterator[tuple[str | Path, str]]:
        """Columns of its sources, and what is said of clusters."""
        own = (("id",),) if self.ids == "column" else ()
        question = {"column": (("question",),), "distinct": (("question_text",),)}.get(self.ids, ())
        yield from _wrong_sources("questions", self.questions, (*own, ("text",)))
        yield from _wrong_sources("judgements", self.judgements, (*question, ("document", "document_text")))
        yield from _wrong_sources("without", self.without or (), (("id", "text"),))
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
        """Keys of the other form, and files without judgements."""
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
