"""Rows of both classes from records that have none, and rows that are left out so that classes are balanced."""

from collections.abc import Hashable, Sequence

import numpy as np

from sentflow.texts.derived.alter import altered
from sentflow.texts.derived.exchange import partners

Cells = dict[str, str]


def exchanged(found: Sequence[Cells], rng: np.random.Generator) -> list[Cells]:
    """Pairs in matches of two, half of which exchange their second texts, see `sentflow.texts.derived.exchange`."""
    others = partners([one.get("topic", "") for one in found], [one["text_b"] for one in found], rng)
    matches = [(one, other) for one, other in enumerate(others) if other is not None and one < other]
    order = rng.permutation(len(matches))
    exchanging = {matches[match] for match in order[: len(order) // 2].tolist()}
    rows = []
    for place, (one, other) in enumerate(zip(found, others, strict=True)):
        if other is None:
            continue
        match = (min(place, other), max(place, other))
        apart = match in exchanging
        text_b = found[other]["text_b"] if apart else one["text_b"]
        rows.append({**one, "text_b": text_b, "label": "0" if apart else "1", "group": _document(match)})
    return rows


def crossed(found: Sequence[Cells], rng: np.random.Generator) -> list[Cells]:
    """Documents in matches of two, half of whose pairs exchange their second texts.

    Of both documents of a match as many pairs are drawn as the smaller one has. Where this number is odd, the last pair
    is in two rows, once as it is and once exchanged: so every document has as many rows of each class, and each second
    text of a document with one of them too. A row without a document is a document of its own.
    """
    members: dict[str, list[Cells]] = {}
    for place, one in enumerate(found):
        members.setdefault(one.get("group", f"row {place}"), []).append(one)
    documents = list(members.values())
    others = partners(
        [of[0].get("topic", "") for of in documents], [of[0]["text_b"] for of in documents], rng
    )
    rows: list[Cells] = []
    for place, other in enumerate(others):
        if other is None or other < place:
            continue
        sides = [documents[place], documents[other]]
        n = min(map(len, sides))
        drawn = [[of[one] for one in rng.permutation(len(of))[:n].tolist()] for of in sides]
        group = _document((place, other))
        for own, partner in zip(drawn, drawn[::-1], strict=True):
            rows += [{**row, "label": "1", "group": group} for row in own[: (n + 1) // 2]]
            rows += [
                {**row, "text_b": other_row["text_b"], "label": "0", "group": group}
                for row, other_row in zip(own[n // 2 :], partner[n // 2 :], strict=True)
            ]
    return rows


def balanced(found: Sequence[Cells], rng: np.random.Generator, length_step: int | None = None) -> list[Cells]:
    """As many rows of each class in every topic, in their order.

    `length_step`: characters. With it, rows are also balanced within classes of length of each of their texts:
    0…step - 1, step…2 step - 1, and so on.
    """
    places: dict[Hashable, dict[str, list[int]]] = {}
    for place, one in enumerate(found):
        alike: list[Hashable] = [one.get("topic", "")]
        if length_step is not None:
            alike += [len(one.get(side, "")) // length_step for side in ("text_a", "text_b")]
        places.setdefault(tuple(alike), {}).setdefault(one["label"], []).append(place)
    labels = {one["label"] for one in found}
    kept: list[int] = []
    for of_label in places.values():
        least = min(len(of_label.get(label, ())) for label in labels)
        for label in sorted(of_label):
            kept += rng.permutation(of_label[label])[:least].tolist()
    return [found[place] for place in sorted(kept)]


def tampered(found: Sequence[Cells], rng: np.random.Generator) -> list[Cells]:
    """Half of the texts altered, see `sentflow.texts.derived.alter`; texts without a word for it are left out."""
    changed = [(one, altered(one["text_a"], rng)) for one in found]
    alterable = [(one, text) for one, text in changed if text is not None]
    order = rng.permutation(len(alterable))
    chosen = set(order[: len(order) // 2].tolist())
    return [
        {**one, "text_a": text, "label": "1"} if place in chosen else {**one, "label": "0"}
        for place, (one, text) in enumerate(alterable)
    ]


def _document(match: tuple[int, int]) -> str:
    return f"{match[0] + 1} and {match[1] + 1}"
