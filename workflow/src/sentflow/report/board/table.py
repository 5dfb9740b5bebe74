"""A board as a table: its models in order, with the places that the tests leave open."""

from dataclasses import asdict, dataclass
from typing import Any

from sentflow.boards.standing import Named, Place, Standing
from sentflow.errors import listed
from sentflow.report.numbers import counted, decimal, interval, p_number, percent, places, signed
from sentflow.report.table.table import Table, build, number, text


@dataclass(frozen=True)
class BoardRow:
    """A model; what it has no place for is None."""

    place: int | None  # by the mean
    model: str
    mean: float | None
    # own_low, own_high: places that the tests of this model leave open; board_low, board_high: those of all models
    own_low: int | None = None
    own_high: int | None = None
    board_low: int | None = None
    board_high: int | None = None
    tied_for_first: bool | None = None
    better_than_all_from: int | None = None  # a place
    letters: str = ""
    tasks_missing: int = 0  # tasks that it has no score on; a model without any is ranked


def board_table(standing: Standing) -> Table:
    """Ranked models as lines; the records also have the unranked ones."""
    ranked = [_row(place, at, standing) for at, place in enumerate(standing.places, 1)]
    unranked = [
        BoardRow(None, model, None, tasks_missing=len(own)) for model, own in standing.unranked.items()
    ]
    is_tested = not standing.refusal
    columns = [
        number("Place", "place", str),
        text("Model", "model", width=6),
        number("Mean", "mean", decimal, standing.digits),
    ]
    if is_tested:
        columns += [
            text("Places, this model", lambda row: places(row.own_low, row.own_high)),
            text("Places, all models", lambda row: places(row.board_low, row.board_high)),
        ]
    if any(row.letters for row in ranked):
        columns.append(text("Letters", "letters"))
    elif any(row.better_than_all_from for row in ranked):
        columns.append(number("Better than all from", "better_than_all_from", str))
    return build(
        f"{standing.title}: {standing.verdict()}",
        BoardRow,
        ranked,
        columns,
        notes(standing),
        data=(),
        records=[*ranked, *unranked],
        lead=2,
    )


def notes(standing: Standing) -> list[str]:
    """What the tests hold for and how to read them; the named pairs, the unranked models, and the notes of readers."""
    return [
        *reading(standing),
        *(f"{one.a} and {one.b}: {pair(one, standing)}" for one in standing.named),
        *([unranked_note(standing)] if standing.unranked else []),
        *standing.notes,
    ]


def reading(standing: Standing) -> list[str]:
    """What the tests hold for, what they can see, and what places and letters are; nothing without tests."""
    if standing.refusal or len(standing.places) < 2:
        return []
    level, what = percent(standing.level), counted(standing.n_units, standing.units)
    said = [
        f"The tests hold for {standing.population}: {what}.",
        f"Places, this model (thick lines): those that its own comparisons leave open ({level} confidence).",
        f"Places, all models (thin lines): right for the whole board at once ({level} confidence).",
    ]
    if any(place.letters for place in standing.places):
        said.append("Models that share a letter are not separated.")
    return said


def pair(one: Named, standing: Standing) -> str:
    """The difference of two models, whether it is significant, and how many more units would separate them."""
    digits = standing.digits
    return (
        f"Difference {signed(one.difference, digits)} {interval(one.low, one.high, digits)}, "
        f"p = {p_number(one.p_alone)} for these two alone, {p_number(one.p_board)} on this board. {one.sentence}"
    )


def unranked_note(standing: Standing, most: int = 5) -> str:
    """Which models are not ranked, and what they lack, by the first of them."""
    told = [
        f"{model} lacks {listed(tasks, most) if len(tasks) <= most else f'{len(tasks)} tasks'}"
        for model, tasks in [*standing.unranked.items()][:most]
    ]
    more = len(standing.unranked) - len(told)
    rest = f"; and {more:,} more" if more else ""
    n = counted(len(standing.unranked), "model")
    return f"Not ranked, since tasks are missing: {n}. {'; '.join(told)}{rest}."


def _row(place: Place, at: int, standing: Standing) -> BoardRow:
    if standing.refusal:
        return BoardRow(at, place.model, place.value)
    return BoardRow(
        at, place.model, place.value, place.low, place.high, place.board_low, place.board_high,
        place.is_tied_for_first, place.better_from or None, place.letters,
    )  # fmt: skip


def record(standing: Standing) -> dict[str, Any]:
    """Everything about a board, for JSON; `p` is (M, M), in the order of the ranked models."""
    table = board_table(standing)
    return {
        "title": standing.title,
        "verdict": str(standing.verdict()),
        "refusal": standing.refusal,
        "population": standing.population,
        "units": standing.units,
        "n_units": standing.n_units,
        "level": standing.level,
        "least_separable": standing.least,
        "tasks": standing.tasks,
        "models": [dict(zip(table.header, row, strict=True)) for row in table.records],
        "brackets": [(first + 1, last + 1) for first, last in standing.brackets],
        "p": standing.p.tolist(),
        "pairs": [asdict(one) for one in standing.named],
        "missing": dict(standing.unranked),
        "notes": standing.notes,
    }
