"""Exports of retrieval: TREC files with their headers, and MTEB's results, read back by the package if it is there."""

import json

import numpy as np
import pytest
import yaml

from sentflow.commands import export_mteb_retrieval, export_trec
from sentflow.errors import DataError
from sentflow.files.io import read_json, write_digest, write_json
from sentflow.report.record import versions
from sentflow.retrieval.evaluation import evaluate
from sentflow.retrieval.ranking import Run, top
from sentflow.retrieval.runs import write_run
from sentflow.retrieval.trec import read_judgements, read_trec_run
from sentflow.texts.corpora import Corpus, Questions, write_corpus, write_questions

IDS = [f"art {row}" for row in range(12)]
CORPUS = Corpus("c", "raw", "de", IDS, [""] * 12, [f"text {row}" for row in range(12)])
QUESTIONS = Questions(
    "q", "c", "raw", "de", 1, ["a", "b", "c"], ["x", "y", "z"], [""] * 3,
    np.array([0, 0, 1]), ["art 3", "art 5", "art 1"], np.array([2, 1, 1]),
)  # fmt: skip
RETRIEVERS = {
    "bm25": {"method": "bm25", "title": "BM25", "indexing": {"analyser": "words", "units": "words"}},
    "both": {"method": "fusion", "title": "Both", "interpolates": ["bm25", "dense"], "rule": "product"},
    "dense": {"method": "dense", "title": "Dense", "model": {"name": "owner/encoder", "revision": "a" * 40}},
}
MODEL = {
    "revision": "a" * 40,
    "adapted_from": None,
    "licence": "MIT",
    "max_tokens": 256,
    "name": "owner/encoder",
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Corpus, questions, judgements, the runs of three retrievers, versions, a benchmark record."""
    monkeypatch.chdir(tmp_path)
    write_corpus("c.parquet", CORPUS)
    write_questions("q.parquet", "j.parquet", QUESTIONS)
    write_json("versions.json", versions())
    generator = np.random.default_rng(1)
    for name in RETRIEVERS:
        scores = generator.integers(0, 4, (3, 12)).astype(float)
        run = Run(IDS, {asked: top(row, 10) for asked, row in zip("abc", scores, strict=True)})
        write_run(tmp_path / f"{name}.parquet", run, {"questions": "q", "retriever": name, "depth": 10})
    (tmp_path / "bm25.jsonl").write_text('{"s": 1.5, "cpu_time": 1.25, "max_rss": 200.4}\n', encoding="utf-8")
    return tmp_path


def exported(order=("bm25", "both", "dense")):
    settings = {
        "order": list(order),
        "goal": {"title": "Trial", "description": "None"},
        "evaluation": {"reported measures": ["nDCG@10"]},
        "collection": {"name": "Q", "question set": "q", "relevant from grade": 1},
        "retrievers": RETRIEVERS,
    }
    benchmarks = {name: f"{name}.jsonl" for name in order}
    return export_trec.main(
        [
            *("--corpus", "c.parquet", "--questions", "q.parquet", "--judgements", "j.parquet"),
            *(
                "--runs",
                *(f"{name}.parquet" for name in RETRIEVERS if name in order),
                "--versions",
                "versions.json",
            ),
            *("--benchmarks", json.dumps(benchmarks), "--settings", json.dumps(settings)),
            *("--output", *(f"{name}.run" for name in order), "--qrels", "q.qrels"),
        ]
    )


def header(path):
    lines = path.read_text(encoding="utf-8").split("\n")
    end = lines.index("# ir_metadata.end")
    assert lines[0] == "# ir_metadata.start"
    return yaml.safe_load("\n".join(line.removeprefix("# ") for line in lines[1:end]))


def test_exported_files_give_the_values_of_the_runs(files):
    assert exported() == 0
    judged = {name: found for name, found in QUESTIONS.by_question().items() if found}
    assert read_judgements(files / "q.qrels") == {
        name: {one.replace(" ", "%20"): grade for one, grade in found.items()}
        for name, found in judged.items()
    }
    from sentflow.retrieval.runs import read_run

    for name in RETRIEVERS:
        _, run = read_run(files / f"{name}.parquet", IDS)
        again = read_trec_run(files / f"{name}.run", QUESTIONS, IDS, 10)
        ours, theirs = (
            evaluate(one, QUESTIONS, CORPUS, ["nDCG@10", "AP@100"]).values for one in (run, again)
        )
        assert all((ours[measure] == theirs[measure]).all() for measure in ours)


def test_the_header_has_the_components_of_primad(files):
    exported()
    found = header(files / "both.run")
    components = {"platform", "research goal", "implementation", "method", "actor", "data"}
    assert found.keys() >= components
    assert [step["name"] for step in found["method"]["retrieval"]] == ["bm25", "dense", "both"]
    assert found["tag"] == "both"
    assert found["method"]["scores"]["lowered to keep equal scores in order"] > 0
    assert "resources" not in found  # there is no record of this job
    assert header(files / "bm25.run")["resources"] == {
        "step": "search",
        "runtime": {"wallclock": "1.500 s", "cpu": "1.250 s"},
        "ram": {"used process": "200 MB"},
    }
    assert found["implementation"]["source"]["name"].startswith("sentflow ")


def test_a_run_of_another_retriever_is_refused(files):
    with pytest.raises(DataError, match="bm25.parquet is the run of bm25 on q, not of both"):
        exported(order=("both", "bm25", "dense"))


@pytest.fixture
def mteb_folder(files):
    for name in ("c", "q", "j"):
        write_digest(files / f"{name}.parquet")
    write_json("manifest.json", {"dimension": 7})
    folder = files / "mteb/results"
    names = ["LegalQuAD.json", "model_meta.json", "run_settings.jsonl"]
    settings = {
        "question_sets": {"q": {"task": "LegalQuAD", "language": "de"}},
        "order": [["q"], ["dense"]],
        "retrievers": {"dense": MODEL},
    }
    assert (
        export_mteb_retrieval.main(
            [
                *("--corpora", "c.parquet", "--questions", "q.parquet", "--judgements", "j.parquet"),
                *("--digests", "c.json", "q.json", "j.json", "--runs", "dense.parquet"),
                *("--manifests", "manifest.json", "--versions", "versions.json"),
                *("--settings", json.dumps(settings), "--output"),
                *(str(folder / f"owner__encoder/{'a' * 40}/{name}") for name in names),
            ]
        )
        == 0
    )
    return folder


def test_results_of_mteb_have_its_keys_as_far_down_as_was_ranked(mteb_folder):
    from sentflow.retrieval.runs import read_run

    result = read_json(mteb_folder / f"owner__encoder/{'a' * 40}/LegalQuAD.json")
    (entry,) = result["scores"]["test"]
    cuts = (1, 3, 5, 10)
    keys = {f"{name}_at_{k}" for name in ("ndcg", "map", "recall", "precision", "mrr") for k in cuts}
    assert {key for key in entry if "_at_" in key} == keys
    _, run = read_run("dense.parquet", IDS)
    values = evaluate(run, QUESTIONS, CORPUS, ["nDCG@10", "RR@3"]).values
    assert entry["main_score"] == entry["ndcg_at_10"] == pytest.approx(values["nDCG@10"].mean(), abs=1e-6)
    assert entry["mrr_at_3"] == pytest.approx(values["RR@3"].mean(), abs=1e-6)
    assert (entry["n_questions"], entry["languages"], result["task_name"]) == (2, ["deu-Latn"], "LegalQuAD")
    assert len(result["dataset_revision"]) == 40


def test_mteb_itself_loads_results_of_retrieval(mteb_folder):
    pytest.importorskip("mteb", reason="mteb is not installed: envs/requirements-exports.txt")
    from mteb.cache import ResultCache
    from mteb.models.model_meta import ModelMeta
    from mteb.results import TaskResult

    folder = mteb_folder / f"owner__encoder/{'a' * 40}"
    result = TaskResult.from_disk(folder / "LegalQuAD.json")
    assert result.task.metadata.type == "Retrieval"
    assert result.get_score() == read_json(folder / "LegalQuAD.json")["scores"]["test"][0]["ndcg_at_10"]
    assert result.task.metadata.main_score == "ndcg_at_10"
    loaded = ResultCache(cache_path=mteb_folder.parent).load_results(include_remote=False)
    assert loaded.model_names == ["owner/encoder"]
    assert ModelMeta(**read_json(folder / "model_meta.json")).embed_dim == 7
