"""Texts whose words are marked for encoders such as PhoBERT: the same in training and in use."""

import sys

import numpy as np
import pytest
from tiny_bert import save_tiny_phobert

from sentflow.encoders.fetch.file_names import model_files
from sentflow.encoders.kinds.neural.load import load_folder
from sentflow.encoders.kinds.neural.settings import Settings
from sentflow.encoders.kinds.table import KINDS, SEGMENTERS
from sentflow.encoders.manifest import WEIGHTS, Manifest, read_manifest, write_manifest
from sentflow.errors import ConfigError
from sentflow.files.io import file_sha256
from sentflow.texts.segmentation import segmented
from sentflow.training.data.table import TrainingData, write_training_data
from sentflow.training.job import Job
from sentflow.training.place import Place
from sentflow.training.recipes.table import RECIPES

HOW = "vietnamese-words"
TEXTS = ["Công an nhân dân xử phạt", "Người lao động có quyền", "xử phạt hành chính", "nhân dân có quyền"]
MARKED = ["Công_an nhân_dân xử_phạt", "Người lao_động có quyền", "xử_phạt hành_chính", "nhân_dân có quyền"]


@pytest.fixture
def _words():
    pytest.importorskip("underthesea", reason="Vietnamese words need envs/requirements-vietnamese.txt")


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """The manifest of a PhoBERT of two small layers, which knows the words of the texts."""
    folder = tmp_path_factory.mktemp("start")
    words = dict.fromkeys(word for text in MARKED for word in text.split())
    weights = save_tiny_phobert(folder / WEIGHTS, list(words))
    files = {name: file_sha256(weights / name) for name in model_files(weights, allow_pickle=False)}
    source = {"archive": {"urls": ["http://example.org/tiny.zip"]}}
    settings = {"allow_pickle": False}
    write_manifest(
        folder / "manifest.json", Manifest("transformers", 8, source=source, files=files, settings=settings)
    )
    return folder / "manifest.json"


def vectors(start, texts, **settings):
    folder = start.parent / WEIGHTS
    encoder = load_folder(
        folder, Settings(**settings), threads=1, allow_pickle=False, plain=True, devices=("cpu",)
    )
    return encoder.encode(texts, role="text", task=None)


@pytest.mark.usefixtures("_words")
def test_syllables_of_a_word_are_joined_and_lines_stay_lines():
    assert segmented(["Công an nhân dân\n\nxử phạt hành chính", ""], HOW) == [
        "Công_an nhân_dân\n\nxử_phạt hành_chính",
        "",
    ]
    assert segmented(TEXTS, HOW) == MARKED


@pytest.mark.usefixtures("_words")
def test_an_encoder_with_segment_reads_what_another_is_given_segmented(start):
    found = vectors(start, [*TEXTS, TEXTS[0]], segment=HOW)
    assert found.tolist() == vectors(start, [*MARKED, MARKED[0]]).tolist()
    assert np.abs(found - vectors(start, [*TEXTS, TEXTS[0]])).max() > 0.1


@pytest.mark.usefixtures("_words")
@pytest.mark.parametrize(
    ("recipe", "form"), [("mlm", "texts"), ("cocondenser", "spans"), ("bi-encoder", "pairs")]
)
def test_a_training_with_segment_reads_what_another_is_given_segmented(
    start, recipe, form, tmp_path, monkeypatch
):
    monkeypatch.setattr("sentflow.training.job.Leave.listen", lambda _self: None)

    def weights(texts, **segment):
        if form == "spans":
            columns = {"text": ["\n".join(texts[:2]), "\n".join(texts[2:])]}
        else:
            columns = {"text": texts, **({"other": texts[::-1]} if form == "pairs" else {})}
        folder = tmp_path / f"{len(segment)}"
        folder.mkdir()
        write_training_data(folder / "rows.parquet", TrainingData("rows", form, columns), {})
        settings = {
            "model": "mine",
            "recipe": recipe,
            "module": RECIPES[recipe].module,
            "least_rows": RECIPES[recipe].rows,
            "settings": {**RECIPES[recipe].settings, "dropout": 0},
            "training": {"steps": 2, "batch_size": 2, "learning_rate": 1e-2, "max_tokens": 16},
            "seed": 1,
            "pooling": "cls",
            "start": {"name": "tiny"},
            "data": {"name": "rows", "form": form},
            **segment,
        }
        place = Place(folder)
        Job(settings, start, folder / "rows.parquet", "code", {}).run(place)
        (snapshot,) = place.snapshots.iterdir()
        # all of them, a pooler included, which the start has not and the training does not use
        return file_sha256(next(snapshot.rglob("model.safetensors")))

    assert weights(TEXTS, segment=HOW) == weights(MARKED)


def test_the_files_of_a_phobert_are_all_read(start):
    assert "bpe.codes" in read_manifest(start).files


@pytest.mark.parametrize("kind", ["sentence-transformers", "transformers", "trained"])
def test_the_version_of_what_finds_words_counts_only_where_it_is_used(kind):
    assert set(KINDS[kind].vector_libraries({"segment": HOW})) - set(KINDS[kind].vector_libraries({})) == {
        SEGMENTERS[HOW]
    }


def test_without_the_library_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "underthesea", None)
    with pytest.raises(
        ConfigError, match=r"vietnamese-words needs underthesea, .* envs/requirements-vietnamese"
    ):
        segmented(["nhân dân"], HOW)
