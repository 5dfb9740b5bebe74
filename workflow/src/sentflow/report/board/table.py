"""A board as a table: its models in order, with the places that the tests leave open."""

from dataclasses import asdict
from typing import Any

from sentflow.boards.standing import Named, Place, Standing
from sentflow.errors import listed
from sentflow.report.numbers import counted, decimal, interval, p_number, percent, places, signed
from sentflow.report.table.table import Table, build, fields_of, number, text
from sentflow.stats.separation import ALPHA

LEVEL = percent(1 - ALPHA)
"""Confidence of all intervals."""


def board_table(standing: Standing) -> Table:
    """Ranked models as lines; the records also have the unranked ones."""
    ranked = standing.places
    columns = [
        number("Place", "place", str),
        text("Model", "model", width=6),
        number("Mean", "mean", decimal, standing.board.digits),
    ]
    if not standing.refusal:
        columns += [
            text("Places, this model", lambda row: places(row.own_low, row.own_high)),
            text("Places, all models", lambda row: places(row.board_low, row.board_high)),
        ]
    if any(row.letters for row in ranked):
        columns.append(text("Letters", "letters"))
    elif any(row.better_than_all_from for row in ranked):
        columns.append(number("Better than all from", "better_than_all_from", str))
    header = fields_of(Place)
    known = ("place", "model", "mean", "letters") if standing.refusal else header
    records = [{**{name: getattr(row, name) for name in known}, "tasks_missing": 0} for row in ranked]
    others = [
        {"model": model, "letters": "", "tasks_missing": len(own)}
        for model, own in standing.board.unranked.items()
    ]
    return build(
        f"{standing.title}: {standing.verdict()}",
        (*header, "tasks_missing"),
        ranked,
        columns,
        notes(standing),
        data=(),
        records=[*records, *others],
        lead=2,
    )


def notes(standing: Standing) -> list[str]:
    """What the tests hold for and how to read them; the named pairs, the unranked models, and the notes of readers."""
    unranked = lacking(standing)
    return [
        *reading(standing),
        *(f"{one.a} and {one.b}: {pair(one, standing)}" for one in standing.named),
        *([f"Not ranked, since tasks are missing: {listed(unranked, 5)}."] if unranked else []),
        *standing.notes,
    ]


def reading(standing: Standing) -> list[str]:
    """What the tests hold for, what they can see, and what places and letters are; nothing without tests."""
    if standing.refusal:
        return []
    said = [
        f"The tests hold for {standing.population}: {counted(standing.n_units, standing.units)}.",
        f"Places, this model (thick lines): those that its own comparisons leave open ({LEVEL} confidence).",
        f"Places, all models (thin lines): right for the whole board at once ({LEVEL} confidence).",
    ]
    if any(place.letters for place in standing.places):
        said.append("Models that share a letter are not separated.")
    return said


def pair(one: Named, standing: Standing) -> str:
    """The difference of two models, whether it is significant, and how many more units would separate them."""
    digits = standing.board.digits
    return (
        f"Difference {signed(one.difference, digits)} {interval(one.low, one.high, digits)}, "
        f"p = {p_number(one.p_alone)} for these two alone, {p_number(one.p_board)} on this board. {one.sentence}"
    )


def lacking(standing: Standing) -> list[str]:
    """The models that are not ranked, and which tasks they lack."""
    return [f"{model} ({listed(tasks, 5)})" for model, tasks in standing.board.unranked.items()]


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
        "level": 1 - ALPHA,
        "least_separable": standing.separation.least,
        "tasks": standing.board.tasks,
        "models": [dict(zip(table.header, row, strict=True)) for row in table.records],
        "brackets": [(first + 1, last + 1) for first, last in standing.brackets],
        "p": standing.separation.p.tolist(),
        "pairs": [asdict(one) for one in standing.named],
        "missing": standing.board.unranked,
        "notes": standing.notes,
    }
