"""What an audit says about rows: duplicates, contradictions, shares across folds, languages, warnings."""

import numpy as np
import pytest

from sentflow.audit.task_audit import (
    NOT_DRAWN,
    AuditSettings,
    audit,
    folds_of_rows,
    languages,
    pairs_split_across_folds,
    share_of_drawn,
    split_across_folds,
    warnings_of,
)
from sentflow.probing.draws import plan_folds
from sentflow.probing.settings import ProbeProtocol
from sentflow.texts.table import TaskInfo, TaskTable, contradicting_rows

SETTINGS = AuditSettings(repetitions=2, folds=2, seed=9847706, group_folds=False, language="pt")
SENTENCES = [
    "O projeto de lei foi aprovado ontem pela comissão de saúde da câmara dos deputados.",
    "A senadora pediu vista do processo e a votação ficou para a semana que vem.",
    "Os servidores públicos do estado entraram em greve por melhores salários.",
    "O tribunal negou o recurso por falta de provas e manteve a condenação.",
    "Não concordo com essa proposta, porque ela tira direitos dos trabalhadores.",
    "Quem recebe o benefício precisa atualizar o cadastro até o fim do ano.",
    "A cidade inaugurou uma escola nova no bairro mais pobre da região norte.",
    "O ministro explicou aos jornalistas como será feita a distribuição das vacinas.",
]


def make_table(
    text_a: list[str],
    labels: list[int],
    text_b: list[str] | None = None,
    groups: list[str | None] | None = None,
) -> TaskTable:
    layout = "pair" if text_b else "single"
    classes = [str(label) for label in range(max(labels) + 1)]
    info = TaskInfo("X", layout, classes, n_alternatives=0, data_version="sample data")
    return TaskTable(info, text_a, text_b or [], np.array(labels, np.int64), groups or [None] * len(text_a))


def test_contradicting_rows_have_a_text_with_two_labels():
    table = make_table(["a", "a", "b", "b", "c", "a"], [0, 1, 0, 0, 1, 0])
    assert contradicting_rows(table) == [0, 1, 5]
    assert contradicting_rows(make_table(["a", "a"], [0, 1], ["x", "y"])) == []  # as pairs they differ


def test_folds_are_the_test_parts_of_the_protocol():
    labels = np.array([0] * 30 + [1] * 20)
    plans = list(plan_folds(labels, ProbeProtocol(repetitions=3, folds=5)))
    folds = folds_of_rows(plans, len(labels))
    assert folds.shape == (3, 50)
    for plan in plans:
        assert np.flatnonzero(folds[plan.repetition - 1] == plan.fold).tolist() == sorted(plan.test)
    # 20 rows of each class are drawn, so ten of class 0 are left out of every repetition
    assert (folds == NOT_DRAWN).sum(axis=1).tolist() == [10, 10, 10]


def test_share_across_folds_by_hand():
    folds = np.array([[1, 1, 2, NOT_DRAWN, 2], [1, 2, 1, 2, 2]])
    groups = np.array([0, 0, 1, 1, 2])
    # repetition 1: rows 0 and 1 are in one fold, row 3 is left out; repetition 2: both pairs are split apart
    split = split_across_folds(groups, folds)
    assert split.tolist() == [[False] * 5, [True, True, True, True, False]]
    assert share_of_drawn(split, folds) == pytest.approx((0 / 4 + 4 / 5) / 2)


def test_pairs_across_folds_by_hand():
    folds = np.array([[1, 2, 2, NOT_DRAWN], [1, 1, 2, 2]])
    split = pairs_split_across_folds(np.array([0, 1, 2]), np.array([1, 2, 3]), folds)
    assert split.tolist() == [[True, True, False, False], [False, True, True, False]]


def audit_of(table: TaskTable, **changes: object) -> dict:
    return audit(table, SETTINGS.model_copy(update=changes))


def test_an_audit_counts_what_is_there():
    texts = [*SENTENCES, *SENTENCES[:3], SENTENCES[5].replace("fim", "final")]
    labels = [0, 1] * 6
    facts = audit_of(make_table(texts, labels))
    assert facts["n_rows"] == 12
    assert (facts["exact_duplicates"]["rows"], facts["exact_duplicates"]["groups"]) == (6, 3)
    assert (facts["near_duplicates"]["rows"], facts["near_duplicates"]["pairs"]) == (2, 1)
    (example,) = facts["near_duplicates"]["examples"]
    assert example[:2] == [5, 11]
    assert 0.8 <= example[2] < 1
    # rows 0 and 8, and 2 and 10, have the same label; so have 1 and 9
    assert facts["contradicting"] == {"rows": 0, "groups": 0, "examples": []}
    assert facts["classes"] == {"0": 6, "1": 6}
    assert facts["lengths"]["words"]["max"] == max(len(text.split()) for text in texts)
    assert facts["lengths"]["chars"]["min"] == min(map(len, texts))
    assert facts["documents"] is None
    assert facts["shared_texts"] is None
    assert facts["language"]["pt"] + facts["language_unsure"] == pytest.approx(1)


def test_rows_that_share_texts_are_worth_fewer():
    facts = audit_of(make_table([SENTENCES[row // 2] for row in range(8)], [0, 1] * 4, SENTENCES))
    assert facts["shared_texts"]["rows"] == 8
    # text a of rows 0 and 1 is text b of row 0, and so on
    assert facts["shared_texts"]["effective_rows"] < 4
    assert facts["shared_texts"]["largest_connected"] == 8


def test_languages_are_told_apart_and_short_texts_are_left_undecided():
    english = "The committee will vote on the amended bill next Thursday morning."
    assert languages([*SENTENCES[:3], english]) == ({"pt": 0.75, "en": 0.25}, 0)
    assert languages(["ok"]) == ({}, 1)


def test_each_finding_is_one_warning_with_its_numbers():
    clean = audit_of(make_table(SENTENCES, [0, 1] * 4))
    assert clean["warnings"] == []
    few = {"rows": 2, "groups": 1, "share_across_folds": 0.0002}  # nobody needs to act on these
    assert warnings_of({**clean, "exact_duplicates": few}, language="pt") == []
    copies = {"rows": 208, "groups": 98, "share_across_folds": 0.0645}
    near = {"rows": 1, "pairs": 1, "share_across_folds": 0.25, "threshold": 0.8}
    shared = {"rows": 8, "share_across_folds": 0, "effective_rows": 2.0, "largest_connected": 2}
    documents = {"n": 1299, "rows_with_one": 6191, "share_across_folds": 0.93}
    for change, told in (
        ({"exact_duplicates": copies}, "6.5 %"),
        ({"near_duplicates": near}, "1 row is nearly equal"),
        ({"documents": documents}, "1,299 documents, and 93 %"),
        ({"shared_texts": shared}, "8 rows are worth as few as 2 independent ones. To probe"),
        ({"shared_texts": {**shared, "largest_connected": 6}}, "6 are connected"),
        ({"contradicting": {"rows": 10, "groups": 5, "examples": []}}, "10 rows"),
        ({"classes": {"0": 5633, "1": 558}}, "Class 0 has 5,633 rows and class 1 only 558"),
        ({"lengths": {"chars": {"p5": 4.0}, "words": {}}}, "at most 4 characters"),
        ({"language": {"pt": 0.9, "en": 0.06, "es": 0.01}}, "7.0 %"),
    ):
        (warning,) = warnings_of({**clean, **change}, language="pt")
        assert told in warning
