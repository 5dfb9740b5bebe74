"""Documents: ASSIN's XML, archives of texts, Brazilian bar exams and statutes."""

import re
from collections.abc import Mapping
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

from sentflow.errors import DataError, listed
from sentflow.files.archives.members import member_names, members_under, read_members
from sentflow.texts.formats.raw import RawFile, Records, decode, numbered, records_of
from sentflow.texts.table import SEPARATOR


def xml_root(file: RawFile) -> Any:
    """The root element of a file; names keep their prefixes.

    Raises DataError: the file is no XML, or declares a document type, which could define entities that grow without
    end, or name files of this machine.
    """
    import xml.etree.ElementTree as ElementTree
    from xml.parsers import expat

    def refuse(*_: Any) -> None:
        raise DataError(
            f"{file.name} declares a document type; files of this format have none. It is not read."
        )

    builder = ElementTree.TreeBuilder()
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(file.content(), True)
    except expat.ExpatError as error:
        raise DataError(f"{file.name} is not readable XML: {error}") from error
    return builder.close()


_COLUMNS = ("t", "h", "similarity", "entailment")


def read_assin(file: RawFile) -> Records:
    """The ``pair`` elements of an ``entailment-corpus``; what an attribute says is as written.

    Returns: columns ``t`` and ``h`` (the sentences), ``similarity`` and ``entailment``.
    """
    rows = [
        (pair.findtext("t"), pair.findtext("h"), pair.get("similarity"), pair.get("entailment"))
        for pair in xml_root(file).iter("pair")
    ]
    if odd := [str(row) for row, parts in enumerate(rows, start=1) if None in parts]:
        raise DataError(f"{file.name}: no similarity, entailment, t or h in pair {listed(odd, limit=10)}.")
    return records_of(file.name, _COLUMNS, rows, what="an element pair")


_ENDING = ".conll"
_BEFORE = re.compile(r" ([.,;:!?)\]”])")
_AFTER = re.compile(r"([(\[“]) ")


def read_conll_archive(file: RawFile) -> Records:
    """The documents of a zip or tar: columns document (name of the member, without its ending) and text.

    The first field of a line is a token; tokens are joined by spaces, but none stands before a mark that ends
    something, or after one that opens it. How words stood in lines is not known any more.
    """
    names = [name for name in member_names(file.path) if name.endswith(_ENDING)]
    if not names:
        raise DataError(f"{file.name}: the archive holds no member {_ENDING}.")
    texts = []
    for name, content in read_members(file.path, names):
        lines = decode(content, file.encoding, where=f"{file.name}, {name}").splitlines()
        tokens = " ".join(line.split()[0] for line in lines if line.split())
        texts.append(_AFTER.sub(r"\1", _BEFORE.sub(r"\1", tokens)))
    documents = [name.removesuffix(_ENDING) for name in names]
    return Records(file.name, ["document", "text"], [documents, texts], numbered(len(names)))


def read_text_folders(path: Path, root: str, *, encoding: str) -> Records:
    """Each file is one text, stripped of outer white space, in the order of folders and of the numbers in names.

    Returns: columns ``text``, ``folder`` and ``name`` (of the file, without its ending).
    """
    try:
        found = members_under(path, root)
        paths = {PurePosixPath(below_root): member for below_root, member in found.items()}
        if odd := [str(below) for below in paths if len(below.parts) != 2 or below.suffix != ".txt"]:
            raise DataError(f"{listed(map(repr, odd))} in {root} is not of the form <label>/<name>.txt")
        ordered = sorted(paths, key=lambda below: (below.parts[0], _natural(below.stem)))
        contents = list(read_members(path, [paths[below] for below in ordered]))
    except DataError as error:
        raise DataError(f"{path.name}: {error}") from error
    texts = [
        decode(content, encoding, where=f"{path.name}, {member}").strip() for member, content in contents
    ]
    folders, names = [below.parts[0] for below in ordered], [below.stem for below in ordered]
    return Records(path.name, ("text", "folder", "name"), (texts, folders, names), list(map(str, ordered)))


def _natural(stem: str) -> tuple[bool, int, str]:
    """Sort key: numbers by value, before all other names."""
    is_number = stem.isdecimal() and len(stem) <= 18  # what is longer is a name like any other
    return (False, int(stem), stem) if is_number else (True, 0, stem)


