"""Shards of a corpus: what they are called, and which rows they hold. Read by the Snakefile too.

A shard is a corpus of its own with the name of the whole before it, ``law/shard-03-of-16``, so that whatever is made of
a corpus is made of a shard by the same rule. A search in one is named likewise, ``bm25/shard-03-of-16``.
"""

import re

_SUFFIX = r"/shard-\d+-of-\d+"
_NAME = re.compile(rf"(.+)({_SUFFIX})\Z")
SUFFIX_PATTERN = f"(?:{_SUFFIX})?"
"""Regular expression of what a shard adds to a name, which may be nothing."""


def shards_of(name: str, n_shards: int) -> list[str]:
    """The names of the shards of a corpus, or of a search in them, in the order of its documents; of one, the name."""
    if n_shards == 1:
        return [name]
    width = len(str(n_shards))
    return [f"{name}/shard-{number:0{width}}-of-{n_shards}" for number in range(1, n_shards + 1)]


def whole_of(name: str) -> str:
    """The name without what a shard adds to it."""
    return name.removesuffix(suffix_of(name))


def suffix_of(name: str) -> str:
    """What a shard adds to the name of the whole; nothing for the whole."""
    found = _NAME.match(name)
    return found[2] if found else ""


def rows_of_shard(name: str, n_documents: int) -> tuple[int, int]:
    """The first row of a shard among those of the corpus, and the one after its last.

    Shards follow one another and differ by one document at most. Some are empty
    if there are fewer documents than shards.
    """
    number, n_shards = map(int, re.findall(r"\d+", suffix_of(name)))
    return (number - 1) * n_documents // n_shards, number * n_documents // n_shards
