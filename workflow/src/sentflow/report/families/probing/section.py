"""What the page shows of tasks: the leaderboard, every task, the first two encoders."""

import math
from collections.abc import Sequence
from dataclasses import replace
from operator import eq, gt

from markupsafe import Markup

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.score_rows import DocumentScore, EffectRow, ScoreRow
from sentflow.report import captions, claims
from sentflow.report.claims import Ranking, Sets
from sentflow.report.costs.rows import EncoderRow
from sentflow.report.families.probing import remarks
from sentflow.report.numbers import decimal, percent, signed
from sentflow.report.page import draw
from sentflow.report.page.sources import Report, Section, Sources, datasets_of
from sentflow.report.rows import unique

# What scores of tasks and their comparisons rest on, as BibTeX
_BENCHMARK = """@misc{ulysses-senteval,
  title        = {Ulysses {SentEval}},
  howpublished = {https://github.com/ulysses-camara/ulysses-senteval, commit f2a12c2}
}"""
_INTERVALS = """@article{nadeau-bengio-2003,
  author  = {Nadeau, Claude and Bengio, Yoshua},
  title   = {Inference for the Generalization Error},
  journal = {Machine Learning},
  volume  = {52},
  pages   = {239--281},
  year    = {2003}
}"""
_TESTS = """@inproceedings{bayle-2020,
  author    = {Bayle, Pierre and Bayle, Alexandre and Janson, Lucas and Mackey, Lester},
  title     = {Cross-validation Confidence Intervals for Test Error},
  booktitle = {Advances in Neural Information Processing Systems},
  volume    = {33},
  year      = {2020}
}

@inproceedings{bouckaert-frank-2004,
  author    = {Bouckaert, Remco R. and Frank, Eibe},
  title     = {Evaluating the Replicability of Significance Tests for Comparing Learning Algorithms},
  booktitle = {Advances in Knowledge Discovery and Data Mining},
  pages     = {3--12},
  year      = {2004}
}

@article{demsar-2006,
  author  = {Dem{\\v{s}}ar, Janez},
  title   = {Statistical Comparisons of Classifiers over Multiple Data Sets},
  journal = {Journal of Machine Learning Research},
  volume  = {7},
  pages   = {1--30},
  year    = {2006}
}"""
_FEW = 2  # tasks up to which every fold is drawn instead of a heat map


def report(sources: Sources) -> Report | None:
    """The sections; None without scores."""
    rows = sources.inputs.rows_if_there(ScoreRow)
    if not rows:
        return None
    tests = sources.inputs.together(Comparisons)
    rankings = claims.of_probing(rows, tests, sources.inputs.rows_if_there(EncoderRow))
    sets = claims.tasks_of(rows, tests, [system.name for ranking in rankings for system in ranking.systems])
    tasks = unique(row.task for row in rows)
    sections = [_leaderboard(ranking, sets, rows) for ranking in rankings if ranking.systems]
    sections += [_every_fold(sources, sets)] if len(tasks) <= _FEW and sources.folds else []
    sections += [_every_task(sets)] if len(tasks) > _FEW or not sources.folds else []
    sections.append(_probes(rows, tests, rankings[0], sets))
    return Report(
        sections,
        rows,
        rows,
        rankings,
        sets,
        caveats=_caveats(sources, rows, tests),
        datasets=datasets_of([sources.entries("tasks").get(task, {}) for task in tasks]),
        methods=(_BENCHMARK, _INTERVALS, *((_TESTS,) if tests.pairs else ())),
    )


def _leaderboard(ranking: Ranking, sets: Sets, rows: Sequence[ScoreRow]) -> Section:
    tasks = {row.task for row in rows if row.protocol == ranking.protocol or not ranking.protocol}
    own = [one for one in sets.sets if one.name in tasks]
    firsts = replace(sets, sets=tuple(own)).firsts()
    best_on = {system.name: f"{firsts[system.name]} of {len(own)}" for system in ranking.systems}
    more = [("Best on", best_on)] if len(own) > 1 < len(best_on) else []
    measure = draw.term("score", ranking.measure.capitalize())
    reading = draw.how("{} {}: 1 is perfect, 0 is guessing.", measure, ranking.where)
    title = "Leaderboard" if len(ranking.systems) > 1 else "Score"
    title += f", {ranking.protocol}" if ranking.protocol else ""
    anchor = f"leaderboard-{ranking.protocol}" if ranking.protocol else "leaderboard"
    return Section(anchor, title, ranking.finding(), reading + draw.leaderboard(ranking, more))


def _every_task(sets: Sets) -> Section:
    def brief(value: float) -> str:
        text = decimal(value)
        return text.replace("0.", ".", 1) if abs(value) < 1 else decimal(value, 2)

    title = "Every task" if len(sets.sets) > 1 else "The task"
    return Section("tasks", title, draw.sentence(sets.finding()), draw.heat_map(sets, brief))


def _every_fold(sources: Sources, sets: Sets) -> Section:
    """A stroke per test of a fold, a dot for the mean."""
    pictures = []
    for one in sets.sets:
        folds = sources.folds.get(one.name, {})
        axis, best = draw.Axis([value for values in folds.values() for value in values]), sets.best(one)
        rows = []
        for model in one.ranked:
            dot = axis.dot(one.values[model], "lead" if model in best else "full")
            plot, mean = axis.row(axis.strokes(folds.get(model, ())) + dot), decimal(one.values[model])
            rows.append(draw.line([draw.name(sets.titles[model]), plot, draw.td(mean, "num")], key=model))
        heading = draw.h("<h3>{}</h3>", one.title) if len(sets.sets) > 1 else ""
        picture = draw.plots([draw.th("Encoder", "name"), axis.head(), draw.th("Mean")], rows)
        pictures.append(draw.h("{}<figure>{}</figure>", heading, picture))
    n = max((len(values) for own in sources.folds.values() for values in own.values()), default=0)
    reading = draw.how(
        "A stroke is one of {} tests: a {} is trained on some texts and tested on others. The dot is the mean.",
        n,
        draw.term("probe", "probe"),
    )
    return Section("tasks", "Every test", _wins(sources, sets), reading + draw.joined(pictures))


