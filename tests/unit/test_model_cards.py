"""Model cards: what they say equals the files, the hub can read them, and the lint finds what is wrong."""

import json
import math
from dataclasses import replace

import pytest
import trained_results
from huggingface_hub import ModelCard, metadata_eval_result
from huggingface_hub.repocard_data import model_index_to_eval_results
from trained_results import ABOUT, MODEL

from sentflow.errors import DataError
from sentflow.training.cards.card import licence, model_card
from sentflow.training.cards.facts import About, read_facts
from sentflow.training.cards.lint import SECTIONS, card_problems, equal, tables
from sentflow.training.cards.uses import USES
from sentflow.training.record import Teacher


def facts_of(folder, about=ABOUT, audit="audit/training/wiki-sample.json"):
    return read_facts(
        folder / "training" / MODEL,
        folder / "models" / MODEL / "manifest.json",
        about,
        sorted((folder / "summary").iterdir()),
        folder / audit if audit else None,
    )


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return trained_results.write_results(tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def facts(results):
    return facts_of(results)


@pytest.fixture(scope="module")
def card(facts):
    return model_card(facts)


def test_a_card_has_no_problem(card, facts):
    assert card_problems(card, facts) == []


@pytest.mark.parametrize("kind", ["splade", "sparse-embed", "cross-encoder"])
def test_cards_of_encoders_of_other_kinds_have_no_problem(facts, kind):
    settings = {**facts.record.recipe_settings, "question_prompt": "", "document_prompt": "query: "}
    other = replace(
        facts,
        read_out=replace(facts.read_out, kind=kind, pooling=None),
        record=replace(facts.record, recipe_settings=settings),
    )
    text = model_card(other)
    assert card_problems(text, other) == []
    assert "Read-out" not in text and "| question\\_prompt | empty |" in text
    assert ModelCard(text).data.library_name == USES[kind].library


def test_equal_facts_are_equal_cards(card, results):
    assert model_card(facts_of(results)) == card


def test_the_front_matter_is_what_the_hub_reads(card):
    found = ModelCard(card).data
    assert found.library_name == "sentence-transformers"
    assert found.pipeline_tag == "sentence-similarity"
    assert (found.base_model, found.base_model_revision) == ("an-owner/a-model", "0" * 40)
    assert (found.license, found.language) == ("apache-2.0", ["en"])
    name, results = model_index_to_eval_results(found.to_dict()["model-index"])
    assert name == MODEL
    [similarity] = [one for one in results if one.dataset_type == "STSB-test"]
    assert (similarity.metric_type, similarity.metric_value) == ("spearman_cosine", 0.81)
    assert similarity.metric_args["interval"] == [0.76, 0.86]
    # an entry of the library's own making has the same form
    own = metadata_eval_result(
        model_pretty_name=name, task_pretty_name="Semantic similarity", task_id="sentence-similarity",
        metrics_pretty_name="spearman_cosine", metrics_id="spearman_cosine", metrics_value=0.81,
        dataset_pretty_name="STS-B test", dataset_id="STSB-test",
    )  # fmt: skip
    [expected] = model_index_to_eval_results(own["model-index"])[1]
    assert (expected.task_type, expected.metric_value) == (similarity.task_type, similarity.metric_value)


def test_sections_come_in_their_order(card):
    places = [card.index(f"# {name}\n") for name in SECTIONS]
    assert places == sorted(places)


def test_scores_of_seeds_are_told_with_their_spread(card):
    [line] = [row for row in tables(card)["Other seeds"] if row[0] == "STSB-test"]
    # 0.81, 0.82, 0.83
    assert line == ["STSB-test", "spearman_cosine", "0.810", "3", "0.820", "0.010", "0.810", "0.830"]


def test_a_score_without_interval_has_a_dash(card):
    [line] = [row for row in tables(card)["Evaluation"] if row[0] == "T1A"]
    assert line[3] == "—"


def test_names_do_not_become_markdown(card):
    assert "| Device | cpu (A \\| processor) |" in card
    assert ["Device", "cpu (A | processor)"] in tables(card)["Cost"]


def test_resumed_trainings_say_so_and_others_do_not(facts, card):
    assert ["Resumed", "after step 20 and 40"] in tables(card)["Training"]
    whole = model_card(replace(facts, made=replace(facts.made, resumed_at=())))
    assert ["Resumed", "no"] in tables(whole)["Training"]


def test_held_out_rows_are_told_before_training_and_at_the_chosen_step_where_there_are_some(facts, card):
    assert ["Of these, held out", "512"] in tables(card)["Training"]
    # 51.25 / (40 + 10)
    assert ["loss", "40", "1.0250", "16"] in tables(card)["Held-out rows"]
    assert {row[1] for row in tables(card)["Held-out rows"]} == {"0", "40"}
    record = replace(facts.record, data=replace(facts.record.data, held_out=0))
    without = replace(facts, record=record, held_out=[])
    assert "held out" not in model_card(without).lower().replace("held-out", "held out")
    assert card_problems(model_card(without), without) == []
    assert card_problems(card, replace(facts, held_out=facts.held_out[:2])) != []


def test_a_teacher_and_its_vectors_are_named_where_there_is_one(facts, card):
    taught = replace(facts.record, teacher=Teacher("large", "12" * 32, "34" * 32))
    with_teacher = model_card(replace(facts, record=taught))
    assert "large" in with_teacher
    assert "34" * 32 in with_teacher
    assert card_problems(with_teacher, replace(facts, record=taught)) == []
    assert "Teacher" not in card


def test_scores_that_are_no_test_or_of_another_read_out_are_told(facts, card):
    assert "by which the snapshot was chosen" not in card
    assert "Scores are of the read-out" not in card
    chosen = replace(facts, selection={**facts.selection, "pairs": "STSB-test"})
    assert "by which the snapshot was chosen" in model_card(chosen)
    other = replace(facts, about=replace(facts.about, read_out="last-two"))
    assert "Scores are of the read-out last-two. The files of this folder read out cls" in model_card(other)


def test_a_start_that_was_itself_trained_from_random_weights_is_told(facts):
    card = model_card(replace(facts, about=replace(facts.about, base_title="", path=("first", "second"))))
    assert "starting from random weights and going through first and second, on" in card
    assert "went on from first and second, of which the own training data are not counted" in card


def test_a_setting_of_null_is_not_told_as_none_of_it(facts):
    # dropout: null is the dropout of the start, dropout: 0 is none
    record = replace(facts.record, recipe_settings={"dropout": None})
    card = model_card(replace(facts, record=record))
    assert ["dropout", "not set"] in tables(card)["Settings of the recipe"]
    assert card_problems(card, replace(facts, record=record)) == []


def test_settings_in_lists_are_told_one_by_one(facts):
    views = [{"name": "feature-cutoff", "rate": 0.2}, {"name": "shuffle"}]  # the views of ConSERT
    record = replace(facts.record, recipe_settings={"views": views})
    card = model_card(replace(facts, record=record))
    lines = tables(card)["Settings of the recipe"]
    assert ["views.1.rate", "0.2"] in lines
    assert ["views.2.name", "shuffle"] in lines
    assert card_problems(card, replace(facts, record=record)) == []
    other = replace(record, recipe_settings={"views": views[:1]})
    assert card_problems(card, replace(facts, record=other))


def test_without_a_development_set_nothing_is_said_of_a_choice(facts, card):
    assert "chosen by the development set alone" in card
    assert "The snapshot was chosen by its score" in card
    # as rule choose_snapshot writes it of a training without selection
    facts = replace(facts, selection={"step": 60, "rule": "best", "pairs": None, "score": None})
    card = model_card(facts)
    assert "They are the last: no snapshot was scored" in card
    assert "chosen by the development set alone" not in card
    assert "The snapshot was chosen by its score" not in card
    assert card_problems(card, facts) == []


def test_energy_and_memory_of_a_device_are_left_out_where_they_are_not_known(facts):
    without = replace(facts, made=replace(facts.made, energy_joules=None))
    text = model_card(without)
    assert "Energy" not in text
    assert card_problems(text, without) == []


def test_a_card_of_little_is_whole(results):
    """One seed, random weights as start, no score, no audit, a licence that nobody told."""
    facts = facts_of(results, About(title="x", siblings={MODEL: 1}), audit=None)
    start = replace(
        facts.record.start, name="", kind="random weights", source=None, revision=None, files_sha256=None
    )
    bare = replace(
        facts, record=replace(facts.record, start=start, recipe_settings={}), scores=[], spreads=[],
        read_out=replace(facts.read_out, max_tokens=None, pooling=None), selection={"step": 60, "rule": "last"},
    )  # fmt: skip
    text = model_card(bare)
    assert card_problems(text, bare) == []
    assert ModelCard(text).data.license == "unknown"
    assert "model-index" not in ModelCard(text).data.to_dict()
    assert "Nothing but the development set" not in text


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("value: 0.81\n", "value: 0.82\n", "0.82 in the index, 0.81 in the summary"),
        ("- 0.76\n", "- 0.7\n", "another interval in the index"),
        ("type: STSB-test", "type: STSB-tset", "STSB-tset, spearman_cosine: not among the summaries"),
        ("| 0.760 to 0.860 |", "| 0.761 to 0.860 |", "0.761 to 0.860 in the card"),
        ("| 10,000 |", "| 10,001 |", "10,001 in the card and 10000 in its file"),
        ("| temperature | 0.05 |", "| temperature | 0.051 |", "temperature is 0.051 in the card"),
        ("| temperature | 0.05 |\n", "", "Settings of the recipe: temperature is missing"),
        ("| head | mlp |", "| head | mlp |\n| heads | 2 |", "heads stands in no file"),
        ("| 0.9, 0.999 |", "| 0.9, 0.99 |", "betas is 0.9, 0.99 in the card"),
        ("| 0.0174 |", "| 0.0184 |", "Loss, last tenth of the steps is 0.0184"),
        ("| 726.8 |", "| 726.9 |", "Tokens per second is 726.9"),
        ("| STSB-test | 2,552 | 3 | 5 |", "| STSB-test | 2,552 | 3 | 6 |", "6 in the card and 5 in its file"),
        ("| STSB-test | 2,552 | 3 | 5 |\n", "", "1 lines in the card, 2 in the files"),
        ("| 0.820 | 0.010 |", "| 0.820 | 0.020 |", "Other seeds, STSB-test: 0.020 in the card"),
        ("## Limits", "## Limit", "the section 'Limits' is missing"),
        ("An encoder of", "[More Information Needed] of", "the placeholder '[More Information Needed]' is left"),
        ("license: apache-2.0\n", "", "the key license of the front matter is missing"),
        ("base_model: an-owner/a-model\n", "", "base_model of the front matter is None"),
        ("library_name: ", "library_name: [", "the front matter cannot be read"),
    ],
)  # fmt: skip
def test_the_lint_finds(card, facts, old, new, problem):
    assert old in card
    assert any(problem in found for found in card_problems(card.replace(old, new, 1), facts))


