"""Scores as LaTeX macros, so that the text of a paper never holds a copied number."""

import math
from collections.abc import Sequence
from typing import Any

from sentflow.compare.score_rows import ScoreRow, by_protocol
from sentflow.report.families.probing.rows import average_score
from sentflow.report.numbers import MINUS, MISSING, decimal
from sentflow.report.rows import unique

_HEAD = r"""%% Numbers of the experiment: %s
%% Written by the pipeline: do not edit. In the preamble: \input{numbers}. Then
%%   \sentflow{TASK}{ENCODER}{QUANTITY}   QUANTITY: %s
%%   \sentflowaverage{ENCODER}            mean score over all tasks, --- for an encoder that lacks one;
%%                                        {PROTOCOL/ENCODER} where tasks have several protocols
%%   \sentflowrun{QUANTITY}               QUANTITY: %s
%% An unknown name stops LaTeX with an error.
\newcommand{\sentflow}[3]{\sentflowlookup{#1/#2/#3}}
\newcommand{\sentflowaverage}[1]{\sentflowlookup{average/#1}}
\newcommand{\sentflowrun}[1]{\sentflowlookup{run/#1}}
\newcommand{\sentflowlookup}[1]{%%
  \ifcsname sentflow:#1\endcsname\csname sentflow:#1\endcsname
  \else\errmessage{There is no number `#1' in numbers.tex}\textbf{??}\fi}
"""


def macros(rows: Sequence[ScoreRow], *, title: str) -> str:
    """The text of ``numbers.tex``."""
    models = unique(row.model for row in rows)
    numbers = {
        f"{row.task}/{row.model}/{name}": value for row in rows for name, value in _quantities(row).items()
    }
    groups = by_protocol(rows)
    for protocol, of_protocol in groups.items():
        n_tasks = len(unique(row.task for row in of_protocol))
        for model in models:
            own = [row for row in of_protocol if row.model == model]
            key = f"{protocol}/{model}" if len(groups) > 1 else model
            numbers[f"average/{key}"] = _tex(average_score(own, n_tasks))
    first = rows[0]
    run: dict[str, Any] = {"tasks": len(unique(row.task for row in rows)), "encoders": len(models)}
    run |= {"repetitions": first.repetitions, "folds": first.folds, "level": rf"{100 * first.level:g}\,\%"}
    run |= {"protocol": ", ".join(groups)}
    numbers |= {f"run/{name}": value for name, value in run.items()}
    head = _HEAD % (" ".join(title.split()), ", ".join(_quantities(rows[0])), ", ".join(run))
    lines = [
        rf"\expandafter\def\csname sentflow:{key}\endcsname{{{value}}}" for key, value in numbers.items()
    ]
    return head + "\n".join(lines) + "\n"


def _quantities(row: ScoreRow) -> dict[str, str]:
    low, high = row.shown_generalisation
    return {
        "mean": _tex(row.mean),
        "sd": _tex(row.std),
        "low": _tex(low),
        "high": _tex(high),
        "interval": _interval(low, high),
        "repeatability": _interval(*row.shown_repeatability),
        "items": _interval(*row.shown_items),
        "n": f"{row.n_balanced_rows:,}".replace(",", "{,}"),
        "protocol": row.protocol,
    }


def _interval(low: float, high: float) -> str:
    return "---" if math.isnan(low) or math.isnan(high) else f"[{_tex(low)}, {_tex(high)}]"


def _tex(value: float) -> str:
    return decimal(value).replace(MINUS, r"\ensuremath{-}").replace(MISSING, "---")
