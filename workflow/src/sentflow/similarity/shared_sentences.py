"""Which sentences the pairs of tables have in common."""

from collections.abc import Iterable

from sentflow.audit.ngrams import plain
from sentflow.stats.pair_graph import PairGraph
from sentflow.texts.pairs import PairTable


def graph_of(tables: Iterable[PairTable]) -> PairGraph:
    """The graph of the pairs of tables, one after the other.

    Sentences that differ in case, punctuation or white space alone are one (`plain`): people and encoders rate them
    alike, so their pairs are no more independent than those of equal sentences.
    """
    found = [[plain(text) for text in row] for table in tables for row in table.row_texts()]
    return PairGraph.of_texts([first for first, _ in found], [second for _, second in found])
