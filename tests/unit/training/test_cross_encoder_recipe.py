"""The recipe of a cross-encoder: what it reads, its losses, and what it leaves."""

import pytest
import tiny_training as tiny
import torch
from sentence_transformers import CrossEncoder
from torch.nn.functional import binary_cross_entropy_with_logits

from sentflow.encoders.manifest import manifest_of_archive
from sentflow.errors import DataError
from sentflow.files.archives.pack import pack
from sentflow.training.draws import Draws

STEP = Draws(1, ("step", 1))
PAIRS = [(row["text"], row["other"]) for row in tiny.PAIRS]


def objective(folder, kind="bert", **settings):
    return tiny.recipe("cross-encoder", tiny.encoder(folder, kind=kind), **settings)


def scores(found, rows):
    return tiny.vectors(found.eval(), found.views(rows, STEP))


@pytest.mark.parametrize("kind", ["bert", "distilbert"])
def test_what_is_left_is_a_cross_encoder_with_the_scores_of_training(tmp_path, kind):
    found = objective(tmp_path / "start", kind)
    found.write(found.exported(), tmp_path / "saved")
    read = CrossEncoder(str(tmp_path / "saved"), device="cpu", activation_fn=torch.nn.Identity())
    expected = torch.from_numpy(read.predict(PAIRS))
    torch.testing.assert_close(scores(found, tiny.PAIRS)[0][:, 0].detach(), expected, rtol=1e-4, atol=1e-5)
    names = [
        path.relative_to(tmp_path / "saved") for path in (tmp_path / "saved").rglob("*") if path.is_file()
    ]
    pack(tmp_path / "saved", map(str, names), tmp_path / "weights.tar")
    entry = {"kind": "cross-encoder", "source": {"trained": "mine"}}
    manifest = manifest_of_archive(tmp_path / "weights.tar", entry)
    assert (manifest.kind, manifest.source) == ("cross-encoder", {"trained": "mine"})
    assert manifest.dimension is None


def test_the_document_is_told_from_the_negative(tmp_path):
    found = objective(tmp_path)
    first, second = (view[:, 0] for view in scores(found, tiny.TRIPLETS))
    expected = torch.nn.functional.softplus(second - first).mean()
    assert found.loss(scores(found, tiny.TRIPLETS), tiny.TRIPLETS).item() == pytest.approx(
        expected.item(), rel=1e-5
    )
    right = int((first > second).sum())
    assert found.measures(scores(found, tiny.TRIPLETS), tiny.TRIPLETS)["accuracy"] == (right, 4)


def test_labels_are_learnt_one_by_one(tmp_path):
    found = objective(tmp_path, loss="labels")
    rows = [{**row, "label": place % 2} for place, row in enumerate(tiny.PAIRS)]
    views = scores(found, rows)
    expected = binary_cross_entropy_with_logits(views[0][:, 0], torch.tensor([0.0, 1, 0, 1]))
    assert found.loss(views, rows).item() == pytest.approx(expected.item(), rel=1e-5)
    with pytest.raises(DataError, match="labels 0 and 1"):
        found.loss(views, tiny.LABELLED)
