"""Model cards: what they say equals the files, and the hub can read them."""

import math
import re
from dataclasses import replace

import pytest
import trained_results
from huggingface_hub import ModelCard
from huggingface_hub.repocard_data import model_index_to_eval_results
from trained_results import ABOUT, MADE, MODEL, RECORD

from sentflow.errors import DataError
from sentflow.files.io import write_sealed
from sentflow.files.rows import write_rows
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.training.cards.card import USES, flat, model_card, read_facts, read_scores
from sentflow.training.record import Made, Record, Teacher

SECTIONS = [
    *("Use", "Training", "Settings of the recipe", "Settings of training", "Held-out rows"),
    *("Selection of the snapshot", "Other seeds", "Software", "Cost", "Evaluation"),
    *("Overlap of training texts with test sets", "Limits"),
]
PLACEHOLDER = re.compile(r"\{\{|\{%|More Information Needed|TODO|undefined|\bnan\b")


def tables(text):
    """The lines of the table in each section, without its heading."""
    found, section = {}, ""
    for line in text.splitlines():
        if line.startswith("##"):
            section = line.lstrip("# ")
        elif line.startswith("|"):
            cells = re.split(r"(?<!\\)\|", line)[1:-1]
            found.setdefault(section, []).append([re.sub(r"\\(.)", r"\1", cell.strip()) for cell in cells])
    return {name: rows[2:] for name, rows in found.items()}


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


def test_cards_of_encoders_of_other_kinds_and_of_taught_ones_are_whole(facts):
    settings = {**facts.record.recipe_settings, "question_prompt": "", "document_prompt": "query: "}
    teacher = Teacher(name="large", files_sha256="12" * 32, vectors_sha256="34" * 32)
    for kind in ("splade", "sparse-embed", "cross-encoder"):
        record = facts.record.model_copy(update={"recipe_settings": settings, "teacher": teacher})
        other = replace(facts, read_out=replace(facts.read_out, kind=kind, pooling=None), record=record)
        text = model_card(other)
        assert re.findall(r"^#{2,3} (.+)$", text, re.M) == SECTIONS
        assert not PLACEHOLDER.search(text)
        assert "| question\\_prompt | empty |" in text and "34" * 32 in text
        assert ModelCard(text).data.library_name == USES[kind].library


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


def test_held_out_rows_are_told_before_training_and_at_the_chosen_step_where_there_are_some(card):
    assert ["Of these, held out", "512"] in tables(card)["Training"]
    # 51.25 / (40 + 10)
    assert ["loss", "40", "1.0250", "16"] in tables(card)["Held-out rows"]
    assert {row[1] for row in tables(card)["Held-out rows"]} == {"0", "40"}


def test_tables_have_the_numbers_of_the_files(card, facts):
    shown = tables(card)
    for section, settings in (
        ("Settings of the recipe", facts.record.recipe_settings),
        ("Settings of training", facts.record.training),
        ("Selection of the snapshot", facts.selection),
        ("Software", facts.record.versions),
    ):
        assert {row[0] for row in shown[section]} == {key for key, _ in flat(settings)}
    assert ["temperature", "0.05"] in shown["Settings of the recipe"]
    assert ["Rows of training data", "10,000"] in shown["Training"]
    assert ["Peak memory (MiB)", "1234.5"] in shown["Cost"]
    assert [row[:2] for row in shown["Evaluation"]] == [[one.data, one.measure] for one in facts.scores]
    assert ["STSB-test", "2,552", "3", "5"] in shown["Overlap of training texts with test sets"]
    [seeds] = [row for row in shown["Other seeds"] if row[0] == "STSB-test"]
    assert seeds[2:6] == ["0.810", "3", "0.820", "0.010"]


def test_undefined_scores_and_audits_of_other_data_are_refused(tmp_path, results):
    [first, *_] = trained_results.similarity_rows()
    write_rows(tmp_path / "similarity.parquet", SimilarityRow, [replace(first, value=math.nan)])
    assert read_scores([tmp_path / "similarity.parquet"]) == []
    for content in ({**trained_results.AUDIT, "data": "other"}, {}):
        write_sealed(results / "audit/training/other.json", content)
        with pytest.raises(DataError, match=r"other\.json is .*other training data"):
            facts_of(results, audit="audit/training/other.json")


def test_a_record_is_what_was_written_whatever_the_order_of_its_keys(tmp_path):
    one, other, made = tmp_path / "one.json", tmp_path / "other.json", tmp_path / "made.json"
    RECORD.write(one)
    assert Record.read(one) == RECORD
    RECORD.model_copy(update={"training": dict(reversed(RECORD.training.items()))}).write(other)
    assert one.read_bytes() == other.read_bytes()
    MADE.write(made)
    assert Made.read(made) == MADE


def test_what_is_no_record_is_refused(tmp_path):
    file = tmp_path / "record.json"
    for value in ({"seconds": 1}, {**RECORD.as_dict(), "learning_rat": 1}):
        write_sealed(file, value)
        with pytest.raises(DataError, match=r"record\.json .*train again"):
            Record.read(file)
    RECORD.write(file)
    for text in ("[]", "{", file.read_text("utf-8").replace("61234", "61235")):
        file.write_text(text, "utf-8")
        with pytest.raises(DataError, match=r"record\.json .*Delete it"):
            Record.read(file)
    MADE.write(file)
    whole = file.read_text("utf-8")
    for text in ("[]", "{", '{"seconds": 1}', whole.replace('"device"', '"devise"')):
        file.write_text(text, "utf-8")
        with pytest.raises(DataError, match=r"record\.json"):
            Made.read(file)
