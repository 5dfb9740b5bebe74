"""The findings of an audit in sentences that need no statistics to be understood."""

from collections.abc import Iterator, Mapping
from typing import Any

# Below these nobody needs to act; the numbers are in the audit all the same.
_LEAST_SHARE = 0.005
_LEAST_OTHER_LANGUAGE = 0.02
_LEAST_BALANCE = 0.5
_LEAST_INDEPENDENT = 0.5
_SHORT_CHARACTERS = 10


def warnings_of(facts: Mapping[str, Any], *, language: str) -> list[str]:
    """One sentence per finding that may matter; none for a task without any."""
    found = [
        *_copies(facts),
        _connected(facts),
        _documents(facts),
        _contradictions(facts),
        _classes(facts),
        _short_texts(facts),
        _decomposed(facts),
        _languages(facts, language),
    ]
    return [sentence for sentence in found if sentence]


def _copies(facts: Mapping[str, Any]) -> Iterator[str]:
    """Rows that occur more than once, nearly more than once, or share a text with another."""
    told = {
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
    for name, ((many, one, what), there) in told.items():
        found = facts[name]
        if found is not None and found["share_across_folds"] >= _LEAST_SHARE:
            share = _percent(found["share_across_folds"])
            yield f"{_rows(found['rows'], many, one)} {what}: {share} of the rows have {there}."


def _connected(facts: Mapping[str, Any]) -> str:
    found, n = facts["shared_texts"], facts["n_rows"]
    if found is None or found["effective_rows"] >= _LEAST_INDEPENDENT * n:
        return ""
    worth = f"Through shared texts, {n:,} rows are worth as few as {found['effective_rows']:,.0f} independent ones."
    if 2 * found["largest_connected"] > n:
        return f"{worth} {found['largest_connected']:,} are connected, so folds cannot keep them apart."
    if facts["documents"] is not None:
        return worth
    return f"{worth} To probe with connected rows kept together, write documents: texts at the task."


def _documents(facts: Mapping[str, Any]) -> str:
    found = facts["documents"]
    if found is None or found["share_across_folds"] < _LEAST_SHARE:
        return ""
    return (
        f"Rows come from {found['n']:,} documents, and {_percent(found['share_across_folds'])} of the rows "
        "have a row of the same document in another fold. A protocol with group_folds keeps documents "
        "together; compare the scores."
    )


def _contradictions(facts: Mapping[str, Any]) -> str:
    found = facts["contradicting"]
    if not found["rows"]:
        return ""
    return (
        f"{_rows(found['rows'], 'have', 'has')} a text that also occurs with another label: no classifier "
        "can get all of them right."
    )


def _classes(facts: Mapping[str, Any]) -> str:
    sizes = facts["classes"]
    smallest, largest = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
    if sizes[smallest] >= _LEAST_BALANCE * sizes[largest]:
        return ""
    return (
        f"Class {largest} has {sizes[largest]:,} rows and class {smallest} only {sizes[smallest]:,}: every "
        f"repetition cuts all classes to {sizes[smallest]:,} rows, and scores do not reflect the natural "
        "class frequencies."
    )


def _short_texts(facts: Mapping[str, Any]) -> str:
    lengths = facts["lengths"]["chars"]
    if lengths["p5"] >= _SHORT_CHARACTERS:
        return ""
    return f"One text in twenty has at most {lengths['p5']:.0f} characters; labels of such texts are hard to justify."


def _decomposed(facts: Mapping[str, Any]) -> str:
    if not (count := facts["not_nfc"]):
        return ""
    return (
        f"{count:,} {'text has' if count == 1 else 'texts have'} characters in another form than NFC, such as a letter "
        "and its accent apart. TF-IDF and this audit compare NFC; other encoders get the texts as they stand."
    )


def _languages(facts: Mapping[str, Any], language: str) -> str:
    others = {code: share for code, share in facts["language"].items() if code != language}
    if sum(others.values()) < _LEAST_OTHER_LANGUAGE:
        return ""
    named = ", ".join(f"{code} {_percent(share)}" for code, share in list(others.items())[:3])
    return f"{_percent(sum(others.values()))} of the texts seem to be in another language than {language} ({named})."


def _rows(count: int, many: str, one: str) -> str:
    """The number of rows with its verb."""
    return f"{count:,} rows {many}" if count != 1 else f"1 row {one}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share < 0.0995 else f"{100 * share:.0f} %"
