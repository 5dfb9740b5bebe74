"""Figures of any number of encoders and tasks: nothing collapses, no text covers another, none is cut off."""

import dataclasses
import warnings

import numpy as np
import pytest
from made_products import FIGURES, recipe
from many_encoders import Extent, rows_of
from matplotlib.figure import Figure

from sentflow.report.figure import canvas, inspection, layout, lettering
from sentflow.report.figure.panels import Panels
from sentflow.report.figure.texts import FigureTexts

EVERY = [
    Extent(encoders, tasks, long)
    for encoders in (1, 2, 4, 8, 16, 40)
    for tasks in (1, 3, 18, 60)
    for long in (False, True)
]
# one and many encoders, both kinds of names, in each figure; of many tasks the figure that is looked at first
SOME = [Extent(1, 1, True), Extent(40, 3)]
QUICK = [*((name, extent) for name in FIGURES for extent in SOME), ("heatmap", Extent(2, 18))]
SLOW = [(name, extent) for name in FIGURES for extent in EVERY if (name, extent) not in QUICK]


def problems_of(name, extent):
    rows = rows_of(name, extent)
    with canvas.style(), warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = recipe(name).draw(rows)
        return inspection.inspect(figure).problems


@pytest.mark.parametrize(("name", "extent"), QUICK, ids=str)
def test_texts_have_room(name, extent):
    assert problems_of(name, extent) == []


@pytest.mark.slow
@pytest.mark.parametrize(("name", "extent"), SLOW, ids=str)
def test_texts_have_room_in_every_extent(name, extent):
    assert problems_of(name, extent) == []


def test_overlapping_and_clipped_texts_and_flat_panels_are_found():
    with canvas.style():
        figure = recipe("heatmap").draw(rows_of("heatmap", Extent(4, 3)))
        assert inspection.inspect(figure).problems == []
        figure.set_size_inches(1.5, 1.0)
        figure.axes[0].set_position((0.1, 0.1, 0.5, 0.001))
        problems = "\n".join(inspection.inspect(figure).problems)
    for found in ("cover each other", "reaches over the edge", "a panel has collapsed to 0.75 × 0.00 inches"):
        assert found in problems


def test_an_inspection_leaves_the_figure_as_it_is(tmp_path):
    with canvas.style():
        figures = [recipe("heatmap").draw(rows_of("heatmap", Extent(2, 1))) for _ in range(2)]
    inspection.inspect(figures[1])
    for number, figure in enumerate(figures):
        canvas.save(figure, tmp_path / f"{number}.png")
    assert (tmp_path / "0.png").read_bytes() == (tmp_path / "1.png").read_bytes()


def test_labels_that_leave_no_room_are_an_error_and_no_warning():
    figure = Figure()
    figure.subplots().set_ylabel("y" * 10, fontsize=4000)
    texts = FigureTexts("A title", "", "")
    with pytest.raises(RuntimeError, match="figure 'A title' has labels that leave no room"):
        layout.finish(figure, texts, [], Panels([1.0], 1.0))


def test_panels_have_the_size_that_they_ask_for_whatever_their_labels():
    figure = Figure()
    grid = figure.subplots(2, 2, height_ratios=[1.0, 0.5])
    grid[0, 0].set_ylabel("a label\nof two lines")
    grid[1, 1].set_xlabel("another")
    layout.finish(figure, FigureTexts("A title", "", ""), [], Panels([1.0, 0.5], 1.5, 1.5))
    inches = [axes.get_position().size * figure.get_size_inches() for axes in grid.flat]
    np.testing.assert_allclose(inches, [(1.5, 1.0)] * 2 + [(1.5, 0.5)] * 2, rtol=1e-9)
    # one would make matplotlib draw the figure twice for each file
    assert figure.get_layout_engine() is None


# --- names --------------------------------------------------------------------------------------------------


def short(*names, inches=1.2):
    return list(lettering.distinct(dict(enumerate(names)), lettering.into(inches, 6.5)).values())


def test_names_that_fit_are_kept():
    assert short("E5 base", "MiniLM") == ["E5 base", "MiniLM"]


def test_the_owner_goes_first():
    assert short("an-organisation/e5-large-v2", "somebody/gte-base") == ["e5-large-v2", "gte-base"]


def test_owners_stay_where_they_tell_names_apart():
    one, other = short("first-organisation/sentence-encoder", "second-organisation/sentence-encoder")
    assert one.startswith("first")
    assert other.startswith("second")


def test_what_differs_in_the_middle_stays():
    names = [f"rufimelo/Legal-BERTimbau-{size}-TSDAE-sts-from-2022-v2" for size in ("large", "base")]
    one, other = short(*names)
    assert "large" in one
    assert "base" in other


@pytest.mark.parametrize(
    "names",
    [
        [f"owner/multilingual-sentence-encoder-{size}-v2" for size in ("large", "base", "small")],
        ["a" * 60 + letter + "b" * 60 for letter in "xyz"],
        [f"An encoder with a name of many words, number {place}, and more" for place in range(40)],
        ["the same title"] * 3,
        ["ab", "abc", "W" * 90, "W" * 91],
    ],
    ids=["sizes", "no words", "numbers", "equal", "wide"],
)
@pytest.mark.parametrize("inches", [0.6, 1.2])
def test_no_two_names_are_alike_and_all_fit(names, inches):
    found = short(*names, inches=inches)
    assert len(set(found)) == len(names)
    assert lettering.widest(found, 6.5) <= inches


def test_a_cut_is_shown_by_an_ellipsis():
    assert lettering.cut("Questões | respostas", lambda text: len(text) <= 11) == "Questões…"
    assert lettering.cut("short", lambda text: len(text) <= 11) == "short"


def test_long_words_are_broken_where_they_do_not_fit():
    lines = lettering.wrap("a " + "b" * 25 + " c", lambda text: len(text) <= 10)
    assert lines == ["a", "b" * 10, "b" * 10, "b" * 5, "c"]


@pytest.fixture
def project_style():
    with canvas.style():
        yield


# --- colours ------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("project_style")
def test_an_encoder_looks_the_same_whichever_rows_a_figure_gets():
    for name in ("forest", "curves", "ranks", "score-and-cost", "spectrum", "truncation"):
        rows = rows_of(name, Extent(20, 1))
        everything, last = (
            canvas.looks(rows),
            canvas.looks([row for row in rows if row.model in ("m13", "m19")]),
        )
        assert last == {model: everything[model] for model in ("m13", "m19")}


@pytest.mark.usefixtures("project_style")
def test_forty_encoders_look_different():
    looks = canvas.looks(rows_of("score-and-cost", Extent(40, 1)))
    assert len({look.color for look in looks.values()}) == 40
    assert len({look.marker for look in looks.values()}) == 8


@pytest.mark.usefixtures("project_style")
def test_rows_without_positions_take_the_order_in_which_they_come():
    rows = rows_of("forest", Extent(4, 1))
    without = [dataclasses.replace(row, position=-1) for row in rows]
    assert canvas.looks(without) == canvas.looks(rows)
