"""The job `compare_protocol`: each encoder is paired with its own folds, in whatever order the files come."""

import fake_summary
import made_scores
import numpy as np
import pytest

from sentflow.compare.score_rows import EffectRow
from sentflow.compare.settings import ComparedProtocol
from sentflow.compare.tasks import fold_scores
from sentflow.files.rows import read_rows
from sentflow.probing.jobs import compare_protocol
from sentflow.stats.paired import CorrectedT

BASE = {"T1A-sample": {"fair": 0.75}, "T2A-sample": {"good": 0.95, "fair": 0.75}}
OTHER = {"T1A-sample": {"fair": 0.70}, "T2A-sample": {"good": 0.90, "fair": 0.80}}


def test_every_encoder_is_paired_with_its_own_folds(tmp_path):
    rows = made_scores.write_scores(tmp_path / "published", BASE)
    made_scores.write_scores(tmp_path / "narrow", OTHER, protocols=dict.fromkeys(OTHER, "narrow"))
    files = {
        f"{prefix}{name}": [tmp_path / study / f"scores/{row.task}/{row.model}.{ending}" for row in rows]
        for prefix, study in (("", "published"), ("other_", "narrow"))
        for name, ending in (("scores", "json"), ("tables", "parquet"))
    }
    titles = dict(fake_summary.settings_of(rows))
    settings = ComparedProtocol(**titles, protocol="narrow", protocol_title="Narrow")
    compare_protocol(**files, settings=settings, output=tmp_path / "effects.parquet")
    for row in read_rows(tmp_path / "effects.parquet", EffectRow):
        before, after = (
            fold_scores(tmp_path / study / f"scores/{row.task}/{row.model}.parquet")
            for study in ("published", "narrow")
        )
        assert row.difference == pytest.approx(np.mean(after - before))
        expected = CorrectedT(after - before, folds=made_scores.FOLDS).interval(row.level)
        assert (row.difference_low, row.difference_high) == pytest.approx(expected)
