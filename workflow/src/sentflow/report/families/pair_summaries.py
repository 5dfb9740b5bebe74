"""Result files of pair sets and of geometry -> rows of summaries: what both families do alike."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sentflow.errors import DataError
from sentflow.files.io import read_sealed
from sentflow.report.rows import described, unique
from sentflow.report.settings import PairSummary

COEFFICIENTS = ("spearman", "pearson")
BASELINE_TITLES = {
    "jaccard-words": "Shared words (Jaccard)",
    "jaccard-bigrams": "Shared character bigrams (Jaccard)",
    "count-cosine": "Cosine of word counts",
    "jaccard-words-lowercase": "Shared words, lower case (Jaccard)",
    "jaccard-bigrams-lowercase": "Shared character bigrams, lower case (Jaccard)",
}


def read_results(files: Sequence[Path], key: str) -> list[Any]:
    """Result files of different sets and encoders; `key` names their set."""
    results = [read_sealed(file) for file in files]
    for file, result in zip(files, results, strict=True):
        with reported(file):
            _ = result[key], result["model"]
    refuse_twice(results, key)
    return results


@contextmanager
def reported(file: Path) -> Iterator[None]:
    """A missing key or other bad data is reported with the file in which it stands."""
    try:
        yield
    except KeyError as error:
        raise DataError(f"{file}: no key {error}. Delete the file and run again.") from error
    except DataError as error:
        raise DataError(f"{file}: {error}") from error


def refuse_twice(results: Sequence[Mapping[str, Any]], key: str) -> None:
    """Raise DataError where two result files are of the same set and encoder."""
    named = [f"{result[key]} × {result['model']}" for result in results]
    twice = unique(name for name in named if named.count(name) > 1)
    if twice:
        raise DataError(f"there is more than one file for {', '.join(twice)}. Give each file once.")


def in_order(rows: Sequence[Any], settings: PairSummary, set_key: str = "") -> list[Any]:
    """Rows by set and encoder in the order of the selection; within them as they are.

    `set_key`: the attribute that names the set; nothing if rows have none that is selected by name.
    """
    names = [*settings.systems, *(row.model for row in rows)]
    sets = unique([*settings.selected, *(getattr(row, set_key) for row in rows)]) if set_key else []
    places = {name: place for place, name in enumerate(unique(names))}
    set_places = {name: place for place, name in enumerate(sets)}

    def key(row: Any) -> tuple[int, int]:
        return (set_places[getattr(row, set_key)] if set_key else 0, places[row.model])

    return sorted(rows, key=key)


def model_columns(settings: PairSummary, name: str) -> dict[str, Any]:
    """The columns that say which encoder or baseline a row is of."""
    if name in settings.baselines:
        return {"model": name, "model_title": BASELINE_TITLES.get(name, name), "is_control": False}
    entry = described(settings, "models", name)
    return {"model": name, "model_title": entry.title, "is_control": entry.control}


def position_of(settings: PairSummary, name: str) -> int:
    return int(described(settings, "models", name).position)


def data_version_of(settings: PairSummary, pairs: Sequence[str]) -> str:
    """What the texts of pair sets are."""
    return "; ".join(unique(described(settings, "pairs", name).data_version for name in pairs))
