"""What a reader should know about the rows of a task before believing its scores, also in plain words."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any
from unicodedata import is_normalized, normalize

import numpy as np
from scipy.sparse import csr_array

from sentflow.audit.ngrams import NEAR, SimilarPairs, ngram_sets, similar_pairs
from sentflow.audit.settings import AuditSettings
from sentflow.probing.draws import FoldPlan, plan_folds
from sentflow.probing.settings import ProbeProtocol
from sentflow.stats.effective import numbered
from sentflow.texts.table import TaskTable, contradicting_rows, row_graph, texts_to_embed

LEAST_PROBABILITY = 0.5
# More characters cost time and change no guess.
_READ_CHARACTERS = 200


def languages(texts: Sequence[str]) -> tuple[dict[str, float], float]:
    """ISO 639 code → share of the texts, the most frequent first; and the share whose language cannot be told."""
    counts = Counter(map(language_of, texts))
    unsure = counts.pop(None, 0)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
    return {str(language): count / len(texts) for language, count in ordered}, unsure / len(texts)


def language_of(text: str) -> str | None:
    """ISO 639 code of the language of a text; None where it cannot be told."""
    language, probability = _identifier().classify(text[:_READ_CHARACTERS])
    return str(language) if probability >= LEAST_PROBABILITY else None


@cache
def _identifier() -> Any:
    """py3langid's, with probabilities; its model takes a second to unpack."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


# Below these nobody needs to act; the numbers are in the audit all the same.
_LEAST_SHARE = 0.005
_LEAST_OTHER_LANGUAGE = 0.02
_LEAST_BALANCE = 0.5
_LEAST_INDEPENDENT = 0.5
_SHORT_CHARACTERS = 10


def warnings_of(facts: Mapping[str, Any], *, language: str) -> list[str]:
    """One sentence per finding that may matter; none for a task without any."""
    return [*_warnings_of_rows(facts), *_warnings_of_texts(facts, language)]


def _warnings_of_rows(facts: Mapping[str, Any]) -> Iterator[str]:
    """Copies, near copies, shared texts; connected rows and documents; contradictions."""
    kinds = {
        "exact_duplicates": (
            ("occur", "occurs", "more than once"),
            "an exact copy in another fold, so probes are tested on texts that they were trained on",
        ),
        "near_duplicates": (
            ("are", "is", "nearly equal to another"),
            "a near copy in another fold, which makes the task easier than it looks",
        ),
        "shared_texts": (
            ("share", "shares", "one of their two texts with another"),
            "a text that also occurs in another fold",
        ),
    }
    for name, ((many, one, what), there) in kinds.items():
        rows = facts[name]
        if rows is not None and rows["share_across_folds"] >= _LEAST_SHARE:
            share = _percent(rows["share_across_folds"])
            yield f"{_rows(rows['rows'], many, one)} {what}: {share} of the rows have {there}."
    shared, n, documents = facts["shared_texts"], facts["n_rows"], facts["documents"]
    if shared is not None and shared["effective_rows"] < _LEAST_INDEPENDENT * n:
        worth = f"{n:,} rows are worth as few as {shared['effective_rows']:,.0f} independent ones."
        remedy = " To probe with connected rows kept together, write documents: texts at the task."
        if 2 * shared["largest_connected"] > n:
            remedy = f" {shared['largest_connected']:,} are connected, so folds cannot keep them apart."
        elif documents is not None:
            remedy = ""
        yield f"Through shared texts, {worth}{remedy}"
    if documents is not None and documents["share_across_folds"] >= _LEAST_SHARE:
        yield (
            f"Rows come from {documents['n']:,} documents, and {_percent(documents['share_across_folds'])} of the "
            "rows have a row of the same document in another fold. A protocol with group_folds keeps documents "
            "together; compare the scores."
        )
    if n_contradicting := facts["contradicting"]["rows"]:
        yield (
            f"{_rows(n_contradicting, 'have', 'has')} a text that also occurs with another label: no classifier "
            "can get all of them right."
        )


