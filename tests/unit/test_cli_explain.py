"""`sentflow explain`: the terms of a text, and those behind the scores of a run."""

import json
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from masked_models import sparse_encoder
from only_tokenizers import save_word_pieces
from scipy.sparse import csr_array
from tiny_bert import save_tiny_masked_bert
from typer.testing import CliRunner

from sentflow.cli import explained_run
from sentflow.cli.app import app
from sentflow.encoders.manifest import write_manifest
from sentflow.encoders.vectors.sparse import SPARSE_FORM
from sentflow.encoders.vectors.storage import text_order_sha256, write_tokens
from sentflow.encoders.vocabulary import vocabulary_sha256
from sentflow.families.retrieval.family import Retrieval
from sentflow.graph import paths
from sentflow.graph.config.experiment import load_experiment
from sentflow.retrieval.bm25 import Bm25, Bm25Settings
from sentflow.retrieval.ranking import Run
from sentflow.retrieval.runs import write_run
from sentflow.retrieval.sparse import SparseVectors, search
from sentflow.retrieval.terms import write_terms
from sentflow.sparse.folder import save_sparse_embed
from sentflow.texts.collection import write_texts
from sentflow.texts.corpora import Corpus, Questions, write_corpus, write_questions
from sentflow.training.exported import manifest_of

REPOSITORY = Path(__file__).parents[2]
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
SET = "municipal-laws-sample"
CONFIG = {
    "select": {
        **dict.fromkeys(("tasks", "pair_sets", "alignments", "regressions"), []),
        "models": ["bag-of-words"],
        "question_sets": [SET],
        "retrievers": ["bm25", "weighed", "random-order", "both"],
    },
    "models": {
        "terms": {"kind": "splade", "source": {"folder": "model"}, "terms": {"queries": 3}},
        "vectors": {"kind": "sparse-embed", "source": {"folder": "vectors"}, "terms": {"queries": 3}},
        "weigher": {
            "kind": "trained",
            "recipe": "splade",
            "start": "masked-sample",
            "data": "law-titles-sample",
            "seed": 1,
            "training": {"steps": 1, "batch_size": 16, "learning_rate": 1.0e-3, "max_tokens": 32},
        },
    },
    "retrievers": {
        "weighed": {"kind": "sparse", "model": "terms"},
        "random-order": {"kind": "random"},
        "both": {"kind": "fusion", "of": ["bm25", "weighed"], "rule": "sum"},
    },
}
TEXTS = ["lei da cidade cidade", "saúde da lei", "praças", "lei das praças de todos"]
ASKED = {"q1": "lei da cidade?", "q2": "praças", "q3": "nada"}
JUDGED = (np.array([0, 0, 1]), ["d1", "d3", "d0"], np.array([2, 1, 2]))
TERMS = ("lei", "##da", "cidade", "praças", "saúde")
SPLIT = {term: term.removeprefix("##") for term in TERMS}


