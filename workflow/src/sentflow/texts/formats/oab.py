"""The exams of the Brazilian bar association, and the articles of statutes that justify their right answers.

Files of legal-nlp/oab-exams: statutes as text or as LexML, exams as text, justifications as YAML that is not valid.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from sentflow.errors import DataError
from sentflow.texts.formats.raw_file import RawFile
from sentflow.texts.formats.records import Records, numbered
from sentflow.texts.formats.xml_tree import xml_root
from sentflow.texts.table import SEPARATOR

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
    return _records(file, ("id", "text"), list(found.items()), "an article")


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
    return _records(file, names, rows, "a question")


def read_oab_justifications(file: RawFile) -> Records:
    """Articles that justify an answer: columns question (``exam/number``) and document, see the readers above.

    Paragraphs and items of an article are cut off; what is no article of a statute, as a ruling, keeps its URN.
    """
    rows = []
    for block in re.split(r"(?m)^ ?- exam:", file.text())[1:]:
        exam, number = block.partition("\n")[0].strip(), re.search(r"(?m)^[^\S\n]+question:\s*(\S+)", block)
        if number:
            rows += [(f"{exam}/{number[1]}", _document(urn)) for urn in re.findall(r"urn:lex:\S+", block)]
    return _records(file, ("question", "document"), rows, "a justification")


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


def _records(file: RawFile, names: Sequence[str], rows: Sequence[Sequence[str]], what: str) -> Records:
    if not rows:
        raise DataError(f"{file.name}: it holds not {what} of the form that is read. Is it this file?")
    return Records(
        file.name, list(names), [list(column) for column in zip(*rows, strict=True)], numbered(len(rows))
    )