def _warnings_of_texts(facts: Mapping[str, Any], language: str) -> Iterator[str]:
    """Classes of unequal size; short texts, their characters and languages."""
    sizes, lengths = facts["classes"], facts["lengths"]["chars"]
    smallest, largest = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
    if sizes[smallest] < _LEAST_BALANCE * sizes[largest]:
        yield (
            f"Class {largest} has {sizes[largest]:,} rows and class {smallest} only {sizes[smallest]:,}: every "
            f"repetition cuts all classes to {sizes[smallest]:,} rows, and scores do not reflect the natural "
            "class frequencies."
        )
    if lengths["p5"] < _SHORT_CHARACTERS:
        short = f"One text in twenty has at most {lengths['p5']:.0f} characters"
        yield f"{short}; labels of such texts are hard to justify."
    if count := facts["not_nfc"]:
        yield (
            f"{count:,} {'text has' if count == 1 else 'texts have'} characters in another form than NFC, such as a "
            "letter and its accent apart. TF-IDF and this audit compare NFC; other encoders get the texts as they "
            "stand."
        )
    others = {code: share for code, share in facts["language"].items() if code != language}
    if (share := sum(others.values())) >= _LEAST_OTHER_LANGUAGE:
        named = ", ".join(f"{code} {_percent(one)}" for code, one in list(others.items())[:3])
        yield f"{_percent(share)} of the texts seem to be in another language than {language} ({named})."


def _rows(count: int, many: str, one: str) -> str:
    """The number of rows with its verb."""
    return f"{count:,} rows {many}" if count != 1 else f"1 row {one}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share < 0.0995 else f"{100 * share:.0f} %"


NOT_DRAWN = -1


def near_duplicates(table: TaskTable, contents: np.ndarray, *, threshold: float) -> SimilarPairs:
    """All pairs of rows of different content whose texts are similar; of pairs of texts both must be."""
    _, representative = np.unique(contents, return_index=True)
    sides = [[texts[row] for row in representative] for texts in (table.text_a, table.text_b) if texts]
    pairs = similar_pairs(ngram_sets(sides), threshold=threshold)
    similarity = csr_array((pairs.similarity, (pairs.first, pairs.second)), (len(sides[0]),) * 2)
    of_rows = csr_array((np.ones(len(contents)), (np.arange(len(contents)), contents)))
    found = (of_rows @ similarity @ of_rows.T).tocoo()
    first, second = np.minimum(found.row, found.col), np.maximum(found.row, found.col)
    order = np.lexsort((second, first))
    return SimilarPairs(first[order].astype(np.int64), second[order].astype(np.int64), found.data[order])


def folds_of_rows(plans: Iterable[FoldPlan], n_rows: int) -> np.ndarray:
    """(repetitions, n_rows) int64: the fold that tests each row, `NOT_DRAWN` where a repetition leaves it out."""
    folds: dict[int, np.ndarray] = {}
    for plan in plans:
        row = folds.setdefault(plan.repetition, np.full(n_rows, NOT_DRAWN, np.int64))
        row[plan.test] = plan.fold
    return np.stack([folds[repetition] for repetition in sorted(folds)])


