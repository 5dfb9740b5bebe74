"""A paired corpus as a data set of the Hugging Face hub: shards, and a card that says where its pairs are from."""

import json
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sentflow.exports.identity import Credit, PairCorpus

Facts = Mapping[str, Any]


def shard_name(place: int, n_shards: int) -> str:
    """File name of a shard as the hub's library expects it; the first has place 0."""
    return f"train-{place:05d}-of-{n_shards:05d}.parquet"


def shard_borders(n_rows: int, n_shards: int) -> list[tuple[int, int]]:
    """First row, and the row behind the last, of each shard; sizes differ by one at most."""
    ends = [n_rows * (place + 1) // n_shards for place in range(n_shards)]
    return list(zip([0, *ends[:-1]], ends, strict=True))


def card(facts: Facts, about: PairCorpus, audit: Facts | None, size_bytes: int) -> str:
    """The card of a paired corpus."""
    relations = facts["relations"]
    front = [
        "---",
        f"pretty_name: {json.dumps(about.title, ensure_ascii=False)}",
        *([f"language: [{about.language}]"] if about.language != "und" else []),
        "license: other",
        "task_categories: [sentence-similarity]",
        f"size_categories: [{size_category(facts['rows'])}]",
        "configs: [{config_name: default, data_files: [{split: train, path: data/*.parquet}]}]",
        "---",
    ]
    return "\n".join(
        [
            *front,
            "",
            f"# {about.title}",
            "",
            f"{facts['rows']:,} pairs of texts ({size_bytes / 1e6:.1f} MB): columns `text`, `other` and `relation`, "
            "which says what makes the two a pair. Made by sentflow; SHA-256 of the table that they were cut from: "
            f"`{facts['sha256']}`.",
            "",
            *_relation_table(relations, about),
            "",
            "What was left out, in this order: pairs of two equal texts (case and punctuation do not count); pairs "
            "with a text that py3langid takes for another language; pairs with texts of the tests below; copies and "
            "near copies of earlier pairs (of both texts the Jaccard similarity of the character 5-grams is "
            f"{about.near} or more; found by MinHash).",
            "",
            f"Masked: {_told_masks(relations)}. Names of persons are not masked.",
            "",
            *_tests(relations, audit),
            "",
            "## Sources",
            "",
            *_sources(about.datasets),
            "",
        ]
    )


def size_category(n_rows: int) -> str:
    """The hub's name of a number of rows."""
    sizes = ["1K", "10K", "100K", "1M", "10M", "100M"]
    place = bisect([10**digits for digits in range(3, 8)], n_rows)
    return f"{sizes[place - 1]}<n<{sizes[place]}" if place else "n<1K"


def _relation_table(relations: Sequence[Facts], about: PairCorpus) -> Iterator[str]:
    columns = ("read", "equal", "other_language", "held_out", "copies", "near", "rows")
    yield "| relation | read | equal | other language | in tests | copies | near copies | pairs |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for one in relations:
        title = about.relations.get(one["relation"], one["relation"])
        yield f"| {title} (`{one['relation']}`) | " + " | ".join(f"{one[key]:,}" for key in columns) + " |"
    totals = [sum(one[key] for one in relations) for key in columns]
    yield "| **all** | " + " | ".join(f"{n:,}" for n in totals) + " |"


def _told_masks(relations: Sequence[Facts]) -> str:
    names = dict.fromkeys(mask for one in relations for mask in one["masks"])
    counts = {mask: sum(one["masks"].get(mask, 0) for one in relations) for mask in names}
    return ", ".join(f"`{mask}` {n:,} times" for mask, n in counts.items())


def _tests(relations: Sequence[Facts], audit: Facts | None) -> Iterator[str]:
    yield "## Tests that were held out"
    yield ""
    tests: dict[tuple[str, str], int] = {}
    for kind, name, n in (found for one in relations for found in one["tests"]):
        tests[kind, name] = tests.get((kind, name), 0) + n
    if not tests:
        yield "No pair was left out for a text of a test."
    for (kind, name), n in sorted(tests.items()):
        yield f"- {kind} {name}: {n:,} pairs left out"
    if audit is None:
        return
    yield ""
    yield (
        "An audit of the finished pairs compared the texts of the following tests with them: copies, and near copies "
        f"(Jaccard similarity {audit['threshold']} or more)."
    )
    yield ""
    yield "| test | texts | copies | near copies |"
    yield "|---|---:|---:|---:|"
    for test in audit["tests"]:
        texts = test["texts"]
        yield f"| {test['kind']} {test['name']} | {texts['n']:,} | {texts['copies']:,} | {texts['near']:,} |"


def _sources(datasets: Mapping[str, Sequence[Credit]]) -> Iterator[str]:
    relations: dict[str, list[str]] = {}
    for name, found in datasets.items():
        for one in found:
            relations.setdefault(one.title, []).append(f"`{name}`")
    by_title = {one.title: one for found in datasets.values() for one in found}
    for title, one in sorted(by_title.items()):
        cited = "" if one.citation == "none" else f" {one.citation}"
        yield f"- {title} ({', '.join(relations[title])}). Licence: {one.licence}.{cited}"