@pytest.mark.parametrize(
    ("cell", "value", "same"),
    [
        ("0.812", 0.8124, True),
        ("0.812", 0.8126, False),
        ("-0.812", 0.812, False),
        ("1,234", 1234, True),
        ("1,234", 1235, False),
        ("3e-05", 3e-5, True),
        ("yes", True, True),
        ("1", True, False),
        ("not set", None, True),
        ("none", [], True),
        ("a b", "a  b", True),
        ("words", 1.0, False),
    ],
)
def test_cells_equal_values_as_far_as_they_are_printed(cell, value, same):
    assert equal(cell, value) == same


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("MIT", {"license": "mit"}),
        ("CC-BY-SA-4.0", {"license": "cc-by-sa-4.0"}),
        ("not stated", {"license": "unknown"}),
        ("", {"license": "unknown"}),
        ("terms of the owner (2022)", {"license": "other", "license_name": "terms-of-the-owner-2022"}),
    ],
)
def test_licences_are_written_as_the_hub_writes_them(name, keys):
    assert licence(name) == keys


def test_an_audit_of_other_data_is_refused(results):
    other = results / "audit/training/other.json"
    other.write_text(json.dumps({**trained_results.AUDIT, "data": "other"}), encoding="utf-8")
    with pytest.raises(DataError, match=r"other\.json is the audit of other training data"):
        facts_of(results, audit="audit/training/other.json")


@pytest.mark.parametrize(
    "audit", [{}, {"data": "wiki-sample", "n_texts": 1, "threshold": 1, "tests": [{}]}, []]
)
def test_a_file_that_is_no_audit_is_named(results, audit):
    (results / "audit/training/broken.json").write_text(json.dumps(audit), encoding="utf-8")
    with pytest.raises(DataError, match=r"broken\.json is no audit of training data"):
        facts_of(results, audit="audit/training/broken.json")


def test_scores_that_are_undefined_are_left_out(tmp_path, results):
    from sentflow.files.rows import write_rows
    from sentflow.report.families.similarity.rows import SimilarityRow
    from sentflow.training.cards.scores import read_scores

    [first, *_] = trained_results.similarity_rows()
    write_rows(tmp_path / "similarity.parquet", SimilarityRow, [replace(first, value=math.nan)])
    assert read_scores([tmp_path / "similarity.parquet", results / "audit/training/wiki-sample.json"]) == []
