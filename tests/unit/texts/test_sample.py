import csv
import functools
import io
import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml

from sentflow.errors import ConfigError
from sentflow.families.probing.family import Probing
from sentflow.graph.config.experiment import load_experiment
from sentflow.probing.protocol.draws import plan_folds
from sentflow.probing.protocol.settings import PUBLISHED
from sentflow.stats.seeds import derive_seed
from sentflow.texts.prepare import PrepareSettings, prepare
from sentflow.texts.sample.grammar import Grammar, as_sentence, joined
from sentflow.texts.sample.rows import Recipe, make_rows, to_csv
from sentflow.texts.sample.tasks import RECIPES, generate

REPOSITORY = Path(__file__).parents[3]
OFFICIAL = (
    *("F1A", "F1B", "F2", "F3", "F4", "F5", "F6", "G1", "G2A"),
    *("G2B", "G3", "G4", "T1A", "T1B", "T2A", "T2B", "T3", "T4"),
)
PAIRED = {"F1A", "F1B", "F3", "F4", "F5", "F6", "G1", "G2A", "G2B", "G3", "G4"}
N_CLASSES = {"F2": 7, "F3": 4, "F5": 5}
MLP_TASKS = {"F3": 4, "F5": 5}  # alternatives

every_task = pytest.mark.parametrize("task", OFFICIAL)


@functools.cache
def sample(task):
    return generate(task, seed=1)


def make_grammar(words=None):
    return Grammar(np.random.Generator(np.random.PCG64(7)), words or {})


def words_of_class(rows, label):
    texts = (" ".join(row) for row, own in zip(rows.texts, rows.labels, strict=True) if own == label)
    return Counter(word for text in texts for word in re.findall(r"\w+", text.lower()))


def test_all_official_tasks_have_sample_data():
    assert tuple(RECIPES) == OFFICIAL


@every_task
def test_same_seed_gives_the_same_bytes_and_another_seed_other_rows(task):
    first, again, other = (to_csv(generate(task, seed=seed)) for seed in (1, 1, 2))
    assert first.encode() == again.encode()
    assert first != other


def test_rows_of_a_task_do_not_depend_on_which_tasks_were_generated_before():
    alone = generate("T1B", seed=5)
    generate("T1A", seed=5)
    assert generate("T1B", seed=5) == alone


@every_task
def test_layout_and_class_numbers_are_those_of_the_official_file(task):
    rows = sample(task)
    assert rows.columns == (("text_a", "text_b", "label") if task in PAIRED else ("text", "label"))
    assert {len(texts) for texts in rows.texts} == {len(rows.columns) - 1}
    assert set(rows.labels) == set(range(N_CLASSES.get(task, 2)))


@every_task
def test_sizes_suit_the_protocol(task):
    rows = sample(task)
    counts = Counter(rows.labels)
    balanced = len(counts) * min(counts.values())
    assert 800 <= len(rows) <= 870
    assert balanced <= 820


@functools.cache
def default_probing():
    config = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
    return Probing(load_experiment(config, REPOSITORY / "workflow"))


@every_task
def test_every_fold_has_the_rows_that_a_warm_up_needs(task, tmp_path):
    """The published warm-up is a quarter of the batches of an epoch, rounded down: none with fewer than four of 128."""
    probing, place = default_probing(), SimpleNamespace(task=f"{task}-sample")
    entry = probing.task(place.task)
    files = probing.experiment.entries["datasets"][entry["dataset"]]
    file = tmp_path / entry["reader"]["file"]
    assert files["files"][file.name] == {"generator": task}
    file.write_text(to_csv(generate(task, seed=files["seed"])), encoding="utf-8")
    settings = {**json.loads(probing.prepare_settings(place)), **json.loads(probing.prepare_checks(place))}
    table = prepare(place.task, [file], PrepareSettings.from_settings(settings, task=place.task))
    folds = list(plan_folds(table.labels, replace(PUBLISHED, repetitions=2)))
    assert min(len(fold.train) for fold in folds) >= 512 == 4 * PUBLISHED.batch_size
    assert PUBLISHED.folds == probing.protocol.folds == 5


@every_task
def test_texts_are_clean_and_rarely_repeated(task):
    rows = sample(task)
    texts = [text for row in rows.texts for text in row]
    assert all(text == text.strip() and text for text in texts)
    assert not any(mark in text for text in texts for mark in "{}\n\r\t")
    assert len(set(rows.texts)) >= 0.97 * len(rows)


@pytest.mark.parametrize(("task", "n_alternatives"), MLP_TASKS.items())
def test_each_exam_question_has_all_its_alternatives_and_no_two_alike(task, n_alternatives):
    for _, alternatives in sample(task).texts:
        parts = alternatives.split(" [SEP] ")
        assert len(parts) == n_alternatives
        assert all(parts)
        assert len(set(parts)) == n_alternatives


@every_task
def test_classes_share_most_of_their_vocabulary(task):
    rows = sample(task)
    vocabularies = {label: words_of_class(rows, label) for label in set(rows.labels)}
    for label, words in vocabularies.items():
        others = set().union(*(own for other, own in vocabularies.items() if other != label))
        shared = sum(count for word, count in words.items() if word in others)
        assert shared >= 0.75 * words.total()


