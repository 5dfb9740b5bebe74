"""The jobs `geometry` and `similarity` on the files of small families."""

import json
from pathlib import Path

import numpy as np
import pytest
from family_files import of_family, write_pair_set, write_vectors

from sentflow.errors import DataError
from sentflow.geometry.jobs import geometry
from sentflow.geometry.permuted_texts import PermutedTexts, write_permuted
from sentflow.geometry.settings import Aligned, AlignedSets, DescribedCollections, GeometryOfEncoder
from sentflow.similarity.jobs import similarity
from sentflow.similarity.settings import ScoredSets
from sentflow.texts.collection import write_texts

TEXTS = ["right", "up", "left", "long"]
UNSAID = {"level": 0.95, "n_resamples": 0, "seed": 0}
VECTORS = np.array([[1, 0], [0, 1], [-1, 0], [0, 5]], np.float32)


DESCRIBED = DescribedCollections(
    collections={},
    **{"truncation": (2, 4, 8, 500), "neighbours": 5, "measure": "cosine", "correlation": "spearman"},
    **{"seed": 1, "n_resamples": 200, "level": 0.9},
)
NONE_ALIGNED = AlignedSets(collections={}, **UNSAID)


@pytest.fixture
def family(tmp_path) -> Path:
    return write_family(tmp_path, TEXTS, VECTORS)


def write_family(folder: Path, texts: list[str], vectors: np.ndarray) -> Path:
    write_texts(folder / f"{folder.name}.parquet", texts)
    write_vectors(folder, "vectors", texts, vectors)
    return folder


def run(folder: Path, pairs: list[Path], entry: dict) -> dict:
    resampling = {key: entry.pop(key, value) for key, value in UNSAID.items()}
    names = tuple(file.stem for file in pairs)
    own = Aligned(pairs=names, **entry)
    aligned = AlignedSets(collections={folder.name: {"own": own}}, **resampling)
    settings = GeometryOfEncoder(aligned=aligned, described=DESCRIBED)
    geometry(**of_family(folder, pairs), model="m", settings=settings, alignments=[folder / "out.json"])
    return json.loads((folder / "out.json").read_text())


def test_pair_sets_are_joined_and_the_file_says_what_was_measured(family):
    one = write_pair_set(family, "one", [("right", "up", 5), ("right", "left", 1)])
    two = write_pair_set(family, "two", [("up", "long", 4.5)])
    found = run(family, [one, two], {"variant": "definition", "threshold": 4.0})
    assert found["alignment"] == pytest.approx((2 + 0) / 2)
    assert (found["n_positive"], found["n_sentences"], found["n_pairs"], found["n_zero"]) == (2, 6, 15, 0)
    assert (found["set"], found["model"], found["warnings"]) == ("own", "m", [])
    assert found["interval"] == {"alignment": None, "uniformity": None}
    assert found["drawn"] is None
    assert (found["config"]["comparison"], found["config"]["distance"]) == ("above", "squared")


@pytest.mark.parametrize(("copies", "drawn"), [(1, "pairs"), (4, "components")])
def test_an_interval_of_the_alignment_where_resamples_are_asked_for(tmp_path, copies, drawn):
    """Distances 2, 4 and 0 of 60 pairs without a sentence in common; copies of pairs say nothing new."""
    texts = [f"{name} {number}" for name in TEXTS for number in range(60)]
    write_family(tmp_path, texts, np.repeat(VECTORS, 60, axis=0))
    sides = [("right", "up"), ("right", "left"), ("up", "long")] * 20
    rows = [(f"{a} {number}", f"{b} {number}", 5.0) for number, (a, b) in enumerate(sides)] * copies
    pairs = write_pair_set(tmp_path, "one", [*rows, ("left 0", "long 0", 1.0)])
    found = run(tmp_path, [pairs], {"level": 0.9, "n_resamples": 1000, "seed": 2})
    low, high = found["interval"]["alignment"]
    assert 0 < low < found["alignment"] == 2 < high < 4
    # a mean of 60 values with the variance 8/3: a normal interval is 1.645 × sqrt(8/3/60) = 0.347 to each side
    assert high - low == pytest.approx(2 * 0.347, rel=0.1)
    assert found["drawn"] == {"kind": drawn, "n_units": 60, "effective_pairs": 60.0}


def test_a_text_of_another_family_is_refused(family):
    pairs = write_pair_set(family, "other", [("right", "down", 1)])
    with pytest.raises(DataError, match="'down' of the pair set other has no vector"):
        run(family, [pairs], {})


@pytest.fixture
def two_families(tmp_path) -> dict[str, list[Path]]:
    """What a job is given for two collections, of the same four directions, in another order."""
    inputs: dict[str, list[Path]] = {}
    for name, vectors, n_sets in (("first", VECTORS, 2), ("second", VECTORS[::-1], 1)):
        folder = tmp_path / name
        folder.mkdir()
        write_family(folder, [f"{text}, {name}" for text in TEXTS], vectors)
        rows = [("right", "up", 5), ("right", "left", 1), ("up", "long", 4.5)]
        named = [(f"{a}, {name}", f"{b}, {name}", score) for a, b, score in rows]
        files = [write_pair_set(folder, f"{name}-{number}", named[number:]) for number in range(n_sets)]
        for key, given in of_family(folder, files).items():
            inputs.setdefault(key, []).extend(given)
    return inputs


