"""Sentences that tables, figures and the report share: what the numbers are and what they do not say."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from sentflow.compare.comparisons import NAMED_DIFFERENCE, n_needed
from sentflow.compare.rows import CORRECTED_T, EQUIVALENT, OUT_OF_FOLD, PairRow
from sentflow.compare.score_rows import ScoreRow, by_protocol
from sentflow.report.numbers import MISSING, about, count, counted, decimal, listed, percent
from sentflow.report.rows import unique
from sentflow.stats.effective import FEWEST_DOCUMENTS
from sentflow.stats.seed_variance import ENOUGH_SEEDS, LEAST_SEEDS

N_NEEDED = f"n for {NAMED_DIFFERENCE:g}"
METRICS = {"mcc": "MCC", "adjusted_macro_f1": "adj. F1"}
METRICS_IN_WORDS = {
    "mcc": "Matthews correlation coefficient",
    "adjusted_macro_f1": "macro-F1 rescaled so that chance is 0 and a perfect classifier is 1",
}
CLASSIFIERS = {
    "logistic": "logistic regression",
    "mlp": "multilayer perceptron",
    "regularised": "logistic regression, penalty chosen",
}
LAYOUTS = {
    "single": "single text",
    "pair": "pair of texts",
    "alternatives": "question with alternatives",
}

FAMILIES = {
    "factual": "Factual",
    "governmental": "General governmental",
    "trust": "Trustworthiness and bias",
    "own": "Own tasks",
}

REPEATABILITY = (
    "where the mean would be if only the shuffling of the same texts changed "
    "(the published bootstrap over fold scores; for comparison with published tables, not for claims)"
)
_TESTS = {
    OUT_OF_FOLD: "t-test of the out-of-fold predictions",
    CORRECTED_T: "corrected resampled t-test on the paired folds",
}
_CORRECTED_T = "corrected resampled t, Nadeau and Bengio 2003"
SAME_DOCUMENTS = "new texts of the same documents"
NEW_DOCUMENTS = "new documents of the same kind"
TOO_FEW_DOCUMENTS = "too few documents"
NO_TEST = (
    "No test between encoders was made, so nothing is in bold; overlapping intervals do not show equality."
)
NOTHING_COMPARED = "Nothing was compared: fewer than two have a score."
NOTHING_TO_COMPARE = "Nothing to compare: fewer than two encoders have a score on every task."
DEGENERATE = "†: all folds gave the same score, so there is no interval."


def design_note(rows: Sequence[ScoreRow]) -> str:
    """Protocol, repetitions and folds, and what a score estimates."""
    row = rows[0]
    note = (
        f"Mean test score of {row.repetitions} × {row.folds}-fold cross-validation, {protocols_of(rows)}; "
        "each probe is trained on part of the class-balanced rows."
    )
    return " ".join([note, *apart_notes(rows), *protocol_notes(rows)])


def protocols_of(rows: Sequence[Any]) -> str:
    """``protocol published``, and of which tasks it is another."""
    first, *others = by_protocol(rows).items()
    apart = [f"protocol {name} on {listed(unique(row.task for row in own))}" for name, own in others]
    return f"protocol {first[0]}" + (f" ({'; '.join(apart)})" if apart else "")


def apart_notes(rows: Iterable[Any]) -> list[str]:
    """That nothing is said over tasks of several protocols, where there are several."""
    if len(by_protocol(rows)) < 2:
        return []
    return ["Means, ranks and tests over tasks never combine protocols."]


def of_protocol(protocol: str, rows: Iterable[Any]) -> str:
    """``, protocol corrected`` behind a heading; nothing where all rows have the same one."""
    return f", protocol {protocol}" if len(by_protocol(rows)) > 1 else ""


def heading_of_protocol(protocol: str, rows: Iterable[Any]) -> str:
    """``Protocol corrected`` above a group; nothing where all rows have the same one."""
    return of_protocol(protocol, rows).replace(", p", "P", 1)


def protocol_notes(rows: Sequence[Any]) -> list[str]:
    """What of the protocol is not as published; nothing under the published one."""
    groups = by_protocol(rows)
    notes = []
    for name, own in groups.items():
        who = "Differs from the published protocol" if len(groups) == 1 else f"{name} differs from published"
        notes += [f"{who}: {switches}." for switches in unique(row.switches for row in own if row.switches)]
    changed = unique(row.not_comparable for row in rows if row.not_comparable)
    if changed:
        notes.append(
            f"Not comparable with scores obtained with the published settings; changed: {'; '.join(changed)}."
        )
    return notes


def adjusted_over_tasks(adjustment: str, alpha: float) -> str:
    """How counts over tasks are adjusted."""
    name = {"holm": "Holm", "benjamini-hochberg": "Benjamini and Hochberg, false discovery rate"}[adjustment]
    return f"{percent(alpha)}, {name} over all pairs on all tasks"


def over_units(units: str, n_units: int) -> str:
    """What tests over tasks take as independent: see `AcrossRow.units`."""
    if units == "sources":
        return f"over {counted(n_units, 'source')}, by the average over the tasks of each"
    return f"over {counted(n_units, 'task')}"


def generalisation(rows: Sequence[ScoreRow]) -> str:
    """What the generalisation interval of a score says, and of which texts; no full stop at the end."""
    return (
        "where the expected score lies, over all samples of as many texts from the same population "
        f"({_CORRECTED_T}){population(rows)}"
    )


def population(rows: Sequence[ScoreRow]) -> str:
    """Sentences on which texts are meant on which task, each after a full stop; no full stop at the end."""
    kept = unique(row.task for row in rows if row.groups_folds)
    split = tasks_that_split_documents(rows)
    said = ""
    if kept:
        said += f". On {listed(kept)}: {NEW_DOCUMENTS}, because the folds keep documents together"
    if split:
        said += (
            f". On {listed(split)}: {SAME_DOCUMENTS}, which the folds split; for {NEW_DOCUMENTS} it may be much too "
            "narrow (see the table documents)"
        )
    if len(kept) + len(split) < len(unique(row.task for row in rows)):
        others = " of other tasks" if kept or split else ""
        said += f". If texts{others} share documents that the data do not name, it does not hold for new documents"
    return said


def tasks_that_split_documents(rows: Sequence[ScoreRow]) -> list[str]:
    """Tasks whose folds split documents that the data name: scores are for new texts of the same documents."""
    return unique(row.task for row in rows if row.item_grouped and not row.groups_folds)


def too_few_documents_notes(rows: Sequence[ScoreRow]) -> list[str]:
    """Of each task with too few documents how many there are, how many are needed, and what is not said for it."""
    found = []
    for row in {row.task: row for row in rows if row.has_too_few_documents}.values():
        known = f"{row.task} has {counted(row.n_documents, 'document')}"
        if row.is_untested:
            missing = (
                f"{known}, and the rarest class occurs in {row.documents_with_rarest_class} of them; {row.folds} folds "
                f"that keep documents together need every class in at least {row.folds} (more, if documents differ in "
                "size), so there is no score"
            )
        else:
            missing = (
                f"{known}, {decimal(row.effective_documents, 1)} effective; below {FEWEST_DOCUMENTS:g} there is no "
                "interval and no test"
            )
        found.append(f"{TOO_FEW_DOCUMENTS.capitalize()}: {missing}.")
    return found


def test_name(pairs: Iterable[PairRow]) -> str:
    """Which test the p-values of pairs are of."""
    return " or ".join(unique(_TESTS[pair.test] for pair in pairs))


def letters(systems: str = "encoders") -> str:
    """What raised letters mean."""
    return f"Superscript letters: the {systems} that this one is significantly better than."


def test_note(test: str, across: str, alpha: float, what: str = "score") -> str:
    """What bold and underline rest on."""
    return (
        f"Bold: highest {what}, if a test was made; underlined: not significantly lower than it. Test: {test}, Holm "
        f"over all pairs {across}, {percent(alpha)}."
    )


def difference_note(test: str, across: str, level: float, alpha: float) -> str:
    """What the columns of tables of differences hold."""
    return (
        f"Difference: first minus second, with its {percent(level)} interval, not adjusted for the number of pairs; "
        f"p: {test}; Holm: adjusted over all pairs {across}; *: at most {percent(alpha)}."
    )


def equivalence(p: float) -> str:
    """``yes``, ``no``, or a dash, given p of the tests of equivalence."""
    return MISSING if math.isnan(p) else "yes" if p <= EQUIVALENT else "no"


def equivalence_note(margin: float) -> str:
    """What `equivalence` says."""
    level = percent(1 - 2 * EQUIVALENT)
    return f"Equivalent: the {level} interval lies within ± {decimal(margin, 2)} (statistics.rope), not adjusted."


def sizes(n: int, mdd: float) -> str:
    """``n = 7,000, MDD 0.031, n for 0.02: 17,000`` in the heading of a task or question set; n alone without tests."""
    text = f"n = {count(n)}"
    return text if math.isnan(mdd) else f"{text}, MDD {decimal(mdd)}, {N_NEEDED}: {about(n_needed(n, mdd))}"


def detectable_note(alpha: float, units: str = "texts", systems: str = "encoders", of: str = "task") -> str:
    """What the minimum detectable difference is, and what `N_NEEDED` is."""
    return (
        f"MDD, minimum detectable difference: smallest true difference that is significant at {percent(alpha)} (Holm) "
        f"in four of five cases, for the median pair of {systems} of the {of}. {N_NEEDED}: about how many {units} like "
        f"these would lower it to {NAMED_DIFFERENCE:g}."
    )


def metric_note(rows: Sequence[ScoreRow]) -> str:
    """The metrics that occur, spelled out."""
    used, clips = unique(row.metric for row in rows), {row.clips for row in rows}
    words = [f"{metric_name(name)}: {METRICS_IN_WORDS.get(name, name)}" for name in used]
    cut = "; fold scores below 0 count as 0" + (" under some protocols" if len(clips) > 1 else "")
    return f"{'; '.join(words)}; in a fold 0 is chance, 1 is perfect{cut if any(clips) else ''}."


def metric_name(metric: str) -> str:
    """Short name of a metric for a column."""
    return METRICS.get(metric, metric)


def family_name(family: str) -> str:
    """Name of a group of tasks for headings."""
    return FAMILIES.get(family, family)


def degenerate_notes(rows: Sequence[ScoreRow], sign: str = "†") -> list[str]:
    """What the sign beside a score without interval means, if it occurs."""
    return [DEGENERATE.replace("†", sign)] if any(row.degenerate for row in rows) else []


def few_seeds(counts: Iterable[int]) -> list[str]:
    """What is said where a line rests on few seeds; nothing where all have enough."""
    fewest = min(counts, default=ENOUGH_SEEDS)
    if fewest < LEAST_SEEDS:
        return [f"Below {LEAST_SEEDS} seeds there is no interval and no test for new seeds."]
    return [f"With fewer than {ENOUGH_SEEDS} seeds intervals may be too narrow."] * (fewest < ENOUGH_SEEDS)