def _wins(sources: Sources, sets: Sets) -> str | Markup:
    """In how many folds the first encoder of the only task is above the second."""
    one = sets.sets[0]
    if len(sets.sets) > 1:
        return draw.sentence(sets.finding())
    folds = [sources.folds[one.name][model] for model in one.ranked[:2]]
    if len(folds) == 1:
        return f"The scores of {len(folds[0])} tests lie between {decimal(min(folds[0]))} and {decimal(max(folds[0]))}."
    first, second = (sets.titles[model] for model in one.ranked[:2])
    above, equal = (sum(test(a, b) for a, b in zip(*folds, strict=True)) for test in (gt, eq))
    if equal == len(folds[0]):
        return f"{first} and {second} have the same score in every test."
    same = f", with the same score in {equal}" if equal else ""
    return f"{first} is above {second} in {above} of {len(folds[0])} tests{same}."


def _probes(rows: Sequence[ScoreRow], tests: Comparisons, ranking: Ranking, sets: Sets) -> Section:
    """The first two encoders on every task."""
    a, b = [*(system.name for system in ranking.systems[:2]), "", ""][:2]
    of_both = [pair for pair in tests.pairs if {pair.model_a, pair.model_b} == {a, b}]
    pairs = {pair.task: (pair, 1 if pair.model_a == a else -1) for pair in of_both}
    if len(pairs) <= 1:
        finding = "Scores and tests in full" if ranking.tests else "Scores in full"
        return Section("probes", "Probes", finding, Markup(""), "probing")
    titles = draw.short_names(sets.titles)
    shown = [one for one in sets.sets if one.name in pairs]
    gaps = {one.name: sets.printed(one.values[a]) - sets.printed(one.values[b]) for one in shown}
    ends = [sign * end for pair, sign in pairs.values() for end in (pair.low, pair.high)]
    axis = draw.Axis([0.0, *ends, *gaps.values()])
    lines = []
    for group in unique(one.group for one in shown):
        for one in sorted((one for one in shown if one.group == group), key=lambda one: -gaps[one.name]):
            pair, sign = pairs[one.name]
            low, high = sorted((sign * pair.low, sign * pair.high))
            is_significant = (a, b) in one.beaten or (b, a) in one.beaten
            dot = axis.dot(gaps[one.name], "full" if is_significant else "open")
            lines.append(draw.line([
                draw.name(one.title), axis.row(axis.span(low, high) + dot), draw.td(decimal(one.values[a]), "side"),
                draw.td(decimal(one.values[b]), "side"), draw.td(signed(gaps[one.name]), "num"),
            ]))  # fmt: skip
    most, least = (pick(shown, key=lambda one: gaps[one.name]) for pick in (max, min))
    finding = f"The first two differ most on “{most.title}” ({signed(gaps[most.name])})"
    finding += f" and “{least.title}” ({signed(gaps[least.name])})." if gaps[least.name] < 0 else "."
    n, of = sum(pair.p_over_tasks <= pair.alpha for pair in tests.pairs), len(tests.pairs)
    significant = draw.term("significant", "significant")
    reading = draw.how(
        "A {} is a small classifier on the vectors. Right of 0, {} is better; left of 0, {}. "
        "Bars: {} {} for {}. Of all {} comparisons of two encoders on a task, {} are {}.",
        draw.term("probe", "probe"), titles[a], titles[b], percent(next(iter(pairs.values()))[0].level),
        draw.term("interval", "interval"), claims.texts(rows[0]), f"{of:,}", f"{n:,}", significant,
    )  # fmt: skip
    marks = draw.key([("full", significant), ("open", draw.term("tie", "not separated"))])
    sides = [draw.th(titles[a], "side"), draw.th(titles[b], "side")]
    heads = [draw.th("Task", "name"), axis.head(titles[b], titles[a]), *sides, draw.th("Difference")]
    body = reading + marks + draw.h("<figure>{}</figure>", draw.plots(heads, lines, "tight"))
    return Section("probes", "Probes", finding, body, "probing")


def _caveats(sources: Sources, rows: Sequence[ScoreRow], tests: Comparisons) -> list[tuple[str, str]]:
    changed = unique(row.not_comparable for row in rows if row.not_comparable)
    found = [("Not comparable with published scores", f"Not as published: {text}.") for text in changed]
    found += [("Low scores that are due to the probe", text) for text in remarks.score_notes(rows)]
    found += [("Rows that share texts", text) for text in remarks.shared_notes(rows)]
    found += [("Unequal classes", text) for text in remarks.unbalanced_notes(rows)] if tests.pairs else []
    found += [("Too few documents", text) for text in captions.too_few_documents_notes(rows)]
    missing = [f"{row.model_title} on {row.task}" for row in rows if math.isnan(row.mean)]
    found += [("No score", f"{', '.join(missing)}.")] if missing else []
    if any(row.degenerate for row in rows):
        found.append(("No interval", captions.DEGENERATE))
    if split := captions.tasks_that_split_documents(rows):
        more = " See the table documents." if sources.inputs.has(DocumentScore) else ""
        told = f"Scores on {', '.join(split)} hold for new texts of the same documents.{more}"
        found.append(("Same documents", told))
    if sources.inputs.rows_if_there(EffectRow):
        found.append(("Other protocols", "The table protocols compares the scores under other protocols."))
    return found
