"""Raw files of a corpus, of questions and of judgements into records: which file format, which columns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentflow.errors import ConfigError, DataError
from sentflow.texts.formats.beir import read_beir_judgements, read_beir_texts
from sentflow.texts.formats.classic import read_slashed, read_smart, read_spaced
from sentflow.texts.formats.conll import read_conll_archive
from sentflow.texts.formats.conversations import read_rasa_intents, read_rasa_templates, read_turns
from sentflow.texts.formats.delimited import delimited_batches, read_delimited
from sentflow.texts.formats.json_records import json_line_batches, read_json_lines, read_json_list
from sentflow.texts.formats.matched_lines import line_batches, read_lines, read_matched_lines, read_whole
from sentflow.texts.formats.nested import read_law_questions, read_laws, read_squad
from sentflow.texts.formats.oab import read_oab_exam, read_oab_justifications, read_statute
from sentflow.texts.formats.parquet import parquet_batches, read_parquet_columns
from sentflow.texts.formats.raw_file import FileForm
from sentflow.texts.formats.records import Column, Records
from sentflow.texts.formats.trec import read_trec_documents, read_trec_topics
from sentflow.texts.formats.xml_assin import read_assin

_NEEDED: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(
        (
            *("csv", "tsv", "jsonl", "json", "parquet", "smart", "slashed", "squad", "laws", "law-questions"),
            *("beir", "beir-judgements", "trec", "trec-topics"),
            *("statute", "oab-exam", "oab-justifications", "lines", "whole", "assin-xml"),
            *("turns", "rasa-intents", "rasa-templates", "conll-archive"),
        ),
        ("files",),
    ),
    "spaced": ("files", "columns"),
}
FORMATS = tuple(_NEEDED)


@dataclass(frozen=True)
class RecordReader(FileForm):
    """How to read records of one kind out of files: one item of a ``reader`` in the catalog; see `FileForm`.

    Attributes
    ----------
    format
        One of `FORMATS`. ``tsv``: tab, no quoting. ``jsonl``: an object per line, as BEIR's corpus and queries.
        ``spaced``: fields between white space, as TREC's judgements. ``smart``: ``.I``, ``.T``, ``.W``, as Cranfield.
        ``slashed``: a number, lines of text, a line with a slash, as NPL. ``squad``: paragraphs with questions.
        ``beir`` (documents, questions) and ``beir-judgements``: files of BEIR's folders. ``trec`` and ``trec-topics``:
        documents and topics between tags. ``laws`` and ``law-questions``: the forms of the Zalo challenge and of ALQAC.
        ``statute``, ``oab-exam`` and ``oab-justifications``: Brazilian statutes and bar exams. ``assin-xml``: pairs of
        ASSIN. ``turns``: questions or reference answers in FastChat's form. ``rasa-intents`` and ``rasa-templates``:
        what users of a chatbot say, and what it answers. ``conll-archive``: documents with a token in
        each line. ``lines``: those that `pattern` matches; without it every line, in the column text. ``whole``: a file
        is one text, and its name without the ending the id.
    files
        Names of raw files of the dataset, read one after the other. An archive can be given instead of the one text
        file in it.
    header
        Whether the first line names the columns (``csv``, ``tsv``); otherwise they have numbers from 1.
    columns
        Names of the fields of a line (``spaced``).
    pattern
        Regular expression of a line, whose named groups are the columns (``lines``).
    """

    files: tuple[str, ...] = ()
    header: bool = True
    columns: tuple[str, ...] = ()
    pattern: str = ""

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, where: str) -> "RecordReader":
        """The reader of a catalog entry.

        Raises
        ------
        ConfigError
            See `FileForm.check_keys`.
        """
        cls.check_keys(settings, where=where, formats=FORMATS, needed=_NEEDED)
        lists = {key: tuple(settings[key]) for key in ("files", "columns") if key in settings}
        return cls(**{**settings, **lists})

    def read(self, paths: Mapping[str, Path], wanted: Sequence[Column], *, where: str) -> list[Records]:
        """The records of each file.

        Parameters
        ----------
        paths
            Name → file.
        wanted
            Columns that will be picked; formats that hold many may leave out the others.
        where
            Place of the reader, for messages.

        Raises
        ------
        ConfigError
            A value of the reader does not fit its format.
        DataError
            A file is missing, empty, damaged, wrongly encoded, or of another form.
        """
        return [self._read(paths[name], wanted, where) for name in self.files]

    def batches(
        self, paths: Mapping[str, Path], wanted: Sequence[Column], *, where: str, rows: int
    ) -> Iterator[Records]:
        """The records of `read`, of which about `rows` at a time are in memory, where the format can be read so.

        A file in any other format than ``csv``, ``tsv``, ``jsonl``, ``lines`` and ``parquet`` is a batch.

        Raises
        ------
        ConfigError, DataError
            See `read`; where many rows are not in order, those of the first batch with one are named.
        """
        for name in self.files:
            path = _existing(paths[name])
            raw = self.raw(path)
            match self.format:
                case "csv":
                    yield from delimited_batches(
                        raw, self.delimiter, quoting=self.quoting, header=self.header, rows=rows
                    )
                case "tsv":
                    yield from delimited_batches(raw, "\t", quoting=False, header=self.header, rows=rows)
                case "jsonl":
                    yield from json_line_batches(raw, wanted, joined="\n", rows=rows)
                case "lines" if not self.pattern:
                    yield from line_batches(raw, rows=rows)
                case "parquet":
                    yield from parquet_batches(path, wanted)
                case _:
                    yield self._read(path, wanted, where)

    def _read(self, path: Path, wanted: Sequence[Column], where: str) -> Records:
        raw = self.raw(_existing(path))
        match self.format:
            case "csv":
                return read_delimited(raw, self.delimiter, quoting=self.quoting, header=self.header)
            case "tsv":
                return read_delimited(raw, "\t", quoting=False, header=self.header)
            case "jsonl":
                return read_json_lines(raw, wanted, gaps=True, joined="\n")
            case "json":
                return read_json_list(raw, wanted, gaps=True, joined="\n")
            case "parquet":
                return read_parquet_columns(path, wanted)
            case "spaced":
                return read_spaced(raw, self.columns)
            case "smart":
                return read_smart(raw)
            case "slashed":
                return read_slashed(raw)
            case "squad":
                return read_squad(raw)
            case "laws":
                return read_laws(raw)
            case "law-questions":
                return read_law_questions(raw)
            case "beir":
                return read_beir_texts(raw)
            case "beir-judgements":
                return read_beir_judgements(raw)
            case "trec":
                return read_trec_documents(raw)
            case "trec-topics":
                return read_trec_topics(raw)
            case "statute":
                return read_statute(raw)
            case "oab-exam":
                return read_oab_exam(raw)
            case "oab-justifications":
                return read_oab_justifications(raw)
            case "assin-xml":
                return read_assin(raw)
            case "turns":
                return read_turns(raw)
            case "rasa-intents":
                return read_rasa_intents(raw)
            case "rasa-templates":
                return read_rasa_templates(raw)
            case "conll-archive":
                return read_conll_archive(raw)
            case "whole":
                return read_whole(raw)
            case "lines" if not self.pattern:
                return read_lines(raw)
            case "lines":
                return read_matched_lines(raw, self.pattern, where=f"{where}.pattern")
        raise ConfigError(f"{where}.format: {self.format!r} is not a format.")


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise DataError(f"{path}: no such file")
    return path
