"""Rows of a task that are derived from public records: what columns mean, what is masked, how negatives are made."""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path, PurePath

import numpy as np

from sentflow.config.collections import Records
from sentflow.config.tasks import FILE, Reader
from sentflow.stats.seeds import derive_seed
from sentflow.texts.plain import plain
from sentflow.texts.sources import Row, Rows, Source, columns_of, label_map, rows_of
from sentflow.texts.table import SEPARATOR

_WRITTEN = """
poderá/deverá poderão/deverão pode/deve podem/devem salvo/inclusive vedado/permitido vedada/permitida
proibido/autorizado proibida/autorizada obrigatório/facultativo obrigatória/facultativa máximo/mínimo
máxima/mínima maior/menor maiores/menores antes/depois anterior/posterior público/privado
pública/privada públicas/privadas públicos/privados aumentada/diminuída aumento/redução nulo/válido
nula/válida direito/dever direitos/deveres dolosa/culposa doloso/culposo credor/devedor autor/réu
presença/ausência favorável/contrário federal/municipal inclui/exclui permanente/temporário
definitiva/provisória tácita/expressa imediatamente/oportunamente sempre/nunca todos/alguns
todas/algumas com/sem e/ou
"""
OPPOSITES: Sequence[tuple[str, str]] = [
    (word, other) for word, _, other in (pair.partition("/") for pair in _WRITTEN.split())
]
_LAST = 2  # of the table: such frequent words are exchanged only where nothing else can be
_OTHER = {word: other for pair in OPPOSITES for word, other in (pair, pair[::-1])}
_RARE = {word for pair in OPPOSITES[:-_LAST] for word in pair}
_ALTERED_WORD = re.compile(r"\w+")


def altered(text: str, rng: np.random.Generator) -> str | None:
    """The text with one word in the place of its opposite; None where no word has one."""
    words = [found for found in _ALTERED_WORD.finditer(text) if found[0].lower() in _OTHER]
    rare = [found for found in words if found[0].lower() in _RARE]
    if not words:
        return None
    choice = rare or words
    found = choice[int(rng.integers(len(choice)))]
    other = _OTHER[found[0].lower()]
    other = other.capitalize() if found[0][0].isupper() else other
    return text[: found.start()] + other + text[found.end() :]


MASK = "[NOME]"


class Names:
    """Known names, as they are written; case does not count. Of names that hold another, the longest is found."""

    def __init__(self, names: Iterable[str]) -> None:
        self._known = {name.lower(): name for name in sorted(names, reverse=True)}
        longest_first = sorted(self._known, key=lambda name: (-len(name), name))
        self._pattern = re.compile(
            rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", re.IGNORECASE
        )

    def hidden(self, text: str) -> tuple[str, str] | None:
        """The text with `MASK` in the place of its name, and that name; None where it has no name, or several."""
        found = {name.lower() for name in self._pattern.findall(text)}
        if len(found) != 1:
            return None
        return self._pattern.sub(MASK, text), self._known[found.pop()]


def partners(topics: Sequence[Hashable], texts: Sequence[str], rng: np.random.Generator) -> list[int | None]:
    """For each pair the one that it is matched with, drawn among those of its topic; None for a pair alone.

    Pairs whose topic has no partner for them are matched with one another, whatever their topics. Two pairs with the
    same text (but for case and punctuation) are no partners.
    """
    found: list[int | None] = [None] * len(topics)
    bare = list(map(plain, texts))
    by_topic: dict[Hashable, list[int]] = {}
    for place, topic in enumerate(topics):
        by_topic.setdefault(topic, []).append(place)
    # What a topic leaves over
    left = [place for places in by_topic.values() for place in _matched(places, bare, found, rng)]
    _matched(left, bare, found, rng)
    return found


def _matched(
    places: Sequence[int], texts: Sequence[str], found: list[int | None], rng: np.random.Generator
) -> list[int]:
    """Match pairs at random, of different texts; gives those that remain."""
    order = [places[one] for one in rng.permutation(len(places)).tolist()]
    # The most frequent text first: as long as it is less than half of them, all find a partner
    counts: dict[str, int] = {}
    for place in order:
        counts[texts[place]] = counts.get(texts[place], 0) + 1
    remaining = []
    while order:
        one = max(order, key=lambda place: counts[texts[place]])
        order.remove(one)
        counts[texts[one]] -= 1
        other = next((place for place in order if texts[place] != texts[one]), None)
        if other is None:
            remaining.append(one)
            continue
        order.remove(other)
        counts[texts[other]] -= 1
        found[one], found[other] = other, one
    return remaining


Cells = dict[str, str]


def exchanged(found: Sequence[Cells], rng: np.random.Generator) -> list[Cells]:
    """Pairs in matches of two, half of which exchange their second texts."""
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
    """Half of the texts altered; texts without a word for it are left out."""
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


