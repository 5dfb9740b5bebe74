"""The rows of one sample task: how many per class, and the loop that writes them."""

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sentflow.texts.sample.grammar import Grammar
from sentflow.texts.sample.vocabulary import vocabulary

Texts = tuple[str] | tuple[str, str]
Writer = Callable[[Grammar, int], Texts]

# Natural repeats are welcome (a greeting, a slogan), but a writer that keeps repeating itself is stopped.
ATTEMPTS_AT_NEW_TEXTS = 20


@dataclass(frozen=True)
class SampleRows:
    """Rows in the official CSV form."""

    columns: tuple[str, ...]  # ``("text", "label")`` or ``("text_a", "text_b", "label")``
    texts: list[Texts]  # n tuples of one or two texts
    labels: list[int]  # n class numbers, from 0

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True)
class Recipe:
    """How the rows of a task are made."""

    write: Writer  # writes the texts of one row of a class
    rows_per_class: tuple[int, ...]  # class k has ``rows_per_class[k]`` rows
    noise: float  # share of rows whose texts were written for another class than their label says, in [0, 1)


def make_rows(recipe: Recipe, *, seed: int) -> SampleRows:
    """Write the rows of a recipe in random order; the same seed gives the same rows."""
    rng = np.random.Generator(np.random.PCG64(seed))
    grammar = Grammar(rng, vocabulary("words"))
    seen: set[Texts] = set()
    rows: list[tuple[Texts, int]] = []
    for label, n_rows in enumerate(recipe.rows_per_class):
        for _ in range(n_rows):
            rows.append((_new_texts(recipe, grammar, label, seen), label))
    rows = grammar.sample(rows, len(rows))
    columns = ("text", "label") if len(rows[0][0]) == 1 else ("text_a", "text_b", "label")
    return SampleRows(columns, [texts for texts, _ in rows], [label for _, label in rows])


def to_csv(rows: SampleRows) -> str:
    """The rows as the official files hold them: an unnamed index, one or two texts, the label."""
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\n")
    writer.writerow(("", *rows.columns))
    for index, (texts, label) in enumerate(zip(rows.texts, rows.labels, strict=True)):
        writer.writerow((index, *texts, label))
    return sheet.getvalue()


def _new_texts(recipe: Recipe, grammar: Grammar, label: int, seen: set[Texts]) -> Texts:
    if grammar.chance(recipe.noise):
        label = grammar.pick_other(range(len(recipe.rows_per_class)), label)
    texts = recipe.write(grammar, label)
    for _ in range(ATTEMPTS_AT_NEW_TEXTS):
        if texts not in seen:
            break
        texts = recipe.write(grammar, label)
    seen.add(texts)
    return texts
