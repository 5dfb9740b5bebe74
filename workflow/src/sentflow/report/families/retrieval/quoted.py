"""What tables of questions worth reading share: which questions they show, in which blocks, and how texts are cut."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.rows import unique
from sentflow.retrieval.hardest_rows import APART, HARDEST, HardQuestion

SHOWN = 5  # of each kind; the file has more
VIEWS = {HARDEST: "hardest questions", APART: "questions on which {a} and {b} differ most"}
_LETTERS = 160


@dataclass(frozen=True)
class Block:
    """The questions of one set that are shown for one reason, under a title."""

    title: str
    questions: tuple[HardQuestion, ...]


def titles_of(rows: Sequence[RetrievalRow]) -> dict[str, str]:
    """Retriever → title, in their order."""
    return {row.retriever: row.retriever_title for row in words.whole(rows) if row.is_main}


def blocks(rows: Sequence[RetrievalRow], quoted: Sequence[HardQuestion]) -> Iterator[Block]:
    """A block per question set and kind, where there are questions of it."""
    titles: Mapping[str, str] = titles_of(rows)
    for name in unique(row.questions for row in words.whole(rows) if row.is_main):
        for view in VIEWS:
            own = [row for row in quoted if (row.question_set, row.view) == (name, view)]
            if own:
                named = VIEWS[view].format(a=titles[own[0].a], b=titles.get(own[0].b, ""))
                yield Block(f"{name}: {named}", tuple(own[:SHOWN]))


def short(text: str, letters: int = _LETTERS) -> str:
    """The beginning of a text."""
    return text if len(text) <= letters else text[:letters].rstrip() + " …"
