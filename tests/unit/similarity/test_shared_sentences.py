"""Which sentences the pairs of tables have in common."""

import numpy as np

from sentflow.similarity.storage import graph_of
from sentflow.texts.pairs import PairInfo, PairTable


def table(*pairs: tuple[str, str]) -> PairTable:
    first, second = zip(*pairs, strict=True)
    info = PairInfo("X", "test", "pt", (0.0, 5.0), [""])
    return PairTable(info, [""] * len(pairs), [*first], [*second], np.zeros(len(pairs)))


def test_sentences_that_differ_in_case_punctuation_or_white_space_are_one():
    graph = graph_of([table(("Um gato.", "Um  cão"), ("um gato", "É um cão!"), ("um cão", "UM CÃO?"))])
    assert graph.first.tolist() == [0, 0, 1]
    assert graph.second.tolist() == [1, 2, 1]


def test_tables_are_joined_by_their_sentences():
    graph = graph_of([table(("a", "b")), table(("c", "a"), ("d", "e"))])
    assert graph.component.tolist() == [0, 0, 1]


def test_texts_without_letters_stay_apart():
    graph = graph_of([table(("!!!", "🙂"), ("???", "🙂🙂"))])
    assert len({*graph.first.tolist(), *graph.second.tolist()}) == 4
