"""The tables of semantic similarity; correlations are printed × 100."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sentflow.compare.differences import is_alike
from sentflow.compare.marks import Marks
from sentflow.compare.rows import SimilarityDifference
from sentflow.report.families.similarity import words
from sentflow.report.families.similarity.data import SimilarityData, main_rows
from sentflow.report.families.similarity.rows import RegressionRow, SimilarityRow
from sentflow.report.families.training.rows import TrainingRow
from sentflow.report.families.training.sweeps import SeedMean, means_of_columns
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, count, counted, decimal, percent
from sentflow.report.rows import is_sample, is_sample_data, unique
from sentflow.report.table.table import (
    Cell,
    Column,
    Matrix,
    Table,
    Value,
    build,
    marked,
    number,
    test_columns,
    text,
)
from sentflow.similarity.measures import SEVEN_TASKS, seven_task_average
from sentflow.stats.pair_graph import FEWEST_EFFECTIVE

AVERAGE = "Avg."
_HEADINGS = {"STSB": "STS-B", "SICKR": "SICK-R"}  # as papers write them
_OURS = "this experiment"
_AGGREGATIONS = {"mean": "mean of sub-sources", "wmean": "weighted mean"}


# --- all sets ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StsLine:
    """A cell of the table as a record: ours with interval, a published one with its source and remark."""

    model: str
    model_title: str
    source: str
    data_version: str
    measure: str
    coefficient: str
    aggregation: str
    column: str
    pairs: str
    n: int
    effective_pairs: float
    value: float
    low: float
    high: float
    remark: str


@dataclass(frozen=True)
class _Line:
    """A line of the table: values × 100 by column, and the rows behind those of this experiment."""

    block: str
    title: str
    source: str
    values: Mapping[str, float]
    records: tuple[StsLine, ...]
    rows: Mapping[str, SimilarityRow]

    @property
    def model(self) -> str:
        return next((row.model for row in self.rows.values()), "")

    def wide(self, columns: Mapping[str, str]) -> tuple[Value, ...]:
        versions = "; ".join(unique(row.data_version for row in self.rows.values()))
        first = self.records[0]
        return (
            first.model,
            first.model_title,
            first.source,
            versions,
            *(self.values.get(key) for key in columns),
        )


def sts(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """Encoder × pair set in the layout of papers, with the average of the seven English sets.

    Sets of the same group (raw text and SentEval form) stand in blocks of lines of their own. Published values stand
    below where ours are of real data, and below those of a training that we repeated our mean over its seeds.
    """
    rows = main_rows(inputs.rows(SimilarityRow))
    differences = inputs.together(SimilarityData).differences
    columns = columns_of(rows)
    entries = _published_of(settings.get("published", ()), rows)
    remarks = unique(entry["remark"] for entry in entries if entry.get("remark"))
    footnotes = {remark: f" ({place})" for place, remark in enumerate(remarks, 1)}
    blocks = _blocks(rows)
    lines = [line for place, own in enumerate(blocks) for line in _our_lines(own, str(place), columns)]
    lines += _published_lines(
        entries, footnotes, means_of_columns(inputs.rows_if_there(TrainingRow), AVERAGE)
    )
    marks = Marks(differences, unique(row.model for row in rows) if differences else [])

    def cell(key: str, line: _Line) -> Cell:
        value = line.values.get(key, math.nan)
        if math.isnan(value):
            return Cell(MISSING)
        row = line.rows.get(key)
        signs = (marks.mark(row.pairs, row.model), marks.raised(row.pairs, row.model)) if row else ("", "")
        return Cell(decimal(value, 2), "", *signs, value=value)

    def title(name: str, own: Sequence[_Line]) -> str:
        if not own[0].rows:
            return f"Published: {name}"
        if len(blocks) > 1:
            return f"This experiment: {', '.join(unique(row.data_version for row in blocks[int(name)]))}"
        return "This experiment" if entries else ""

    notes = _sts_notes(rows, differences, has_published=bool(entries), has_average=AVERAGE in columns)
    notes += [f"{sign.strip()} {remark}" for remark, sign in footnotes.items()]
    notes += words.warning_notes(rows)
    letters = marks.letters
    return build(
        "sts",
        f"{settings['caption']}: semantic textual similarity ({words.protocol(rows)}; × 100).",
        StsLine,
        lines,
        [
            # here the letter of an encoder is that of its line
            Column("Encoder", lambda line: Cell(line.title, letters=letters.get(line.model, "")), width=2.9),
            *(marked(heading, partial(cell, key)) for key, heading in columns.items()),
            *([text("Source", "source", 2.1)] if entries else []),
        ],
        notes,
        data=rows,
        records=[record for line in lines for record in line.records],
        block="block",
        title=title,
        block_heading="Lines",
        matrix=Matrix(
            ("model", "model_title", "source", "data_version", *columns),
            tuple(line.wide(columns) for line in lines),
            tuple(note.removesuffix(words.LETTERS).rstrip() for note in notes),
        ),
    )


def key_of(row: SimilarityRow) -> str:
    """What published values call the column of a row."""
    return row.group or row.pairs


def columns_of(rows: Sequence[SimilarityRow]) -> dict[str, str]:
    """What published values call each column → its heading, as papers write it.

    The seven sets in the order of papers, then the others as they were selected; with all seven their average.
    """
    keys = unique(key_of(row) for row in rows)
    seven = [group for group in SEVEN_TASKS if group in keys]
    average = [AVERAGE] if len(seven) == len(SEVEN_TASKS) else []
    ordered = (*seven, *(key for key in keys if key not in SEVEN_TASKS), *average)
    return {key: _HEADINGS.get(key, key) for key in ordered}


def average_of(rows: Mapping[str, SimilarityRow]) -> float:
    """Average × 100 of rows by their groups; NaN unless all seven sets have a value."""
    return seven_task_average({key: row.value for key, row in rows.items()})


def _blocks(rows: Sequence[SimilarityRow]) -> list[list[SimilarityRow]]:
    """Rows so that each column has one pair set in a block; a set that repeats a group goes to the next one."""
    place: dict[str, int] = {}
    seen: dict[str, int] = {}
    for pairs, key in dict.fromkeys((row.pairs, key_of(row)) for row in rows):
        place[pairs] = seen.get(key, 0)
        seen[key] = place[pairs] + 1
    n_blocks = max(seen.values(), default=0)
    return [[row for row in rows if place[row.pairs] == index] for index in range(n_blocks)]


def _our_lines(rows: Sequence[SimilarityRow], block: str, columns: Mapping[str, str]) -> Iterator[_Line]:
    for model in unique(row.model for row in rows):
        own = {key_of(row): row for row in rows if row.model == model}
        first = next(iter(own.values()))
        records = [_record(own[key]) for key in columns if key in own]
        values = {key: 100 * row.value for key, row in own.items()}
        if AVERAGE in columns:
            values[AVERAGE] = average_of(own)
            versions = "; ".join(unique(row.data_version for row in own.values()))
            records.append(
                replace(
                    _without_pairs(records[0], AVERAGE, values[AVERAGE]), data_version=versions, remark=""
                )
            )
        yield _Line(block, first.model_title, _OURS, values, tuple(records), own)


def _record(row: SimilarityRow) -> StsLine:
    return StsLine(
        row.model, row.model_title, _OURS, row.data_version, row.measure, row.coefficient, row.aggregation,
        key_of(row), row.pairs, row.n, row.effective_pairs, 100 * row.value, 100 * row.low, 100 * row.high,
        row.warnings,
    )  # fmt: skip


def _without_pairs(record: StsLine, column: str, value: float) -> StsLine:
    """A number that is of no pair set of ours."""
    nan = math.nan
    return replace(record, column=column, pairs="", n=0, effective_pairs=nan, value=value, low=nan, high=nan)


def _published_of(
    published: Sequence[Mapping[str, Any]], rows: Sequence[SimilarityRow]
) -> list[Mapping[str, Any]]:
    """The entries with a value for a set of real data that we scored, too."""
    real = {key_of(row) for row in rows if not is_sample(row.data_version)}
    return [entry for entry in published if real & set(entry["values"])]


def _published_lines(
    entries: Sequence[Mapping[str, Any]],
    footnotes: Mapping[str, str],
    ours: Mapping[str, Mapping[str, SeedMean]],
) -> Iterator[_Line]:
    """Sections in order; within them, behind the lines of a training that we repeated, ours."""
    sections = unique(str(entry["section"]) for entry in entries)
    for section in sections:
        members = [entry for entry in entries if entry["section"] == section]
        last = {entry["trained"]: entry for entry in members if "trained" in entry}
        for entry in members:
            yield _published_line(entry, footnotes)
            if ours.get(entry.get("trained", "")) and last[entry["trained"]] is entry:
                yield _repeated_line(section, entry["trained"], ours[entry["trained"]])


def _published_line(entry: Mapping[str, Any], footnotes: Mapping[str, str]) -> _Line:
    protocol = entry.get("protocol", {})
    correlation = protocol.get("correlation", "spearman")
    aggregation = protocol.get("aggregation", "all")
    measure = protocol.get("measure", "cosine")
    # an average is printed like a column
    values = entry["values"] | ({AVERAGE: entry["average"]} if "average" in entry else {})
    values = {key: float(value) for key, value in values.items()}
    blank = StsLine(
        "", entry["model"], entry["source"], "", measure, correlation, aggregation, "", "", 0,
        *(math.nan,) * 4, entry.get("remark", ""),
    )  # fmt: skip
    source = entry["source"]
    if (correlation, aggregation, measure) != ("spearman", "all", "cosine"):
        parts = (words.COEFFICIENTS[correlation], words.AGGREGATIONS[aggregation], words.MEASURES[measure])
        source += f"; {', '.join(parts)}"
    records = tuple(_without_pairs(blank, key, value) for key, value in values.items())
    title = entry["model"] + footnotes.get(entry.get("remark", ""), "")
    return _Line(str(entry["section"]), title, source, values, records, {})


def _repeated_line(section: str, trained: str, means: Mapping[str, SeedMean]) -> _Line:
    """The mean over the seeds of a training that repeats a published one."""
    title = f"{trained}, {counted(max(mean.n_seeds for mean in means.values()), 'seed')}"
    blank = StsLine(
        "", title, _OURS, "", "cosine", "spearman", "all", "", "", 0, *(math.nan,) * 4, ""
    )  # fmt: skip
    values = {column: mean.value for column, mean in means.items()}
    records = tuple(_without_pairs(blank, key, value) for key, value in values.items())
    return _Line(section, title, _OURS, values, records, {})


def _sts_notes(
    rows: Sequence[SimilarityRow],
    differences: Sequence[SimilarityDifference],
    *,
    has_published: bool,
    has_average: bool,
) -> list[str]:
    sizes = unique(words.scored_pairs(row.pairs, row.n, row.effective_pairs) for row in rows)
    tested = [row for row in differences if not math.isnan(row.p_holm)]
    notes = [
        words.protocol_note(rows),
        f"n, scored pairs: {', '.join(sizes)}. Intervals are in the table of sub-sources.",
        words.drawn_note({row.pairs: row.drawn for row in rows}),
    ]
    if any(row.is_baseline for row in rows):
        notes.append("Baselines compare the words or characters of two texts and need no encoder.")
    if has_average:
        notes.append(
            f"{AVERAGE}: unweighted mean of the seven sets, each rounded to two decimals first; an encoder that lacks "
            "one of them has none."
        )
    notes.append(words.test_note(tested[0].alpha) if tested else words.NO_TEST)
    if has_published:
        notes.append(
            "Published values are as printed in their sources: Spearman, all, cosine, unless the source "
            "says otherwise; they are not tested. A dash: not reported."
        )
    return notes


# --- sub-sources, differences, regressions ------------------------------------------------------------------


def subsets(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """Every sub-source, and the three ways to make one number of them, with intervals."""
    rows = inputs.rows(SimilarityRow)
    shown = [row for row in rows if row.is_main]
    titles = {row.model: row.model_title for row in shown}
    lines: dict[tuple[str, str, str], dict[str, SimilarityRow]] = {}
    # what is summed up comes last
    for row in sorted(shown, key=lambda row: row.aggregation != "subset"):
        lines.setdefault((row.pairs, row.aggregation, row.subset), {})[row.model] = row
    # of a set without sub-sources, all three ways say the same
    divided = {row.pairs for row in shown if row.aggregation == "subset"}
    in_order = unique(row.pairs for row in shown)
    kept = sorted(
        (key for key in lines if key[0] in divided or key[1] == "all"), key=lambda key: in_order.index(key[0])
    )

    def first(line: Mapping[str, SimilarityRow]) -> SimilarityRow:
        return next(iter(line.values()))

    def value(model: str, line: Mapping[str, SimilarityRow]) -> float:
        return line[model].value if model in line else math.nan

    def limits(model: str, line: Mapping[str, SimilarityRow]) -> tuple[float, float]:
        return line[model].low, line[model].high

    def title(pairs: str, own: Sequence[Mapping[str, SimilarityRow]]) -> str:
        return f"{pairs}: {first(own[0]).pairs_title}, {first(own[0]).data_version}"

    of_aggregation = [row for row in shown if row.aggregation in ("subset", "all")]
    return build(
        "sts-subsets",
        f"{settings['caption']}: similarity by sub-source ({words.protocol(shown)}; × 100).",
        SimilarityRow,
        [lines[key] for key in kept],
        [
            text("Sub-source", lambda line: first(line).subset or _way(first(line))),
            number("n", lambda line: first(line).n, count),
            number("Effective", lambda line: round(first(line).effective_pairs), count),
            *(
                number(
                    titles[model],
                    partial(value, model),
                    words.hundred,
                    limits=partial(limits, model),
                    written=words.hundred_interval,
                )
                for model in titles
            ),
        ],
        [
            words.protocol_note(shown),
            words.interval_note(shown),
            words.drawn_note(
                # several sets have a sub-source called headlines
                {
                    (f"{row.pairs}: {row.subset}" if row.subset else row.pairs): row.drawn
                    for row in of_aggregation
                }
            ),
            "n: scored pairs. Papers report “all”; “mean” and “weighted mean” (by pairs) are two other "
            "aggregations used in the literature and give different numbers.",
            "Nothing is marked here: tests are made on whole pair sets.",
            *words.warning_notes([row for row in shown if row.aggregation == "all"]),
        ],
        data=shown,
        records=rows,
        block=lambda line: first(line).pairs,
        title=title,
        block_heading="Pair set",
        lead=3,
    )


def _way(row: SimilarityRow) -> str:
    return _AGGREGATIONS.get(row.aggregation, row.aggregation)


def differences(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """Every pair of encoders on every pair set."""
    rows = inputs.rows(SimilarityRow)
    pairs = inputs.together(SimilarityData).differences
    titles = {row.model: row.model_title for row in rows}
    titles_of_sets = {row.pairs: row.pairs_title for row in rows}
    notes = [words.protocol_note([row for row in rows if row.is_main])]
    if pairs:
        notes += [
            "Difference: first minus second, × 100, on the same pairs of sentences, with its "
            f"{percent(pairs[0].level)} interval (normal, with the standard deviation of a paired bootstrap over these "
            "pairs, or over what is drawn in their place), which is not adjusted for the number of pairs.",
            words.drawn_note({row.pairs: row.drawn for row in pairs}),
            "p: by the same standard deviation; Holm: adjusted over all pairs of "
            f"encoders of the set; *: at most {percent(pairs[0].alpha)}.",
            "n: scored pairs.",
        ]
        if any(math.isnan(row.p_holm) or is_alike(row) for row in pairs):
            notes.append(
                f"{MISSING} No test: equal similarities, an undefined value, or fewer than {FEWEST_EFFECTIVE} "
                "effective pairs."
            )
    else:
        notes.append("Nothing was compared: fewer than two encoders have a score.")
    return build(
        "sts-differences",
        f"{settings['caption']}: paired differences of semantic textual similarity.",
        SimilarityDifference,
        pairs,
        [
            text("First − second", lambda row: f"{titles[row.model_a]} − {titles[row.model_b]}", 5.2),
            number("n", "n", count),
            number("Effective", lambda row: round(row.effective_pairs), count),
            number(
                "Difference", "difference", words.hundred, sign=lambda row: "*" * (row.p_holm <= row.alpha)
            ),
            *test_columns(words.hundred_interval),
        ],
        notes,
        data=rows,
        block="pairs",
        title=lambda name, _: f"{name}: {titles_of_sets[name]}",
        block_heading="Pair set",
    )


def regressions(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """The regressor of original SentEval: trained, unlike the cosines of the other tables."""
    rows = inputs.rows(RegressionRow)
    notes = [
        "A regressor on |u − v| and u · v, trained on the training split, stopped early by Pearson's "
        "correlation on the development split and scored on the test split, as in the original SentEval. "
        "Correlations × 100; MSE on the scale of the gold scores.",
        "These numbers are not based on cosines and cannot be compared with those of the table sts. "
        "Each regressor was trained once, so nothing is tested and nothing is marked.",
    ]
    if any(row.train.startswith("STSB-train") for row in rows) and not is_sample_data(rows):
        notes.append(words.CONTAMINATION)

    def title(name: str, own: Sequence[RegressionRow]) -> str:
        first = own[0]
        sizes = f"train {count(first.n_train)}, dev {count(first.n_dev)}, test {count(first.n_test)} pairs"
        return f"{name}: {first.regression_title} ({sizes})"

    return build(
        "regressions",
        f"{settings['caption']}: SentEval's regressor.",
        RegressionRow,
        rows,
        [
            text("Encoder", "model_title", 5.2),
            number("Dev, Pearson", "dev_pearson", words.hundred),
            number("Test, Pearson", "pearson", words.hundred),
            number("Test, Spearman", "spearman", words.hundred),
            number("MSE", "mse"),
            number("Epochs", "epochs", "{:g}".format),
        ],
        notes,
        data=rows,
        block="regression",
        title=title,
        block_heading="Data",
    )