def read(files: list[Path]) -> list[dict]:
    return [json.loads(file.read_text()) for file in files]


SETS = {"first": ("first-0", "first-1"), "second": ("second-0",)}


def test_pair_sets_are_scored_with_the_vectors_of_their_collection(two_families, tmp_path):
    scores, rows = ([tmp_path / f"{number}.{kind}" for number in range(3)] for kind in ("json", "parquet"))
    settings = ScoredSets(collections=SETS, **{**UNSAID, "n_resamples": 20})
    similarity(**two_families, model="m", settings=settings, scores=scores, rows=rows)
    found = read(scores)
    assert [one["pairs"] for one in found] == ["first-0", "first-1", "second-0"]
    assert [one["n_pairs"] for one in found] == [3, 2, 3]
    assert [one["embeddings"] for one in found] == [
        read(two_families["info"])[one]["sha256"] for one in (0, 0, 1)
    ]
    # cosines 0, −1, 1 of scores 5, 1, 4.5
    assert found[0]["scores"]["cosine"]["all"]["spearman"] == pytest.approx(0.5)


def test_alignments_are_measured_with_the_vectors_of_their_collection(two_families, tmp_path):
    outputs = [tmp_path / "early.json", tmp_path / "late.json"]
    collections = {
        "first": {"early": Aligned(pairs=("first-1", "first-0"))},
        "second": {"late": Aligned(pairs=("second-0",))},
    }
    aligned = AlignedSets(collections=collections, **UNSAID)
    settings = GeometryOfEncoder(aligned=aligned, described=DESCRIBED)
    geometry(**two_families, model="m", settings=settings, alignments=outputs)
    found = read(outputs)
    assert [(one["set"], one["config"]["pairs"]) for one in found] == [
        ("early", ["first-1", "first-0"]),
        ("late", ["second-0"]),
    ]
    assert [one["alignment"] for one in found] == pytest.approx([(0 + 2 + 0) / 3, (2 + 4) / 2])


def test_geometry_is_compared_with_the_pair_sets_of_the_collection(two_families, tmp_path):
    outputs = [tmp_path / "first.json", tmp_path / "second.json"]
    described = DESCRIBED.model_copy(update={"collections": SETS, "n_resamples": 0})
    settings = GeometryOfEncoder(aligned=NONE_ALIGNED, described=described)
    geometry(**two_families, model="m", settings=settings, described=outputs)
    assert [(one["family"], [*one["whitened"]]) for one in read(outputs)] == [
        (name, [*sets]) for name, sets in SETS.items()
    ]


N, D = 60, 8
NUMBERED = [f"text {number} of the family" for number in range(N)]


def measured(folder: Path, **more: Path) -> dict:
    inputs = of_family(folder, [folder / "A.parquet"])
    permuted = {name: [file] for name, file in more.items()}
    described = DESCRIBED.model_copy(update={"collections": {folder.name: ("A",)}})
    settings = GeometryOfEncoder(aligned=NONE_ALIGNED, described=described)
    geometry(**inputs, model="m", settings=settings, described=[folder / "out.json"], **permuted)
    return json.loads((folder / "out.json").read_text())


def test_word_order_is_the_cosine_of_a_text_and_its_permutation(tmp_path):
    rng = np.random.default_rng(6)
    drawn = (rng.normal(size=(N, D)) * np.linspace(3, 0.5, D) + 0.5).astype(np.float32)
    write_family(tmp_path, NUMBERED, drawn)
    scores = np.random.default_rng(2).uniform(0, 5, N // 2)
    write_pair_set(tmp_path, "A", list(zip(NUMBERED[: N // 2], NUMBERED[N // 2 :], scores, strict=True)))
    originals = [NUMBERED[3], NUMBERED[0], NUMBERED[9]]
    permuted = PermutedTexts(["family the of 3 text", "a", "b"], originals, "words")
    write_permuted(tmp_path / "permuted.parquet", permuted)
    # the first as it was, the second opposite, the third the same direction
    write_vectors(tmp_path, "turned", permuted.texts, np.stack([drawn[3], -drawn[0], 2 * drawn[9]]))
    texts, turned = tmp_path / "permuted.parquet", tmp_path / "turned.npy"
    found = measured(tmp_path, permuted_texts=texts, permuted_embeddings=turned)
    measure = found["measures"]["word_order_cosine"]
    assert measure["value"] == pytest.approx(1 / 3)
    assert measure["n"] == 3
    assert "words" in measure["range"]
    assert measure["low"] < 1 / 3 < measure["high"]
    write_permuted(tmp_path / "permuted.parquet", PermutedTexts(permuted.texts, ["x", "y", "z"], "words"))
    with pytest.raises(DataError, match="the permuted texts of .* has no vector"):
        measured(tmp_path, permuted_texts=texts, permuted_embeddings=turned)