def test_portal_comments_are_plain_lower_case_letters():
    texts = [text for (text,) in sample("T1B").texts]
    assert all(text.isascii() and text == text.lower() for text in texts)


@pytest.mark.parametrize("task", [task for task in OFFICIAL if task != "T1B"])
def test_all_other_tasks_keep_their_accents(task):
    assert re.search("[ãçéí]", to_csv(sample(task)))


def test_csv_has_an_unnamed_index_and_quotes_what_needs_it():
    rows = make_rows(Recipe(lambda grammar, label: (f'"é", disse {label}',), (1, 1), noise=0.0), seed=1)
    lines = list(csv.reader(io.StringIO(to_csv(rows))))
    assert lines[0] == ["", "text", "label"]
    assert [line[0] for line in lines[1:]] == ["0", "1"]
    assert [line[1:] for line in lines[1:]] == [[f'"é", disse {label}', str(label)] for label in rows.labels]


def test_noise_is_the_share_of_rows_written_for_another_class():
    rows = make_rows(Recipe(lambda grammar, label: (str(label),), (500, 500), noise=0.1), seed=1)
    wrong = sum(text != str(label) for (text,), label in zip(rows.texts, rows.labels, strict=True))
    assert 60 <= wrong <= 140  # 1000 draws of 0.1: 100 ± 4 standard deviations of 9.5


def test_a_writer_with_one_text_still_fills_its_class():
    rows = make_rows(Recipe(lambda grammar, label: ("olá",), (3, 2), noise=0.0), seed=1)
    assert sorted(rows.labels) == [0, 0, 0, 1, 1]


def test_seed_depends_on_where_names_begin():
    assert derive_seed(1, "ab", "c") != derive_seed(1, "a", "bc")


@pytest.mark.parametrize(
    ("phrase", "how", "expected"),
    [
        ("o prazo", "de", "do prazo"),
        ("as vagas", "em", "nas vagas"),
        ("a escola", "a", "à escola"),
        ("os alunos", "por", "pelos alunos"),
        ("uma lei", "em", "numa lei"),
        ("Natal", "de", "de Natal"),
        ("árvores", "^", "Árvores"),
        ("a escola", "", "a escola"),
    ],
)
def test_prepositions_contract_with_the_article(phrase, how, expected):
    assert joined(phrase, how) == expected


def test_unknown_joint_names_the_known_ones():
    with pytest.raises(ValueError, match=r"'com' is not a way .* write one of: de, em, a, por, \^"):
        joined("a escola", "com")


def test_slots_are_filled_from_arguments_then_from_word_lists_with_slots_of_their_own():
    grammar = make_grammar({"city": ("Natal",), "place": ("a cidade {city:de}",)})
    assert grammar.write("{who:^} foi {place:a}.", who="o juiz") == "O juiz foi à cidade de Natal."
    assert grammar.write("{who}", who=("Ana",)) == "Ana"


def test_number_slots_stay_within_their_range():
    grammar = make_grammar()
    assert {grammar.write("{n:2-4}") for _ in range(60)} == {"2", "3", "4"}


def test_slot_without_words_is_named():
    with pytest.raises(KeyError, match=r"no word list for the slot \{cidade\}"):
        make_grammar().write("em {cidade}")


def test_sentence_gets_a_capital_and_a_full_stop_only_where_missing():
    assert as_sentence("é lei") == "É lei."
    assert as_sentence("por quê?") == "Por quê?"


def test_unknown_task_names_the_tasks_that_exist():
    with pytest.raises(ConfigError, match=r"no sample data for the task 'T1X'. Write one of: F1A, .*, T4\."):
        generate("T1X", seed=1)


def test_negative_seed_is_refused():
    with pytest.raises(ConfigError, match="seed of sample data is -1"):
        generate("T1A", seed=-1)


def word_sums(texts):
    """Sums of fixed random vectors of words, of length 1: a bag of words without empty columns."""
    vectors = {}
    for word in sorted({word for text in texts for word in text.lower().split()}):
        rng = np.random.Generator(np.random.PCG64(derive_seed(0, word)))
        vectors[word] = rng.standard_normal(384)
    sums = np.stack([sum(vectors[word] for word in text.lower().split()) for text in texts])
    return sums / np.linalg.norm(sums, axis=1, keepdims=True)


def features_of(rows):
    first = word_sums([texts[0] for texts in rows.texts])
    if len(rows.columns) == 2:
        return first
    second = word_sums([texts[1] for texts in rows.texts])
    return np.concatenate([first, second, np.abs(first - second), first * second], axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("task", ["T1A", "G1"])
def test_words_separate_the_classes_but_not_perfectly(task):
    from sentflow.probing.cross_validation import cross_validate
    from sentflow.probing.training.result import TEST_EPOCH

    rows = sample(task)
    scores = cross_validate(features_of(rows), np.array(rows.labels), metric="mcc", repetitions=2).scores
    tested = scores[(scores.train_epoch == TEST_EPOCH) & (scores.metric == "metric_test")].value
    assert len(tested) == 10
    assert 0.2 < tested.mean() < 0.95
