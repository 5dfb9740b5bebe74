"""Every published number of the catalog as one claim: what was printed where, and which result of ours answers it.

The numbers stay in ``catalog/published_*.yaml`` and under ``published`` of question sets; here they get one form.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sentflow.training.sweeps import METHOD, Cell, cells, development_of, shown_value

SIMILARITY, ALIGNMENT, SCORE = "similarity", "alignment", "score"
RETRIEVAL, DECISION, REDUCTION = "retrieval", "decision", "reduction"
AVERAGE = "average"
_DIGITS = 6  # more than any source prints
_STS_PROTOCOL = "cosine, Spearman, all pairs of a set"
_PLACE = ("start", "data", "method", "max_tokens", "learning_rate")


@dataclass(frozen=True, kw_only=True)
class Printed:
    """A printed number, and where it stands."""

    system: str  # what its tolerance and its experiment are listed under in ``catalog/ledger.yaml``
    # source, reference: where it is printed; repository and commit, or number of the paper
    source: str
    reference: str = ""
    # row, column: its place in the table of the source
    row: str
    column: str
    # printed, digits: as printed, with so many decimals
    printed: float
    digits: int
    # protocol, data: what was measured, and on what
    protocol: str
    data: str
    # consistent: the value that goes with the others of its row where this one does not; else NaN
    consistent: float = math.nan
    remark: str = ""  # what a reader must know

    @property
    def name(self) -> str:
        """Names it in ``catalog/ledger.yaml``; no two have the same."""
        return " | ".join((self.system, self.row, self.column, self.source))


@dataclass(frozen=True, kw_only=True)
class Claim(Printed):
    """A printed number, and which result of ours answers it."""

    scale: float = 1  # ours is multiplied by it
    # kind, ours: which summary has the answer, and the names to look it up by; both empty where nothing of ours
    # answers it
    kind: str = ""
    ours: tuple[str | int, ...] = ()
    comparable: bool = True  # whether ours, where there is any, is of the same documents, questions or pairs


def claims_of(catalog: Mapping[str, Any]) -> list[Claim]:
    """All claims, in the order of their files."""
    ours = _cells_of_ours(catalog["sweeps"])
    return [
        *(claim for row in catalog["published_similarity"]["sts"] for claim in _of_sts(row)),
        *(claim for row in catalog["published_similarity"]["alignments"] for claim in _of_alignment(row)),
        *(
            claim
            for name, entry in catalog["published_training"].items()
            for claim in _of_sweep(name, entry, ours)
        ),
        *(claim for table in catalog["published_retrieval"].values() for claim in _of_retrieval(table)),
        *(claim for name, entry in catalog["question_sets"].items() for claim in _of_questions(name, entry)),
        *(claim for table in catalog["published_values"].values() for claim in _of_values(table)),
    ]


def _claim(entry: Mapping[str, Any], column: str, printed: float, digits: int, **own: Any) -> Claim:
    """A claim of an entry that says where it is printed, and what a reader must know."""
    where = {key: entry[key] for key in ("source", "reference", "remark") if key in entry}
    return Claim(**where | own, column=column, printed=float(printed), digits=digits)


def _of_sts(row: Mapping[str, Any]) -> Iterator[Claim]:
    values = {**row["values"], **({AVERAGE: row[AVERAGE]} if AVERAGE in row else {})}
    odd, reduced = row.get("inconsistent", {}), row.get("reduced")
    protocol = ", ".join(row["protocol"].values()) if "protocol" in row else _STS_PROTOCOL
    model = None if "protocol" in row else row.get("ours") or row.get("trained")
    for column, value in values.items():
        own = {"system": row["section"], "row": row["model"], "scale": 100, "protocol": protocol}
        own["data"] = column if column != AVERAGE else "the sets of the row"
        if reduced:
            part = "dev" if column.endswith("-dev") else "test"
            ours = (reduced["sweep"], *(reduced[key] for key in _PLACE[:-1]), part)
            own |= {"kind": REDUCTION, "ours": ours}
        elif model:
            own |= {"kind": SIMILARITY, "ours": (model, column)}
        if odd.get("column") == column:
            own["consistent"] = float(odd["consistent"])
        yield _claim(row, column, value, _digits(values.values()), **own)


def _of_alignment(row: Mapping[str, Any]) -> Iterator[Claim]:
    limit = f", gold score {row['comparison']} {row['threshold']:g}" if "threshold" in row else ""
    own = {"row": row["model"], "protocol": row["variant"] + limit, "data": row["split"]}
    printed = {column: row[column] for column in ("alignment", "uniformity")}
    for column, value in printed.items():
        system = "Alignment and uniformity"
        yield _claim(row, column, value, _digits(printed.values()), system=system, **own)


def _cells_of_ours(sweeps: Mapping[str, Any]) -> dict[tuple[Any, ...], tuple[str, str, str]]:
    """(published sweep, section, place) → our encoder without its seed, and its development and its test set."""
    found = {}
    for name, sweep in sweeps.items():
        if published := sweep.get("published"):
            for cell in cells(name, sweep):
                place = (published["name"], published.get("section"), *_place_of(cell))
                found[place] = (cell.group, development_of(sweep), sweep["test"])
    return found


def _place_of(cell: Cell) -> tuple[Any, ...]:
    training = cell.entry.get("training", {})
    of_training = (training.get("max_tokens"), training.get("learning_rate"))
    return (cell.entry["start"], cell.entry["data"], cell.axes[METHOD], *of_training)


def _of_sweep(
    name: str, entry: Mapping[str, Any], ours: Mapping[tuple[Any, ...], tuple[str, str, str]]
) -> Iterator[Claim]:
    own = {"system": entry["title"], "protocol": f"one training, seed {entry['seed']}"}
    for values in entry["rows"]:
        cell = dict(zip(entry["columns"], values, strict=True))
        place = tuple(cell[key] for key in _PLACE)
        found = ours.get((name, cell["section"], *place))
        own |= {"row": " ".join("-" if part is None else shown_value(part) for part in place)}
        own |= {"data": f"section {cell['section']}"}
        for column in ("dev", "test", "uniformity", "alignment"):
            if cell[column] is not None:
                kind, names = _of_cell(column, *found) if found else ("", ())
                yield _claim(entry, column, cell[column], 4, **own, kind=kind, ours=names)


def _of_cell(column: str, group: str, development: str, test: str) -> tuple[str, tuple[str, ...]]:
    """What answers a column of a cell: a score of the pair set, or the study's own geometry of the test set."""
    if column in ("dev", "test"):
        return SIMILARITY, (group, development if column == "dev" else test)
    return ALIGNMENT, (group, f"{test}-per-batch", column)


