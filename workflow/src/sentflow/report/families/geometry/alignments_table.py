"""The table of alignment and uniformity, with published values below."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.report.families.geometry.rows import AlignmentRow
from sentflow.report.families.similarity import words
from sentflow.report.numbers import MISSING, count, decimal, interval
from sentflow.report.rows import data_note, is_sample, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.maker import made_of
from sentflow.report.table.table import Cell, Table


def alignments_table(
    rows: Sequence[AlignmentRow], title: str, published: Sequence[Mapping[str, Any]] = ()
) -> Table:
    """Every value with its variant, split, threshold and comparison; published ones below.

    Parameters
    ----------
    published
        Entries of ``catalog/published_similarity.yaml``, key ``alignments``; those of benchmarks that we measured, too.
    """
    entries = _published_of(published, rows)
    footnotes = {text: n for n, text in enumerate(unique(e["remark"] for e in entries if "remark" in e), 1)}
    groups = [
        Group(
            f"{name}: {next(row.alignment_title for row in rows if row.alignment_set == name)}",
            tuple(_our_line(row) for row in rows if row.alignment_set == name),
        )
        for name in unique(row.alignment_set for row in rows)
    ]
    for source in unique(str(entry["source"]) for entry in entries):
        lines = tuple(_published_line(entry, footnotes) for entry in entries if entry["source"] == source)
        groups.append(Group(f"Published: {source}", lines))
    notes = [data_note(rows), *words.variant_notes(rows)]
    known = [row.level for row in rows if not math.isnan(row.alignment_low)]
    if known:
        sets = {row.alignment_set: row for row in rows if not math.isnan(row.alignment_low)}
        sizes = (words.scored_pairs(name, row.n_positive, row.effective_pairs) for name, row in sets.items())
        notes += [
            f"In brackets {words.interval_of(known[0])} of a bootstrap over the positive pairs, or over what is drawn "
            f"in their place: {', '.join(sizes)}.",
            words.drawn_note({name: row.drawn for name, row in sets.items()}),
        ]
    notes.append(
        "Positives: gold score and number of pairs. Sentences: the sentences that uniformity is "
        "computed over, and how many."
    )
    if entries:
        notes.append("Published values are as printed in their sources. A dash: not reported.")
    notes += [f"({number}) {text}" for text, number in footnotes.items()]
    notes += unique(
        f"{row.alignment_set} × {row.model_title}: {row.warnings}" for row in rows if row.warnings
    )
    return table_of_cells(
        name="alignments",
        caption=f"{title}: alignment and uniformity.",
        notes=tuple(notes),
        header=("Encoder", "Variant", "Pairs", "Positives", "Sentences", "Alignment", "Uniformity"),
        alignment=("w3.4", "w2.5", "w2.1", "w1.8", "w1.8", "r", "r"),
        groups=tuple(groups),
        tidy_header=(*names_of(AlignmentRow), "source", "remark"),
        tidy_rows=(
            *((*record, "this experiment", "") for record in records_of(rows)),
            *(_published_record(entry) for entry in entries),
        ),
    )


def _our_line(row: AlignmentRow) -> tuple[Cell, ...]:
    pairs = row.pairs.replace(" ", ", ") + (f"; positives of {row.positives}" if row.positives else "")
    batch = f", batches of {row.batch}" if row.batch else ""
    return (
        Cell(row.model_title),
        Cell(words.VARIANTS.get(row.variant, row.variant) + batch),
        Cell(pairs),
        Cell(f"{words.criterion(row.threshold, row.comparison)} ({count(row.n_positive)})"),
        Cell(f"{row.sentences} ({count(row.n_sentences)})"),
        Cell(
            decimal(row.alignment, 4),
            "" if math.isnan(row.alignment_low) else interval(row.alignment_low, row.alignment_high),
        ),
        Cell(decimal(row.uniformity, 4)),
    )


def _published_line(entry: Mapping[str, Any], footnotes: Mapping[str, int]) -> tuple[Cell, ...]:
    number = footnotes.get(entry.get("remark", ""))
    known = "threshold" in entry
    return (
        Cell(entry["model"] + (f" ({number})" if number else "")),
        Cell(words.VARIANTS[entry["variant"]]),
        Cell(entry["split"]),
        Cell(words.criterion(entry["threshold"], entry["comparison"]) if known else MISSING),
        Cell("positives of the batch" if entry["variant"] == "per-batch" else MISSING),
        Cell(decimal(float(entry["alignment"]), 4)),
        Cell(decimal(float(entry["uniformity"]), 4)),
    )


def _published_record(entry: Mapping[str, Any]) -> tuple[str | int | float | bool | None, ...]:
    known: dict[str, Any] = {
        "model_title": entry["model"],
        "variant": entry["variant"],
        "pairs": entry["split"],
        "threshold": entry.get("threshold"),
        "comparison": entry.get("comparison"),
        "alignment": float(entry["alignment"]),
        "uniformity": float(entry["uniformity"]),
    }
    return (*(known.get(name) for name in names_of(AlignmentRow)), entry["source"], entry.get("remark"))


def _published_of(
    published: Sequence[Mapping[str, Any]], rows: Sequence[AlignmentRow]
) -> list[Mapping[str, Any]]:
    measured = [row.pairs for row in rows if not is_sample(row.data_version)]
    return [
        entry
        for entry in published
        if any(f" {pairs}".find(f" {entry['benchmark']}-") >= 0 for pairs in measured)
    ]


table = made_of(AlignmentRow, alignments_table, published=True)
