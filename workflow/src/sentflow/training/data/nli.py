"""Triplets from premises, hypotheses and labels: as supervised SimCSE means them, and as a study misread them."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from sentflow.training.data.reader import Rows

CONTRADICTION, ENTAILMENT = 0, 1  # as ConSERT numbers them; 2 is neutral


def by_premise(rows: Rows, classes: Sequence[int], *, negatives: bool) -> Rows:
    """A row for each entailed hypothesis: premise, hypothesis, and a contradicted hypothesis of the same premise.

    `rows`: premises (``text``) and hypotheses (``other``). `classes`: of each row: 1 is entailment, 0 contradiction;
    rows of other classes are left out. `negatives`: whether there must be a contradicted hypothesis; otherwise rows
    are pairs. Rows are in the order of the entailed hypotheses. The k-th one of a premise has its k-th contradiction,
    counted again from the first where there are fewer.

    princeton-nlp/SimCSE@49fa580a leaves out premises that lack either, and draws the contradiction at random.
    """
    entailed = [place for place, found in enumerate(classes) if found == ENTAILMENT]
    if not negatives:
        return _with(rows.taken(entailed), {})
    premises, hypotheses = rows.columns["text"], rows.columns["other"]
    contradicted: dict[str, list[str]] = defaultdict(list)
    for place, found in enumerate(classes):
        if found == CONTRADICTION:
            contradicted[premises[place]].append(hypotheses[place])
    kept = [place for place in entailed if premises[place] in contradicted]
    seen: Counter[str] = Counter()
    negative = []
    for premise in (premises[place] for place in kept):
        choices = contradicted[premise]
        negative.append(choices[seen[premise] % len(choices)])
        seen[premise] += 1
    return _with(rows.taken(kept), {"negative": negative})


def study_label_word(rows: Rows) -> Rows:
    """Every row as a triplet whose hard negative is the word of the label: premise, hypothesis, "neutral".

    What a published study trained on as if it were supervised SimCSE, contradicted hypotheses as positives included;
    kept to see what that does. HYU-NLP/Korean-Sentence-Representations@b03e1514, train-sup.
    """
    return _with(rows, {"negative": rows.columns["label"]})


def _with(rows: Rows, further: Mapping[str, list[str]]) -> Rows:
    return Rows(rows.names, {key: rows.columns[key] for key in ("text", "other")} | dict(further))
