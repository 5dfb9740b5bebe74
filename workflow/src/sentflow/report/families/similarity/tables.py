"""The tables of semantic similarity; correlations are printed × 100."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from sentflow.compare.differences import Marks, is_alike
from sentflow.compare.rows import SimilarityDifference
from sentflow.report import captions
from sentflow.report.families.similarity import words
from sentflow.report.families.similarity.rows import RegressionRow, SimilarityRow, main_rows
from sentflow.report.families.training.rows import TrainingRow
from sentflow.report.families.training.sweeps import SeedMean, means_of_columns
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, count, counted, decimal, percent
from sentflow.report.rows import grouped, is_sample, is_sample_data, titles_of, unique
from sentflow.report.table.table import (
    Blocks,
    Cell,
    Line,
    Matrix,
    Table,
    build,
    footnote_signs,
    footnotes,
    marked,
    number,
    pivoted,
    test_columns,
    text,
)
from sentflow.similarity.measures import SEVEN_TASKS, seven_task_average
from sentflow.stats.pair_graph import FEWEST_EFFECTIVE

AVERAGE = "Avg."
_HEADINGS = {"STSB": "STS-B", "SICKR": "SICK-R"}  # as papers write them
_OURS = "this experiment"
_TEST = "paired bootstrap over pairs, components or sentences"
_AGGREGATIONS = {"mean": "mean of sub-sources", "wmean": "weighted mean"}


# --- all sets ----------------------------------------------------------------------------------------------

# A record is a cell of the table: ours with interval, a published one with its source and remark
_RECORD = (
    *("model", "model_title", "source", "data_version", "measure", "coefficient", "aggregation", "column"),
    *("pairs", "n", "effective_pairs", "value", "low", "high", "remark"),
)
Published = dict[str, Any]
"""Block and title; ``values`` × 100 by column; ``records``; ``rows`` by column of what is of this experiment."""


def sts(inputs: Inputs) -> Table:
    """Encoder × pair set in the layout of papers, with the average of the seven English sets.

    Sets of the same group (raw text and SentEval form) stand in blocks of lines of their own. Published values stand
    below where ours are of real data, and below those of a training that we repeated our mean over its seeds.
    """
    rows, tests = main_rows(inputs.rows(SimilarityRow)), inputs.rows_if_there(SimilarityDifference)
    columns, blocks = columns_of(rows), _blocks(rows)
    real = {_key_of(row) for row in rows if not is_sample(row.data_version)}
    entries = [entry for entry in inputs.published if real & set(entry["values"])]
    signs = footnote_signs(entry.get("remark") for entry in entries)
    means = means_of_columns(inputs.rows_if_there(TrainingRow), AVERAGE)
    of_models = [
        (place, own) for place, rows_of in enumerate(blocks) for own in grouped(rows_of, "model").values()
    ]
    lines = [_our_line(own, str(place), columns) for place, own in of_models]
    lines += _published_lines(entries, signs, means)
    marks = Marks(tests, list(titles_of(rows, "model")))

    def marks_of(key: str, line: Published) -> tuple[str, str]:
        row = line["rows"].get(key)
        return marks.signs(row.pairs, row.model) if row else ("", "")

    def letters(line: Published) -> str:
        return marks.letters.get(line["records"][0]["model"], "")

    def value(key: str, line: Published) -> float:
        return float(line["values"].get(key, math.nan))

    def title(name: str, own: Sequence[Published]) -> str:
        if not own[0]["rows"]:
            return f"Published: {name}"
        if len(blocks) > 1:
            return f"This experiment: {', '.join(unique(row.data_version for row in blocks[int(name)]))}"
        return "This experiment" if entries else ""

    notes = [
        *_sts_notes(rows, tests, has_published=bool(entries), has_average=AVERAGE in columns),
        *footnotes(signs),
        *words.warning_notes(rows),
    ]
    names = ("model", "model_title", "source")
    return build(
        f"semantic textual similarity ({words.protocol(rows)}; × 100).",
        _RECORD,
        lines,
        [
            # here the letter of an encoder is that of its line
            text("Encoder", "title", 2.9, letters=letters),
            *(
                number(heading, partial(value, key), decimal, 2, marks=partial(marks_of, key))
                for key, heading in columns.items()
            ),
            *([text("Source", "source", 2.1)] if entries else []),
        ],
        notes,
        data=rows,
        records=[record for line in lines for record in line["records"]],
        blocks=Blocks("block", "Lines", title),
        matrix=Matrix(
            (*names, "data_version", *columns),
            tuple(
                (
                    *(line["records"][0][name] for name in names),
                    "; ".join(unique(row.data_version for row in line["rows"].values())),
                    *(line["values"].get(key) for key in columns),
                )
                for line in lines
            ),
            tuple(note for note in notes if note != captions.letters("rows")),
        ),
    )


def _key_of(row: SimilarityRow) -> str:
    """What published values call the column of a row."""
    return row.group or row.pairs


def columns_of(rows: Sequence[SimilarityRow]) -> dict[str, str]:
    """What published values call each column → its heading, as papers write it.

    The seven sets in the order of papers, then the others as they were selected; with all seven their average.
    """
    keys = unique(map(_key_of, rows))
    seven = [group for group in SEVEN_TASKS if group in keys]
    average = [AVERAGE] if len(seven) == len(SEVEN_TASKS) else []
    ordered = (*seven, *(key for key in keys if key not in SEVEN_TASKS), *average)
    return {key: _HEADINGS.get(key, key) for key in ordered}


def _blocks(rows: Sequence[SimilarityRow]) -> list[list[SimilarityRow]]:
    """Rows so that each column has one pair set in a block; a set that repeats a group goes to the next one."""
    blocks: list[list[SimilarityRow]] = []
    sets: dict[str, list[str]] = {}
    for row in rows:
        own = sets.setdefault(_key_of(row), [])
        if row.pairs not in own:
            own.append(row.pairs)
        if len(own) > len(blocks):
            blocks.append([])
        blocks[own.index(row.pairs)].append(row)
    return blocks


def _our_line(rows: Sequence[SimilarityRow], block: str, columns: Mapping[str, str]) -> Published:
    own = {_key_of(row): row for row in rows}
    values = {key: 100 * row.value for key, row in own.items()}
    records = [
        vars(row)
        | {"source": _OURS, "column": key, "value": values[key], "remark": row.warnings}
        | {"low": 100 * row.low, "high": 100 * row.high}
        for key, row in ((key, own[key]) for key in columns if key in own)
    ]
    if AVERAGE in columns:
        values[AVERAGE] = seven_task_average({key: row.value for key, row in own.items()})
        versions = "; ".join(unique(row.data_version for row in own.values()))
        no_pairs = {"pairs": "", "n": 0, "effective_pairs": None, "low": None, "high": None, "remark": ""}
        no_pairs |= {"column": AVERAGE, "value": values[AVERAGE], "data_version": versions}
        records.append(records[0] | no_pairs)
    about = {"block": block, "title": rows[0].model_title, "source": _OURS}
    return {**about, "values": values, "records": records, "rows": own}


def _published_lines(
    entries: Sequence[Mapping[str, Any]],
    signs: Mapping[str, str],
    ours: Mapping[str, Mapping[str, SeedMean]],
) -> Iterator[Published]:
    """Sections in order; within them, behind the lines of a training that we repeated, ours."""
    for section in unique(str(entry["section"]) for entry in entries):
        members = [entry for entry in entries if entry["section"] == section]
        last = {entry["trained"]: entry for entry in members if "trained" in entry}
        for entry in members:
            # an average is printed like a column
            values = entry["values"] | ({AVERAGE: entry["average"]} if "average" in entry else {})
            yield _published_line(entry, {key: float(value) for key, value in values.items()}, signs)
            trained = entry.get("trained", "")
            if ours.get(trained) and last[trained] is entry:
                n_seeds = max(mean.n_seeds for mean in ours[trained].values())
                repeated = {
                    "section": section,
                    "model": f"{trained}, {counted(n_seeds, 'seed')}",
                    "source": _OURS,
                }
                values = {key: mean.value for key, mean in ours[trained].items()}
                yield _published_line(repeated, values, signs)


def _published_line(
    entry: Mapping[str, Any], values: Mapping[str, float], signs: Mapping[str, str]
) -> Published:
    usual = {"correlation": "spearman", "aggregation": "all", "measure": "cosine"}
    protocol = usual | entry.get("protocol", {})
    correlation, aggregation, measure = (protocol[key] for key in usual)
    source, remark = entry["source"], entry.get("remark", "")
    about = {"model": "", "data_version": "", "pairs": "", "n": 0, "model_title": entry["model"]}
    about |= {"measure": measure, "coefficient": correlation, "aggregation": aggregation}
    about |= {"source": source, "remark": remark}
    if protocol != usual:
        parts = (words.COEFFICIENTS[correlation], words.AGGREGATIONS[aggregation], words.MEASURES[measure])
        source += f"; {', '.join(parts)}"
    return {
        "block": str(entry["section"]),
        "title": entry["model"] + signs.get(remark, ""),
        "source": source,
        "values": values,
        "records": [{**about, "column": key, "value": value} for key, value in values.items()],
        "rows": {},
    }


def _sts_notes(
    rows: Sequence[SimilarityRow],
    tests: Sequence[SimilarityDifference],
    *,
    has_published: bool,
    has_average: bool,
) -> list[str]:
    sizes = unique(words.scored_pairs(row.pairs, row.n, row.effective_pairs) for row in rows)
    tested = [row for row in tests if not math.isnan(row.p_holm)]
    return [
        words.protocol_note(rows),
        f"n, scored pairs: {', '.join(sizes)}. Intervals are in the table of sub-sources.",
        words.drawn_note({row.pairs: row.drawn for row in rows}),
        f"{AVERAGE}: mean of the seven sets, each rounded to two decimals first." if has_average else "",
        captions.test_note(_TEST, "of the set", tested[0].alpha, "value") if tested else captions.NO_TEST,
        captions.letters("rows") if tested else "",
        "Averages are not tested." if tested and has_average else "",
        "Published values: as printed; Spearman, all, cosine, unless the source says otherwise; not tested. A dash: "
        "not reported."
        if has_published
        else "",
    ]


# --- sub-sources, differences, regressions ------------------------------------------------------------------


def subsets(inputs: Inputs) -> Table:
    """Every sub-source, and the three ways to make one number of them, with intervals."""
    rows = inputs.rows(SimilarityRow)
    shown = [row for row in rows if row.is_main]
    order = unique(row.pairs for row in shown)
    # of a set without sub-sources, all three ways say the same
    divided = {row.pairs for row in shown if row.aggregation == "subset"}
    kept = [row for row in shown if row.pairs in divided or row.aggregation == "all"]
    # what is summed up comes last
    kept.sort(key=lambda row: (order.index(row.pairs), row.aggregation != "subset"))

    def cell(model: str, line: Mapping[str, SimilarityRow]) -> Cell:
        if (row := line.get(model)) is None:
            return Cell(MISSING)
        limits = words.hundred_interval(row.low, row.high) if row.value == row.value else ""
        return Cell(words.hundred(row.value), limits, value=row.value)

    def way(line: Line) -> str:
        return str(line.subset or _AGGREGATIONS.get(line.aggregation, line.aggregation))

    drawn = [row for row in shown if row.aggregation in ("subset", "all")]
    return build(
        f"similarity by sub-source ({words.protocol(shown)}; × 100).",
        SimilarityRow,
        pivoted(kept, ("pairs", "aggregation", "subset"), "model"),
        [
            text("Sub-source", way),
            number("n", "n", count),
            number("Effective", lambda line: round(line.effective_pairs), count),
            *(marked(title, partial(cell, model)) for model, title in titles_of(shown, "model").items()),
        ],
        [
            words.protocol_note(shown),
            f"In brackets the {percent(shown[0].level)} interval of a bootstrap over pairs of sentences, or over "
            f"components or sentences if pairs share some ({shown[0].n_resamples:,} resamples).",
            # several sets have a sub-source called headlines
            words.drawn_note({": ".join(filter(None, (row.pairs, row.subset))): row.drawn for row in drawn}),
            "n: scored pairs. Papers report “all”; “mean” and “weighted mean” (by pairs) give other numbers. Tests are "
            "made on whole pair sets.",
            *words.warning_notes([row for row in shown if row.aggregation == "all"]),
        ],
        data=shown,
        records=rows,
        blocks=Blocks(
            "pairs", "Pair set", lambda name, own: f"{name}: {own[0].pairs_title}, {own[0].data_version}"
        ),
        lead=3,
    )


def differences(inputs: Inputs) -> Table:
    """Every pair of encoders on every pair set."""
    rows = inputs.rows(SimilarityRow)
    pairs = inputs.rows_if_there(SimilarityDifference)
    titles, sets = titles_of(rows, "model"), titles_of(rows, "pairs")
    notes = [words.protocol_note([row for row in rows if row.is_main])]
    if pairs:
        notes += [
            captions.difference_note(_TEST, "of the set", pairs[0].level, pairs[0].alpha),
            words.drawn_note({row.pairs: row.drawn for row in pairs}),
            "× 100. n: scored pairs.",
        ]
        if any(math.isnan(row.p_holm) or is_alike(row) for row in pairs):
            notes.append(
                f"{MISSING} No test: equal similarities, an undefined value, or fewer than {FEWEST_EFFECTIVE} "
                "effective pairs."
            )
    else:
        notes.append(captions.NOTHING_COMPARED)
    return build(
        "paired differences of semantic textual similarity.",
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
        blocks=Blocks("pairs", "Pair set", lambda name, _: f"{name}: {sets[name]}"),
    )


def regressions(inputs: Inputs) -> Table:
    """The regressor of original SentEval: trained, unlike the cosines of the other tables."""
    rows = inputs.rows(RegressionRow)
    notes = [
        "A regressor on |u − v| and u · v, trained once, as in the original SentEval. Correlations × 100; MSE on the "
        "scale of the gold scores. Not comparable with the table sts.",
    ]
    if any(row.train.startswith("STSB-train") for row in rows) and not is_sample_data(rows):
        notes.append(words.CONTAMINATION)

    def title(name: str, own: Sequence[RegressionRow]) -> str:
        first = own[0]
        sizes = f"train {count(first.n_train)}, dev {count(first.n_dev)}, test {count(first.n_test)} pairs"
        return f"{name}: {first.regression_title} ({sizes})"

    return build(
        "SentEval's regressor.",
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
        blocks=Blocks("regression", "Data", title),
    )
