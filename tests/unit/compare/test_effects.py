"""What another protocol does to scores and ranks, and the table and report that tell it."""

import math
from dataclasses import replace

import fake_summary
import numpy as np
import pytest

from sentflow.compare.effects import effect_rows
from sentflow.compare.score_rows import EffectRow
from sentflow.compare.scores import in_order
from sentflow.errors import DataError
from sentflow.files.rows import read_rows, write_rows
from sentflow.report import captions
from sentflow.report.families.probing.protocol_table import protocols_table
from sentflow.report.families.probing.score_table import scores_table
from sentflow.stats.generalisation import nadeau_bengio_interval


def study(**changes: object):
    """T1A and F1A with two encoders, whose order the other protocol turns round on T1A."""
    base = fake_summary.score_rows(tasks=["T1A", "F1A"], models=["minilm-l6", "tfidf"])
    base = [replace(row, mean=0.5 if row.model == "minilm-l6" else 0.4) for row in base]
    other = [
        replace(
            row,
            protocol="mine",
            switches="clip_metric off",
            mean=row.mean - 0.2 if (row.task, row.model) == ("T1A-sample", "minilm-l6") else row.mean,
            **changes,
        )
        for row in base
    ]
    generator = np.random.default_rng(0)
    folds = {(row.task, row.model): (row.mean + 0.02 * generator.standard_normal((2, 50))) for row in base}
    return base, other, {key: (pair[0], pair[1]) for key, pair in folds.items()}


def effects(**changes: object) -> list[EffectRow]:
    return effect_rows(*study(**changes), title="Mine")


def test_effect_is_the_difference_of_means_with_the_interval_of_paired_folds():
    _, _, folds = study()
    row = effects()[0]
    assert (row.task, row.model, row.difference) == ("T1A-sample", "minilm-l6", pytest.approx(-0.2))
    first, second = folds["T1A-sample", "minilm-l6"]
    expected = nadeau_bengio_interval(second - first, folds=5, level=0.99)
    assert (row.difference_low, row.difference_high) == (expected.low, expected.high)
    assert (row.baseline_rank, row.rank) == (1, 2)
    assert row.paired


@pytest.mark.parametrize("change", [{"seed": 1}, {"groups_folds": True}, {"n_balanced_rows": 478}], ids=str)
def test_other_folds_are_not_compared_one_by_one(change):
    row = effects(**change)[0]
    assert not row.paired
    assert math.isnan(row.difference_low)


def test_width_is_that_of_the_interval_the_protocol_calls_its_own():
    row = effects(own_interval="generalisation")[0]
    # 2 · 1.3925 s over 0.735 s, see fake_summary
    assert row.width / row.baseline_width == pytest.approx(2.785 / 0.735)


def test_protocols_without_the_same_scores_are_refused():
    base, other, folds = study()
    with pytest.raises(DataError, match="do not have the same tasks and models"):
        effect_rows(base, other[1:], folds, title="Mine")


def test_effects_come_back_as_they_were_written(tmp_path):
    rows = effects()
    write_rows(tmp_path / "e.parquet", EffectRow, rows)
    assert read_rows(tmp_path / "e.parquet", EffectRow) == rows


def test_table_has_a_line_per_protocol_and_says_that_it_mixes_them():
    table = protocols_table(effects(), "Study")
    (line,) = table.groups[0].rows
    texts = [cell.text for cell in line]
    # one of four scores falls by 0.2; T1A has another first, F1A the same order: tau (−1 + 1) / 2
    assert texts[:4] == ["Mine", "clip_metric off", "−0.050", "−0.200"]
    assert texts[4:7] == ["T1A-sample, minilm-l6", "1 of 2", "0.00"]
    assert "must not be mixed elsewhere" in " ".join(table.notes)
    assert len(table.tidy_rows) == 4


def test_change_that_is_apart_from_chance_has_an_asterisk():
    base, other, folds = study()
    folds["T1A-sample", "minilm-l6"] = (np.full(50, 0.5), np.linspace(0.29, 0.31, 50))
    (line,) = protocols_table(effect_rows(base, other, folds, title="Mine"), "Study").groups[0].rows
    assert line[3].text == "−0.200*"


# --- what is told of a protocol beside its scores


def test_table_of_changed_settings_says_that_it_is_not_comparable():
    rows = [replace(row, not_comparable="batch_size 64 (published: 128)") for row in study()[0]]
    notes = " ".join(scores_table(rows, "X").notes)
    assert "Not comparable with scores obtained with the published settings" in notes
    assert "batch_size 64 (published: 128)" in notes
    assert "Not comparable" not in " ".join(scores_table(study()[0], "X").notes)


def test_caption_names_the_switches_that_are_not_as_published():
    _, other, _ = study()
    assert "Differs from the published protocol: clip_metric off." in captions.design_note(other)
    assert "Unlike" not in captions.design_note(study()[0])


def test_two_protocols_in_one_summary_are_refused():
    base, other, _ = study()
    with pytest.raises(DataError, match=r"protocol differs: published .*, mine"):
        in_order([*base[:1], *other[1:]])


def test_one_name_for_two_sets_of_switches_is_refused():
    base, _, _ = study()
    with pytest.raises(DataError, match="switches differs"):
        in_order([base[0], replace(base[1], switches="clip_metric off")])
