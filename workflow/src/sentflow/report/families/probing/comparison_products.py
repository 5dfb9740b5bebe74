"""The tables of comparisons, of the files of an experiment."""

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.score_rows import ScoreRow
from sentflow.report.comparison_tables import differences_table, matches_table, ranks_table
from sentflow.report.table.maker import made_of

differences = made_of(ScoreRow, differences_table, Comparisons)
ranks = made_of(ScoreRow, ranks_table, Comparisons)
matches = made_of(ScoreRow, matches_table, Comparisons)
