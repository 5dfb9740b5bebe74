"""The tables of comparisons, of the files of an experiment."""

from collections.abc import Mapping
from typing import Any

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.score_rows import ScoreRow
from sentflow.report.comparison_tables import differences_table, matches_table, power_table, ranks_table
from sentflow.report.inputs import Inputs
from sentflow.report.table.cells import Table


def differences(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """Every pair of encoders on every task."""
    return differences_table(inputs.rows(ScoreRow), settings["caption"], inputs.together(Comparisons))


def ranks(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """Encoders over all tasks."""
    return ranks_table(inputs.rows(ScoreRow), settings["caption"], inputs.together(Comparisons))


def matches(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """Pairs of encoders over all tasks."""
    return matches_table(inputs.rows(ScoreRow), settings["caption"], inputs.together(Comparisons))


def power(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """What differences could have been found."""
    return power_table(inputs.rows(ScoreRow), settings["caption"], inputs.together(Comparisons))