def _of_retrieval(table: Mapping[str, Any]) -> Iterator[Claim]:
    for column, about in table["columns"].items():
        rows = [row for row in table["rows"] if column in row["values"]]
        digits = _digits(row["values"][column] for row in rows)
        own = {"system": table["title"], "scale": about["scale"], "protocol": about["measure"]}
        own |= {"data": about["collection"]}
        for row in rows:
            told = (row.get("remark", ""), row.get("doubts", {}).get(column, ""))
            own["row"] = ", ".join(filter(None, (row["system"], row.get("setting"), row["origin"])))
            own["remark"] = " ".join(filter(None, told))
            yield _claim(table, column, row["values"][column], digits, **own)


def _of_questions(name: str, entry: Mapping[str, Any]) -> Iterator[Claim]:
    published = entry.get("published", [])
    for value in published:
        measure, comparable = value["measure"], value.get("comparable", True)
        same = [other["value"] for other in published if other["source"] == value["source"]]
        own = {"system": f"Questions of {name}", "row": value["system"], "protocol": measure}
        own |= {"data": entry.get("title", name), "comparable": comparable}
        if comparable and "retriever" in value:
            own |= {"kind": RETRIEVAL, "ours": (name, value["retriever"], measure)}
        yield _claim(value, measure, value["value"], _digits(same), **own)


def _of_values(table: Mapping[str, Any]) -> Iterator[Claim]:
    for row in table["rows"]:
        own = {
            "system": table["title"],
            "protocol": table["protocol"],
            "row": row["row"],
            "data": row["data"],
        }
        own["remark"] = row.get("remark", "")
        for column, value in row["values"].items():
            if "ours" in row:
                own |= {"kind": table["kind"], "ours": (*row["ours"], column)}
            yield _claim(table, column, value, table["digits"], **own)


def _digits(values: Iterable[float]) -> int:
    """Decimals that a source prints: YAML drops zeros at the end, so the value of a row with the most says it."""
    return max(len(f"{round(value, _DIGITS):.{_DIGITS}f}".rstrip("0").partition(".")[2]) for value in values)