_MEANINGS = ("text_a", "text_b", "label", "group", "topic", "key")
_MAKERS = {"exchange": exchanged, "cross": crossed, "alter": tampered}


class Derivation:
    """A task with ``format: derived``; what each key of its reader does is said there."""

    def __init__(self, reader: Reader, paths: Mapping[str, Path], where: str) -> None:
        self.reader, self.paths, self.where = reader, paths, where
        self.labels = label_map(reader.labels)
        self.replaced = [(_compiled(one.pattern), one.by) for one in reader.replace or ()]
        self.matching = {
            key: _compiled(text)
            for key in ("text_a", "text_b", "label", "topic")
            if reader.matching and (text := getattr(reader.matching, key)) is not None
        }
        # of which the value is the name of the file
        self.of_file = {
            key
            for source in reader.sources or ()
            for key in ("label", "group", "topic")
            if getattr(source, key) == FILE
        }

    def rows(self, task: str) -> Rows:
        reader = self.reader
        answers = {row.one("key"): row.one("text_b") for row in self._read("joined", reader.joined)}
        names = Names(self._names()) if reader.names else None
        kept = [
            cells
            for row in self._read("sources", reader.sources)
            if (cells := self._row(row, answers, names))
        ]
        if reader.not_in:
            others = {plain(row.one("text_a")) for row in self._read("not_in", reader.not_in)}
            kept = [cells for cells in kept if plain(cells["text_a"]) not in others]
        if reader.distinct:
            kept = list({plain(cells["text_a"]): cells for cells in reversed(kept)}.values())[::-1]
        rng = np.random.default_rng(derive_seed(reader.seed, "derived", task))
        if reader.balanced:
            kept = balanced(kept, rng, reader.length_step)
        if reader.makes:
            kept = _MAKERS[reader.makes](kept, rng)
        return Rows(
            names=[cells["name"] for cells in kept],
            text_a=[cells["text_a"] for cells in kept],
            text_b=[cells["text_b"] for cells in kept] if kept and "text_b" in kept[0] else None,
            labels=[cells["label"] for cells in kept],
            groups=[cells.get("group") for cells in kept],
        )

    def _read(self, key: str, entries: Sequence[Records] | None) -> list[Row]:
        sources = []
        for number, entry in enumerate(entries or ()):
            columns = columns_of(entry, _MEANINGS)
            named = {meaning: column for meaning, column in columns.items() if column != FILE}
            sources.append(Source(entry, f"{self.where}.{key}.{number}", named))
        return list(rows_of(sources, self.paths))

    def _names(self) -> list[str]:
        cells = [row.one("text_a") for row in self._read("names", self.reader.names)]
        if pattern := self.reader.name_pattern:
            cells = [name for cell in cells for name in _compiled(pattern).findall(cell)]
        return [name for cell in cells if (name := self._replaced(cell))]

    def _row(self, row: Row, answers: Mapping[str, str], names: Names | None) -> dict[str, str] | None:
        """The cells of a row by what they mean; None for a row that is left out."""
        reader = self.reader
        cells = {key: SEPARATOR.join(values) for key, values in row.cells.items()}
        name = PurePath(row.where.partition(", row ")[0]).stem
        cells |= dict.fromkeys(self.of_file, name)
        if reader.joined:
            cells["text_b"] = answers.get(cells["key"], "")
        if reader.split:
            parts = _compiled(reader.split).split(cells["text_a"], maxsplit=1)
            cells["text_a"], cells["text_b"] = (parts[0], parts[-1]) if len(parts) > 1 else ("", "")
        for key in ("text_a", "text_b"):
            if key in cells:
                cells[key] = self._replaced(cells[key])
        if names:
            cells["text_a"], cells["text_b"] = names.hidden(cells["text_a"]) or ("", "")
        if any(not cells[key] for key in ("text_a", "text_b", "label", "topic") if key in cells):
            return None
        if any(not one.fullmatch(cells[key]) for key, one in self.matching.items()):
            return None
        if reader.topic_pattern and (topic := _compiled(reader.topic_pattern).search(cells["topic"])):
            cells["topic"] = topic[0]
        same = plain(cells["text_a"]) == plain(cells.get("text_b", ""))
        if same or len(cells["text_a"].split()) < (reader.least_words or 1):
            return None
        if reader.threshold is not None:
            cells["label"] = str(int(float(cells["label"].replace(",", ".")) >= reader.threshold))
        elif self.labels and cells.get("label") not in self.labels:
            return None
        return {"name": row.where, **cells}

    def _replaced(self, text: str) -> str:
        for pattern, by in self.replaced:
            text = pattern.sub(by, text)
        return " ".join(text.split())


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