@cache
def experiment():
    """Read once: every command would read the same again, which takes longer than what is tested."""
    merged = {**DEFAULT, **CONFIG, "select": {**DEFAULT["select"], **CONFIG["select"]}}
    return load_experiment(merged, REPOSITORY / "workflow")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A configuration, and the results that its retrievers read and wrote."""
    folder = tmp_path_factory.mktemp("explained")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("mine.yaml").write_text(yaml.safe_dump(CONFIG, allow_unicode=True), encoding="utf-8")
        write_results(Retrieval(experiment()))
    return folder


@pytest.fixture
def finished(results, tmp_path, monkeypatch):
    """A copy of them, as the working folder."""
    monkeypatch.chdir(shutil.copytree(results, tmp_path / "project"))
    monkeypatch.setattr(explained_run, "load_experiment", lambda *_: experiment())


def write_results(family):
    """What the rules write before anything is explained."""
    ids = [f"d{row}" for row in range(len(TEXTS))]
    names = {"questions": SET, "corpus": SET}
    questions = Questions(SET, SET, "raw", "pt", 2, [*ASKED], [*ASKED.values()], [""] * 3, *JUDGED)
    write_corpus(made(paths.CORPUS, **names), Corpus(SET, "raw", "pt", ids, [""] * len(ids), TEXTS))
    write_questions(made(paths.QUESTIONS, **names), made(paths.JUDGEMENTS, **names), questions)

    def found(retriever, ranked):
        run = Run(ids, dict(zip(ASKED, ranked, strict=True)))
        about = {"questions": SET, "retriever": retriever}
        write_run(made(paths.RUN, **about), run, about)

    terms = [text.split() for text in TEXTS]
    job = SimpleNamespace(questions=SET, retriever="bm25")
    write_terms(made(family.terms(paths.TERMS)(job)), terms, corpus=SET, analyser="long-words")
    words = [text.rstrip("?").split() for text in ASKED.values()]
    found("bm25", Bm25(terms, Bm25Settings()).search(words, 10))
    job.retriever = "weighed"
    asked = weighed([*family.question_vectors(job), *family.question_info(job)], [*ASKED.values()])
    held = weighed([*family.document_vectors(job), *family.document_info(job)], TEXTS)
    found("weighed", search(asked, SparseVectors(held, np.arange(len(TEXTS))), 10))
    write_manifest(made(family.manifest(job)), save_word_pieces(Path("tokenizer").absolute(), TERMS))


def made(pattern, **names):
    path = Path(pattern.format(**names))
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def weighed(files, texts):
    """Write the weights of texts: how often each term is in them."""
    collection, npz, tokens, info = map(made, files)
    values = np.array([[text.count(SPLIT[term]) for term in TERMS] for text in texts], dtype=np.float32)
    write_texts(collection, texts)
    about = {"text_order_sha256": text_order_sha256(texts), "model": "m", "files_sha256": "f"}
    about |= write_tokens(tokens, None)
    about["vocabulary_sha256"] = vocabulary_sha256({term: row for row, term in enumerate(TERMS)})
    SPARSE_FORM.write(npz, info, csr_array(values), about, None)
    return csr_array(values)


def explain(*words):
    return CliRunner().invoke(app, ["explain", "--configfile", "mine.yaml", *words])


def printed(*words):
    result = explain(*words)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return result.stdout


def refused(*words):
    result = explain(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr


def of_run(retriever, question, *words):
    return printed("--retriever", retriever, "--questions", SET, "--question", question, *words)


# --- runs


def test_the_best_document_and_the_best_relevant_one_are_explained(finished):
    text = of_run("bm25", "q1")
    assert "bm25, municipal-laws-sample, q1: lei da cidade?" in text
    first, second = text.split("d1, rank 2")
    assert "d0, rank 1, score" in first and "not judged: lei da cidade cidade" in first
    assert [line.split()[0] for line in first.splitlines() if "%" in line] == ["cidade", "da", "lei"]
    assert "relevant: saúde da lei" in second and "cidade" not in second


@pytest.mark.parametrize("retriever", ["bm25", "weighed"])
def test_programs_get_every_addend(finished, retriever):
    found = json.loads(of_run(retriever, "q1", "--json", "--document", "d3", "--document", "d2"))
    assert (found["retriever"], found["question"], found["text"]) == (retriever, "q1", ASKED["q1"])
    first, second = found["documents"]
    assert (first["document"], first["grade"], first["is_relevant"], first["rank"]) == ("d3", 1, False, 3)
    assert sum(term["addend"] for term in first["terms"]) == pytest.approx(first["score"])
    assert sum(term["share"] for term in first["terms"]) == pytest.approx(1)
    assert second == {
        "document": "d2", "grade": None, "is_relevant": False, "rank": None, "rest": 0, "score": 0, "terms": [],
    }  # fmt: skip


def test_weights_have_the_names_of_the_vocabulary_and_few_are_shown(finished):
    text = of_run("weighed", "q1", "--most", "1", "--document", "d0")
    # of "lei da cidade cidade" and "lei da cidade?": da 3 × 2 (ci-da-de), cidade 2 × 1, lei 1 × 1
    assert "d0, rank 1, score 9, not judged" in text
    assert [line.split() for line in text.splitlines() if line.lstrip().startswith("##da")] == [
        ["##da", "2", "3", "6", "67", "%"]
    ]
    assert "2 further shared terms: 3, 33" in text


def test_what_is_not_there_is_told(finished):
    assert "Nothing was found for this question." in of_run("bm25", "q3")
    assert "No relevant document is ranked. See what it shares" in of_run("bm25", "q2")
    text = of_run("bm25", "q2", "--document", "d0")
    assert "d0, not ranked, score 0, relevant" in text and "No shared term." in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "write --model NAME --text TEXT for the terms of a text, or --retriever NAME"),
        (["--model", "terms"], "--model: write --text, too."),
        (["--retriever", "bm25"], "--retriever: write --questions and --question, too."),
        (["--model", "terms", "--document", "d1"], "one of both"),
        (["--document", "d1"], "write --retriever and --questions and --question"),
        (["--model", "terms", "--text", " "], "--text: there is no text"),
        (["--model", "term", "--text", "lei"], "there is no model 'term'. Did you mean terms?"),
        (["--model", "minilm-l6", "--text", "lei"], "of kind sentence-transformers, which gives no weights"),
    ],
)
def test_options_that_do_not_fit_are_one_paragraph(finished, words, said):
    assert said in refused(*words)


@pytest.mark.parametrize(
    ("retriever", "questions", "question", "said"),
    [
        ("random-order", SET, "q1", "is of kind random, whose scores are no sums over shared terms. Write one of"),
        ("both", SET, "q1", "is of kind fusion"),
        ("bm52", SET, "q1", "does not search municipal-laws-sample. Did you mean bm25?"),
        ("bm25", "laws", "q1", "--questions: 'laws' is not searched in this experiment."),
        ("bm25", SET, "q11", "there is no question 'q11' in municipal-laws-sample. Write one of its 3 names, say q1."),
    ],
)  # fmt: skip
def test_names_that_do_not_exist_or_cannot_be_explained(finished, retriever, questions, question, said):
    words = ("--retriever", retriever, "--questions", questions, "--question", question)
    assert said in refused(*words)


def test_documents_that_do_not_exist(finished):
    words = ("--retriever", "bm25", "--questions", SET, "--question", "q1", "--document", "d9")
    assert "--document: there is no document 'd9'" in refused(*words)


def test_what_is_missing_is_told_with_the_command_that_makes_it(finished):
    words = ("--retriever", "weighed", "--questions", SET, "--question", "q1")
    run, manifest = f"results/runs/{SET}/weighed.parquet", "results/models/terms/manifest.json"
    Path(run).unlink()
    Path(manifest).unlink()
    said = refused(*words)
    assert "the results lack 2 files that the explanations need" in said
    assert said.splitlines()[-1] == f"sentflow run --cores all {run} {manifest} --configfile mine.yaml"
    assert "the results lack" in refused(*words, "--results", "elsewhere")


def test_a_run_by_other_weights_is_not_explained_by_these(finished):
    run = Path(f"results/runs/{SET}/bm25.parquet")
    run.with_name("weighed.parquet").write_bytes(run.read_bytes())
    words = ("--retriever", "weighed", "--questions", SET, "--question", "q1")
    assert "The run was made from other files or by other settings. Run snakemake again." in refused(*words)


# --- texts


def test_a_text_is_shown_by_the_weights_that_the_pipeline_gives_it(finished):
    save_tiny_masked_bert(Path("model"))
    found = json.loads(printed("--model", "terms", "--text", "ação lei", "--json"))
    weights = [term["weight"] for term in found["terms"]]
    assert weights == sorted(weights, reverse=True) and min(weights) > 0
    assert (found["role"], found["tokens_cut_off"]) == ("document", 0)
    assert {term["term"] for term in found["terms"]} <= {
        "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "lei", "ação", "projeto", "não", "saúde", ":",
    }  # fmt: skip
    # questions keep three terms
    asked = json.loads(printed("--model", "terms", "--text", "ação lei", "--role", "query", "--json"))
    assert asked["terms"] == found["terms"][:3]
    text = printed("--model", "terms", "--text", "ação lei", "--most", "2")
    assert f"terms, {len(weights)} terms of a document: ação lei" in text
    assert f"{len(weights) - 2} further terms of lower weights." in text
    long = CliRunner().invoke(
        app, ["explain", "--configfile", "mine.yaml", "--model", "terms", "--text", "-"], input="lei " * 90
    )
    # 32 positions, of which the model's own two signs take two
    assert "The encoder does not read the last 60 tokens." in long.stdout


def test_terms_with_vectors_are_shown_with_their_weights(finished):
    model = sparse_encoder(Path("start"), heads="two", k_documents=6)
    save_sparse_embed(model, Path("vectors"))
    expected = model.encode(["ação lei"], side="document")["sparse_activations"].to_dense()[0].numpy()
    found = json.loads(printed("--model", "vectors", "--text", "ação lei", "--json"))
    weights = [term["weight"] for term in found["terms"]]
    np.testing.assert_allclose(weights, np.sort(expected[expected > 0])[::-1], rtol=1e-5)
    asked = json.loads(printed("--model", "vectors", "--text", "ação lei", "--role", "query", "--json"))
    assert (len(asked["terms"]), len(weights)) == (3, 6)


@pytest.mark.parametrize(("model", "kind"), [("weigher", "splade"), ("sparse-embed-sample", "sparse-embed")])
def test_a_trained_model_is_read_where_the_pipeline_left_it(finished, model, kind):
    words = ("--model", model, "--text", "ação lei")
    said = f"{model} has to be trained before its terms are shown"
    assert said in refused(*words)
    folder = Path(f"results/models/{model}")
    if kind == "splade":
        save_tiny_masked_bert(folder / "weights")
    else:
        save_sparse_embed(sparse_encoder(Path("start"), k_documents=6), folder / "weights")
    other = {"splade": "sparse-embed", "sparse-embed": "splade"}[kind]
    write_manifest(
        folder / "manifest.json", replace(manifest_of(folder / "weights", model=model, kind=kind), kind=other)
    )
    assert said in refused(*words)
    write_manifest(folder / "manifest.json", manifest_of(folder / "weights", model=model, kind=kind))
    found = json.loads(printed(*words, "--json"))
    assert found["model"] == model
    assert {"ação", "lei"} & {term["term"] for term in found["terms"]}


def test_a_trained_model_of_dense_vectors_has_no_terms(finished):
    assert "masked-sample is trained by recipe mlm, which gives no weights of terms" in refused(
        "--model", "masked-sample", "--text", "lei"
    )
