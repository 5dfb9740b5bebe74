"""The files of SemEval's STS tasks: sentences in one file, their gold scores line by line in another."""

from sentflow.errors import DataError
from sentflow.texts.formats.delimited import plain_lines
from sentflow.texts.formats.raw_file import RawFile
from sentflow.texts.formats.records import Records, listed

_WIDTHS = (2, 4)  # two sentences, and perhaps notes on their sources


def read_sts_text(sentences: RawFile, gold: RawFile, *, unscored: bool = False) -> Records:
    """Pairs of sentences (tab, no quoting) that have a score; a blank line of gold is a pair that was not scored.

    `unscored`: whether pairs without a score are kept, too; theirs is an empty text. Returns: columns ``text_a``,
    ``text_b`` and ``score``; rows have the numbers of their lines. Raises DataError: the files have different numbers
    of lines, or lines of another form; or no pair has a score.
    """
    records = [line.split("\t") for line in plain_lines(sentences.text())]
    scores = plain_lines(gold.text())
    if len(records) != len(scores):
        raise DataError(
            f"{sentences.name} has {len(records)} lines, but {gold.name} has {len(scores)}: "
            "every pair needs its line of gold, blank where it was not scored."
        )
    odd = [f"line {line} has {len(r)}" for line, r in enumerate(records, start=1) if len(r) not in _WIDTHS]
    if odd:
        raise DataError(
            f"{sentences.name}: {listed(odd, limit=10)} fields, expected {' or '.join(map(str, _WIDTHS))}. "
            "Is it the right format, and the right delimiter?"
        )
    kept = [row for row, score in enumerate(scores) if unscored or score.strip()]
    if not kept:
        raise DataError(f"{gold.name} is empty: no line holds a score.")
    columns = (
        [records[row][0] for row in kept],
        [records[row][1] for row in kept],
        [scores[row] for row in kept],
    )
    return Records(sentences.name, ("text_a", "text_b", "score"), columns, [str(row + 1) for row in kept])
