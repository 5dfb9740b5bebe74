"""What rows of training data have, form by form. Standard library only: the Snakefile reads it."""

from collections.abc import Mapping, Sequence

# Beside their text, rows have
TEXTS = "texts"
PAIRS = "pairs"  # other
TRIPLETS = "triplets"  # other, negative
LABELLED = "labelled"  # other, label
SCORED = "scored"  # other, negative, and a teacher's score of both
SPANS = "spans"  # a text of two lines or more, each a span of one document

SCORES = ("score", "negative_score")
"""Columns of numbers: a teacher's scores of a text with ``other`` and with ``negative``."""
COLUMNS = ("text", "other", "negative", "label", *SCORES)
"""What may be named of a file."""

FORMS: Mapping[str, Sequence[str]] = {
    TEXTS: ("text",),
    PAIRS: ("text", "other"),
    TRIPLETS: ("text", "other", "negative"),
    SCORED: ("text", "other", "negative", *SCORES),
    LABELLED: ("text", "other", "label"),
    SPANS: ("text",),
}
"""Form → the columns of its tables."""

READ_BY_ROW = ("lines", "csv", "tsv", "jsonl", "parquet")
"""Formats of files of which a few rows at a time are in memory."""

BY_PREMISE, STUDY_LABEL_WORD = "by-premise", "study-label-word"
"""How triplets are made of premises, hypotheses and labels; see `sentflow.training.data.prepare`."""

ALL, RANDOM = "all", "random"
"""How many negatives are taken, and which; see `sentflow.training.data.mine`."""
RANKS = (1, 20)
"""Between which they are looked for."""
MOST_RANKS = 1000
"""Documents per question that are ranked for training alone."""
