"""The figures of similarity and geometry, and what they claim."""

import math
from dataclasses import replace

import fake_similarity
import fake_summary
import pytest
from made_products import FIGURES_OF_PAIRS, draw, recipe

from sentflow.compare.score_rows import ScoreRow
from sentflow.files.rows import read_rows, write_rows
from sentflow.report.families.geometry.association import (
    association_rows,
    correlation_interval,
    mean_scores,
    plane_rows,
)
from sentflow.report.families.geometry.rows import AlignmentRow, GeometryRow
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.figure import canvas
from sentflow.report.figure.canvas import save
from sentflow.report.figure.texts import NOTHING

SOURCES = {
    "alignment-uniformity": ["alignments", "similarity"],
    "similarity-histograms": ["histograms"],
    "spectrum": ["spectra"],
    "truncation": ["truncation"],
    "geometry-and-scores": ["geometry", "similarity"],
}


@pytest.fixture(autouse=True)
def project_style():
    with canvas.style():
        yield


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    pairs = ["STS12", "STSB-test", "KorSTS-test"]
    return fake_similarity.summarise(
        tmp_path_factory.mktemp("figures"), pairs=pairs, data_version="sample data"
    )


def texts_of(figure):
    found = [text.get_text() for text in figure.texts]
    for axes in figure.axes:
        found += [text.get_text() for text in axes.texts]
        found += [axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel()]
    return [text for text in found if text]


@pytest.mark.parametrize("name", FIGURES_OF_PAIRS)
def test_drawn_stamped_and_drawn_again_from_its_own_data(files, tmp_path, name):
    figure = draw(name, *[files[stem] for stem in SOURCES[name]], data=tmp_path / "data.parquet")
    assert "SAMPLE DATA" in texts_of(figure)
    save(figure, tmp_path / "one.png")
    save(draw(name, tmp_path / "data.parquet"), tmp_path / "two.png")
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_numbers_of_logarithmic_axes_are_no_formulas(files):
    axes = draw("spectrum", files["spectra"]).axes[0]
    numbers = [label.get_text() for label in (*axes.get_xticklabels(), *axes.get_yticklabels())]
    assert {"1", "10", "0.1", "0.01"} <= set(numbers)
    assert not any("$" in number for number in numbers)


@pytest.mark.parametrize("name", FIGURES_OF_PAIRS)
def test_nothing_to_draw_is_said(tmp_path, name):
    write_rows(tmp_path / "data.parquet", recipe(name).kind, [])
    figure = draw(name, tmp_path / "data.parquet")
    assert NOTHING in " ".join(" ".join(texts_of(figure)).split())


# --- correlation over encoders ------------------------------------------------------------------------------


@pytest.mark.parametrize("correlation", [-1.0, -0.5, 0.5, 1.0])
def test_of_three_encoders_nothing_is_claimed(correlation):
    assert correlation_interval(correlation, 3, 0.95) == (-1.0, 1.0)


def test_interval_of_bonett_and_wright():
    # by hand: atanh 0.6 = 0.693147, sqrt(1.18 / 17) = 0.263461, times 1.959964
    low, high = correlation_interval(0.6, 20, 0.95)
    assert (low, high) == pytest.approx(
        (math.tanh(0.693147 - 0.516374), math.tanh(0.693147 + 0.516374)), abs=1e-5
    )


def test_perfect_order_of_few_encoders_is_no_certainty():
    low, high = correlation_interval(1.0, 4, 0.95)
    assert high == 1.0
    assert low < -0.5  # with four encoders, one order in 24 is perfect by chance
    low, _ = correlation_interval(1.0, 30, 0.95)
    assert low > 0.95
    assert all(math.isnan(limit) for limit in correlation_interval(math.nan, 9, 0.95))


def test_every_measure_is_held_against_scores_and_tasks(files):
    geometry = read_rows(files["geometry"], GeometryRow)
    similarity = read_rows(files["similarity"], SimilarityRow)
    scores = fake_summary.score_rows(tasks=["T1A", "T1B"])
    rows = association_rows(geometry, similarity, scores)
    assert {row.score for row in rows} == {"similarity", "tasks"}
    assert not any(row.measure.startswith("whitened") for row in rows)
    hubness = next(
        row
        for row in rows
        if (row.family, row.measure, row.score) == ("sts-english", "hubness_skewness", "similarity")
    )
    assert (hubness.n_models, hubness.n_controls) == (5, 2)
    assert hubness.correlation == pytest.approx(-1.0)  # made so
    of_tasks = [row for row in rows if row.score == "tasks" and row.measure == "hubness_skewness"]
    # tf-idf has no geometry, two encoders have no task scores
    assert {row.n_models for row in of_tasks} == {3}
    assert {(row.low, row.high) for row in of_tasks} == {(-1.0, 1.0)}
    texts = recipe("geometry-and-scores").texts(of_tasks)
    assert "the correlation is not informative" in texts.reading
    undefined = [row for row in rows if row.measure == "word_order_cosine"]
    assert all(row.n_models == 0 and math.isnan(row.correlation) for row in undefined)


def test_the_figure_takes_task_scores_where_there_are_any(files, tmp_path):
    write_rows(tmp_path / "scores.parquet", ScoreRow, fake_summary.score_rows(tasks=["T1A"]))
    inputs = [files["geometry"], files["similarity"], tmp_path / "scores.parquet"]
    assert any("mean of 1 task" in text for text in texts_of(draw("geometry-and-scores", *inputs)))


# --- the plane ----------------------------------------------------------------------------------------------


def test_the_plane_is_coloured_by_the_mean_of_the_family(files):
    similarity = read_rows(files["similarity"], SimilarityRow)
    alignments = read_rows(files["alignments"], AlignmentRow)
    english = [
        row for row in similarity if row.family == "sts-english" and row.is_main and row.aggregation == "all"
    ]
    expected = mean_scores(english)["minilm-l6"]
    rows = plane_rows(alignments, similarity)
    assert {row.score for row in rows if row.model == "minilm-l6"} == {expected}
    assert "mean of 2 pair sets" in rows[0].score_title
    # a family without scored sets takes all
    japanese = plane_rows([replace(alignments[0], family="paraphrases-japanese")], similarity)
    assert "mean of 3 pair sets" in japanese[0].score_title


def test_an_encoder_that_lacks_a_set_has_no_mean(files):
    similarity = read_rows(files["similarity"], SimilarityRow)
    main = [row for row in similarity if row.is_main and row.aggregation == "all"]
    without = [row for row in main if (row.pairs, row.model) != ("STS12", "random")]
    assert math.isnan(mean_scores(without)["random"])
    assert not math.isnan(mean_scores(without)["second"])