def split_across_folds(groups: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """(repetitions, n) bool: which rows have another row of their group in another fold."""
    split = np.zeros(folds.shape, bool)
    for line, fold_of in zip(split, folds, strict=True):
        drawn = np.flatnonzero(fold_of != NOT_DRAWN)
        places = np.unique(np.stack([groups[drawn], fold_of[drawn]]), axis=1)  # group and fold, each once
        line[drawn] = (np.bincount(places[0]) > 1)[groups[drawn]]
    return split


def pairs_split_across_folds(first: np.ndarray, second: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """(repetitions, n) bool: which rows are paired with a row in another fold."""
    split = np.zeros(folds.shape, bool)
    for line, fold_of in zip(split, folds, strict=True):
        one, two = fold_of[first], fold_of[second]
        apart = (one != NOT_DRAWN) & (two != NOT_DRAWN) & (one != two)
        line[first[apart]] = line[second[apart]] = True
    return split


def share_of_drawn(rows: np.ndarray, folds: np.ndarray) -> float:
    """Share of the drawn rows that are marked in (repetitions, n) `rows`; mean over repetitions."""
    return float((rows.sum(axis=1) / (folds != NOT_DRAWN).sum(axis=1)).mean())


_EXAMPLES = 20
_QUANTILES = {"min": 0.0, "p5": 0.05, "median": 0.5, "p95": 0.95, "max": 1.0}


def audit(table: TaskTable, settings: AuditSettings) -> dict[str, Any]:
    """Duplicates, contradictions, classes, lengths, languages and documents of a task, with warnings in plain words."""
    not_nfc = sum(not is_normalized("NFC", text) for text in texts_to_embed(table))
    composed = {
        side: [normalize("NFC", text) for text in getattr(table, side)] for side in ("text_a", "text_b")
    }
    table = replace(table, **composed)  # type: ignore[arg-type]
    documents = _documents(table)
    protocol = ProbeProtocol(repetitions=settings.repetitions, folds=settings.folds, seed=settings.seed)
    groups = documents if settings.group_folds else None
    folds = folds_of_rows(plan_folds(table.labels, protocol, groups=groups), len(table))
    contents, contradicting = numbered(table.contents()), contradicting_rows(table)
    copies = np.bincount(contents)
    texts = texts_to_embed(table)
    language, unsure = languages(texts)
    facts = {
        "task": table.info.task,
        "n_rows": len(table),
        "exact_duplicates": {
            "rows": int(copies[copies > 1].sum()),
            "groups": int((copies > 1).sum()),
            "share_across_folds": share_of_drawn(split_across_folds(contents, folds), folds),
        },
        "near_duplicates": _near(table, contents, folds),
        "contradicting": {
            "rows": len(contradicting),
            "groups": len(np.unique(contents[contradicting])),
            "examples": contradicting[:_EXAMPLES],
        },
        "shared_texts": None if table.info.layout == "single" else _shared_texts(table, contents, folds),
        "classes": dict(
            zip(
                table.info.classes,
                np.bincount(table.labels, minlength=len(table.info.classes)).tolist(),
                strict=True,
            )
        ),
        "lengths": {
            "chars": _quantiles([len(text) for text in texts]),
            "words": _quantiles([len(text.split()) for text in texts]),
        },
        "not_nfc": not_nfc,
        "language": language,
        "language_unsure": unsure,
        "documents": None
        if documents is None
        else {
            "n": len({name for name in table.groups if name is not None}),
            "rows_with_one": sum(name is not None for name in table.groups),
            "share_across_folds": share_of_drawn(split_across_folds(documents, folds), folds),
        },
    }
    return {**facts, "warnings": warnings_of(facts, language=settings.language)}


def _documents(table: TaskTable) -> np.ndarray | None:
    """(n,) int64: the document of each row, a row without one is its own; None where no row names one."""
    if all(name is None for name in table.groups):
        return None
    return numbered(
        ("row", str(row)) if name is None else ("document", name) for row, name in enumerate(table.groups)
    )


def _near(table: TaskTable, contents: np.ndarray, folds: np.ndarray) -> Mapping[str, Any]:
    pairs = near_duplicates(table, contents, threshold=NEAR)
    order = np.lexsort((pairs.second, pairs.first, -pairs.similarity))[:_EXAMPLES]
    examples = [
        [int(pairs.first[place]), int(pairs.second[place]), round(float(pairs.similarity[place]), 4)]
        for place in order
    ]
    return {
        "rows": len(np.unique(np.concatenate([pairs.first, pairs.second]))),
        "pairs": len(pairs.first),
        "share_across_folds": share_of_drawn(
            pairs_split_across_folds(pairs.first, pairs.second, folds), folds
        ),
        "threshold": NEAR,
        "examples": examples,
    }


def _shared_texts(table: TaskTable, contents: np.ndarray, folds: np.ndarray) -> Mapping[str, Any]:
    """Rows that have one of their two texts in common with a row of other content, and what all rows are worth."""
    graph = row_graph(table)
    shared = np.zeros(len(table), bool)
    split = np.zeros(folds.shape, bool)
    first_of_content = np.unique(contents, return_index=True)[1]
    for texts in (numbered(table.text_a), numbered(table.text_b)):
        shared |= (np.bincount(texts[first_of_content]) > 1)[texts]
        split |= split_across_folds(texts, folds)
    return {
        "rows": int(shared.sum()),
        "share_across_folds": share_of_drawn(split & shared, folds),
        "effective_rows": graph.effective_rows,
        "largest_connected": int(np.bincount(graph.component).max()),
    }


def _quantiles(values: list[int]) -> dict[str, float]:
    quantiles = np.quantile(values, list(_QUANTILES.values()))
    return dict(zip(_QUANTILES, quantiles.tolist(), strict=True))