# What a URN holds → the file of that statute, without its ending
STATUTES: Mapping[str, str] = {
    "lei:1994-07-04;8906": "lei-8906",
    "regulamento.geral": "regulamento-geral-oab",
    "codigo.etica.disciplina": "codigo-de-etica-e-disciplina",
    "constituicao:1988": "1988",
    "ato.disposicoes.constitucionais.transitorias": "adct",
    ";9868": "9868",
    ";11417": "11417",
}
_ARTICLE = re.compile(r"Art\.?\s*(\d{1,3}(?:\.\d{3})+|\d+)[º°o]?(?:-?([A-Z])\b)?")
_RULE = re.compile(r"(?m)^-{5,}\s*$")  # what comes after it is a heading
_ARTICLE_OF_ELEMENT = re.compile(r"art(\d+(?:-\d+)?)")
_ARTICLE_OF_URN = re.compile(r"!\[?art_?(\d+(?:-\d+)?)")
_OPTION = re.compile(r"^[A-E](:CORRECT)?\)(.*?)(?=^[A-E](?::CORRECT)?\)|^---|\Z)", re.DOTALL | re.MULTILINE)
_RIGHT_OPTION = re.compile(r"^[A-E]:CORRECT\)(.*?)(?=^[A-E](?::CORRECT)?\)|\Z)", re.DOTALL | re.MULTILINE)


def read_statute(file: RawFile) -> Records:
    """The articles of a statute; columns id (``statute|article``, the statute is the name of the file) and text.

    A text is cut at lines that start with ``Art``, and at lines of dashes; of LexML the elements ``Artigo`` are taken,
    those of a law that is amended included. Of several wordings of an article the last one counts, which is in force.
    """
    name = PurePath(file.name).stem
    articles = _of_lexml(file) if file.name.endswith(".xml") else _of_text(file)
    found = {f"{name}|{article}": " ".join(text.split()) for article, text in articles}
    return records_of(file.name, ("id", "text"), list(found.items()), what="an article")


def read_oab_exam(file: RawFile) -> Records:
    """Questions of an exam.

    Columns id (``exam/number``), statement, answer, statement_and_answer, options and right. Questions without a right
    answer are left out. ``options`` are the texts of all, joined by ``" [SEP] "``, and ``right`` the number of the
    right one, from 0; both are empty where a question was annulled (``NULL``), or has several right answers.
    """
    exam, rows = PurePath(file.name).stem, []
    for block in re.split(r"(?m)^(?:ENUM )?Questão +", file.text())[1:]:
        heading, _, body = block.partition("\n")
        number = re.match(r"\d+", heading)
        statement, options, rest = body.partition("OPTIONS")
        right = _RIGHT_OPTION.search(rest)
        if number and options and right:
            asked = " ".join(re.sub(r"(?m)^AREA.*$", "", statement).split())
            answer = " ".join(right[1].split())
            alternatives = ("", "") if "NULL" in heading else _alternatives(rest)
            rows.append((f"{exam}/{number[0]}", asked, answer, f"{asked} {answer}", *alternatives))
    names = ("id", "statement", "answer", "statement_and_answer", "options", "right")
    return records_of(file.name, names, rows, what="a question")


def read_oab_justifications(file: RawFile) -> Records:
    """Articles that justify an answer: columns question (``exam/number``) and document, see the readers above.

    Paragraphs and items of an article are cut off; what is no article of a statute, as a ruling, keeps its URN.
    """
    rows = []
    for block in re.split(r"(?m)^ ?- exam:", file.text())[1:]:
        exam, number = block.partition("\n")[0].strip(), re.search(r"(?m)^[^\S\n]+question:\s*(\S+)", block)
        if number:
            rows += [(f"{exam}/{number[1]}", _document(urn)) for urn in re.findall(r"urn:lex:\S+", block)]
    return records_of(file.name, ("question", "document"), rows, what="a justification")


def _alternatives(text: str) -> tuple[str, str]:
    """All options joined, and the number of the right one; nothing where there are several right ones."""
    found = _OPTION.findall(text)
    right = [number for number, (mark, _) in enumerate(found) if mark]
    if len(right) != 1:
        return "", ""
    return SEPARATOR.join(" ".join(option.split()) for _, option in found), str(right[0])


def _of_text(file: RawFile) -> list[tuple[str, str]]:
    parts = re.split(r"(?m)^[ \t]*(?=Art)", file.text())[1:]
    numbers = [(_ARTICLE.match(part), _RULE.split(part)[0]) for part in parts]
    return [(_name(number), part) for number, part in numbers if number]


def _name(number: re.Match[str]) -> str:
    """``1.001`` is 1001, and ``2A`` is 2-A."""
    return number[1].replace(".", "") + (f"-{number[2]}" if number[2] else "")


def _of_lexml(file: RawFile) -> list[tuple[str, str]]:
    found = []
    for element in xml_root(file).iter("Artigo"):
        numbers = _ARTICLE_OF_ELEMENT.findall(element.get("id", ""))
        # of art30_cpt_alt1_art8, article 8 of the law that article 30 amends, the last one
        found += [(numbers[-1], " ".join(element.itertext()))] if numbers else []
    return found


def _document(urn: str) -> str:
    article = _ARTICLE_OF_URN.search(urn)
    statute = next((name for part, name in STATUTES.items() if part in urn), None)
    return f"{statute}|{article[1]}" if article and statute else urn
