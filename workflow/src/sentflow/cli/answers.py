"""What was found for new questions: as a submission, as a run, as a table in the terminal."""

from collections.abc import Sequence
from pathlib import Path

from sentflow.cli.terminal import Listing
from sentflow.exports.submission import submission, submission_text
from sentflow.files.io import write_text
from sentflow.report.numbers import counted
from sentflow.retrieval.ranking import Run
from sentflow.retrieval.runs import write_run
from sentflow.retrieval.trec import run_lines
from sentflow.texts.corpora import Corpus

SUBMISSION, TABLE = ".json", ".parquet"
_SHOWN = 5  # documents
_CHARACTERS = 200  # of each


def write_answers(path: Path, found: Run, asked: Sequence[str], *, question_set: str, retriever: str) -> None:
    """Write what was found, in the form that the ending names.

    Parameters
    ----------
    path
        ``.json``: a submission of the Zalo challenge; ``.parquet``: a run, see `write_run`; any other: a run in TREC's
        form.
    found
        What is given for each question.
    asked
        Identifiers of all questions, in order.
    question_set, retriever
        Names.

    Raises
    ------
    DataError
        The file cannot be written, or a document of a submission is no article of a law.
    """
    if path.suffix == SUBMISSION:
        documents = {name: found.documents(name) for name in found.ranked}
        write_text(path, submission_text(submission(asked, documents)))
    elif path.suffix == TABLE:
        write_run(path, found, {"questions": question_set, "retriever": retriever})
    else:
        write_text(path, "".join(f"{line}\n" for line in run_lines(found, retriever, {})))


def answers_shown(found: Run, question: str, corpus: Corpus, *, title: str, decided: bool) -> Listing:
    """The first documents of a question, each with its score and its beginning.

    Parameters
    ----------
    found
        With its corpus.
    question
        Identifier.
    corpus
        With the texts.
    title
        What stands above.
    decided
        Whether `found` is what was decided, of which nothing is left out.
    """
    ranked = found.ranked.get(question)
    n_found = len(ranked) if ranked else 0
    n_shown = n_found if decided else min(n_found, _SHOWN)
    texts = corpus.whole_texts()
    rows = [
        (str(place), corpus.ids[row], f"{score:.4g}", beginning(texts[row]))
        for place, (row, score) in enumerate(
            zip(ranked.rows[:n_shown].tolist(), ranked.scores[:n_shown].tolist(), strict=True), start=1
        )
    ] if ranked else []  # fmt: skip
    more = f"{counted(n_found - n_shown, 'further document')} below them." if n_found > n_shown else ""
    note = more if n_found else "Nothing is given as an answer." if decided else "No document was found."
    return Listing(
        ("#", "Document", "Score", "Text"), rows, "rlrl", caption=title, notes=(note,) * bool(note)
    )


def beginning(text: str) -> str:
    """The first letters of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _CHARACTERS else f"{line[:_CHARACTERS].rstrip()} …"
