"""The commands `summarise_similarity` and `summarise_geometry`."""

import json
import math

import fake_similarity
import pytest

from sentflow.commands import summarise_geometry, summarise_similarity
from sentflow.errors import ConfigError, DataError
from sentflow.files.io import read_json, write_json
from sentflow.files.rows import read_rows
from sentflow.report.families.geometry.rows import AlignmentRow, GeometryRow, SpectrumRow, TruncationRow
from sentflow.report.families.similarity.rows import HistogramRow, RegressionRow, SimilarityRow


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return fake_similarity.summarise(
        tmp_path_factory.mktemp("similarity"), undefined=("STS14", "random"), models=["minilm-l6", "random"]
    )


def test_every_correlation_is_a_row_in_the_order_of_selection(files):
    rows = read_rows(files["similarity"], SimilarityRow)
    main = [row for row in rows if row.is_main and row.aggregation == "all"]
    models = ["minilm-l6", "random", "jaccard-words"]
    assert [(row.pairs, row.model) for row in main] == [
        (pairs, model) for pairs in fake_similarity.SEVEN for model in models
    ]
    # two measures × two coefficients × (three aggregations, and three sub-sources of STS12)
    of_one = [row for row in rows if (row.pairs, row.model) == ("STS12", "minilm-l6")]
    assert len(of_one) == 2 * 2 * (3 + 3)
    # one sub-source says nothing that "all" does not
    assert all(row.aggregation != "subset" for row in rows if row.pairs == "STSB-test")
    baseline = next(row for row in main if row.model == "jaccard-words")
    assert (baseline.measure, baseline.is_baseline) == ("overlap", True)


def test_what_is_undefined_stays_so_and_keeps_its_warning(files):
    rows = read_rows(files["similarity"], SimilarityRow)
    undefined = [row for row in rows if math.isnan(row.value)]
    assert {(row.pairs, row.model) for row in undefined} == {("STS14", "random")}
    assert all(row.warnings for row in undefined)


def test_histograms_hold_every_pair_once(files):
    rows = read_rows(files["histograms"], HistogramRow)
    assert {row.model for row in rows} == {"minilm-l6", "random"}  # baselines have no cosine
    for pairs, n_bins in (("STS12", 5), ("SICKR-test", 4)):
        own = [row for row in rows if (row.pairs, row.model) == (pairs, "minilm-l6")]
        assert len({row.gold_low for row in own}) == n_bins
        assert sum(row.count for row in own) == fake_similarity.N
        assert all(row.quartile_1 <= row.median <= row.quartile_3 for row in own if row.n_gold)


def test_the_other_summaries(files):
    spectra = read_rows(files["spectra"], SpectrumRow)
    last = max((row for row in spectra if row.model == "random"), key=lambda row: row.component)
    assert (last.component, last.dimension) == (384, 384)
    assert last.cumulative == pytest.approx(1)
    assert {row.dimensions for row in read_rows(files["truncation"], TruncationRow)} == {
        16,
        32,
        64,
        128,
        256,
        384,
    }
    alignments = read_rows(files["alignments"], AlignmentRow)
    assert {row.variant for row in alignments} == {"definition", "alignunformeval", "per-batch"}
    assert {row.batch for row in alignments if row.variant == "per-batch"} == {64}
    geometry = read_rows(files["geometry"], GeometryRow)
    whitened = [row for row in geometry if row.measure == "whitened-spearman" and row.model == "random"]
    assert [row.pairs for row in whitened] == list(fake_similarity.SEVEN)
    assert [row.test for row in read_rows(files["regressions"], RegressionRow)] == ["STSB-test"] * 2


def test_nothing_selected_gives_empty_files(tmp_path):
    settings = json.dumps(fake_similarity.settings())
    written = fake_similarity.outputs(tmp_path)
    assert summarise_similarity.main(["--settings", settings, *written[0]]) == 0
    assert summarise_geometry.main(["--settings", settings, *written[1]]) == 0
    assert read_rows(tmp_path / "histograms.parquet", HistogramRow, may_be_empty=True) == []
    assert read_rows(tmp_path / "alignments.parquet", AlignmentRow, may_be_empty=True) == []


@pytest.mark.parametrize(
    ("command", "name", "key"),
    [
        (summarise_similarity, "similarity/STS12/random.json", "level"),
        (summarise_geometry, "geometry/sts-english/random.json", "n_texts"),
    ],
)
def test_bad_files_are_named(tmp_path, command, name, key):
    number = (summarise_similarity, summarise_geometry).index(command)
    read = fake_similarity.write(tmp_path, pairs=["STS12"], models=["random"])[number]
    written = fake_similarity.outputs(tmp_path)[number]
    file = tmp_path / name
    result = read_json(file)
    write_json(file, {name: value for name, value in result.items() if name != key})
    with pytest.raises(DataError, match=rf"random\.json: no key '{key}'"):
        command.main([*read, *written])
    write_json(file, {**result, "model": "unknown"})
    with pytest.raises(ConfigError, match="unknown"):
        command.main([*read, *written])


def test_two_files_of_one_encoder_are_refused(tmp_path):
    read = fake_similarity.write(tmp_path, pairs=["STS12"], models=["random"])[0]
    file = tmp_path / "similarity/STS12/random.json"
    write_json(file, {**read_json(file), "model": "jaccard-words"})
    with pytest.raises(DataError, match="more than one file"):
        summarise_similarity.main([*read, *fake_similarity.outputs(tmp_path)[0]])
