"""Search and evaluation in notebooks: the numbers of the pipeline on plain lists, and what is refused."""

import numpy as np
import pytest
import yaml
from mirror_questions import mirror_corpus, mirror_questions

import sentflow
from sentflow.api.arguments import ArgumentError
from sentflow.api.run_evaluation import ALPHA, LEVEL, MARGIN, MEASURES, N_RESAMPLES
from sentflow.api.run_inputs import grades_of, judged_questions
from sentflow.api.tasks import WORKFLOW
from sentflow.compare.questions import QuestionScores, QuestionSettings, compare_questions
from sentflow.errors import ConfigError
from sentflow.retrieval.analysers import Analyser
from sentflow.retrieval.bm25 import Bm25, Bm25Settings
from sentflow.retrieval.dense import Vectors, search
from sentflow.retrieval.evaluation import evaluate
from sentflow.retrieval.fusion import FusionSettings, fused
from sentflow.retrieval.ranking import Run
from sentflow.retrieval.results import stated_means
from sentflow.retrieval.trec import run_lines
from sentflow.stats.resampling import Bootstrap
from sentflow.stats.seeds import derive_seed

DOCUMENTS = [
    "wings and flow",
    "heat transfer",
    "wings of heat",
    "sound",
    ("Metal", "the plane of heat"),
    "heat transfer",
]
QUESTIONS = {"a": "wings?", "b": "heat transfer of metal", "c": "loud sound", "d": "zebra"}
JUDGED = {"a": ["0"], "b": {"1": 2, "4": 1}, "c": ["3"], "d": ["2"]}
RUN = {"a": {"x": 1.0, "y": 1.0}, "b": {"z": 0.5}}


def letters(texts):
    return np.array([[text.count(letter) for letter in "aehnst "] for text in texts], dtype=np.float32)


def scores(found):
    return {question: dict(found[question]) for question in found}


def test_bm25_gives_the_scores_of_the_pipeline():
    found = sentflow.retrieve(QUESTIONS, DOCUMENTS, "bm25", k=3)
    terms = Analyser.from_settings({"units": "long-words"}, where="").terms
    texts = found.corpus.whole_texts()
    assert texts[4] == "Metal the plane of heat"
    expected = Bm25(terms(texts), Bm25Settings()).search(terms([*QUESTIONS.values()]), 3)
    for name, ranked in zip(QUESTIONS, expected, strict=True):
        assert [*found[name].items()] == [
            (str(row), score) for row, score in zip(ranked.rows.tolist(), ranked.scores.tolist(), strict=True)
        ]
    assert found["d"] == {}
    assert found.frame().columns.tolist() == ["question", "rank", "document", "score", "text"]
    assert "bm25: 4 questions, 6 documents" in repr(found)


@pytest.mark.parametrize("passages", [None, {"words": 1}])
def test_an_encoder_gives_the_scores_of_exact_search(passages):
    entry = {"kind": "dense", "model": letters, **({"passages": passages} if passages else {})}
    found = sentflow.retrieve(QUESTIONS, DOCUMENTS, entry, k=4)
    texts, owners = found.corpus.whole_texts(), np.arange(6)
    if passages:
        leads = [f"{title} " if title else "" for title in found.corpus.titles]
        parts = [
            (row, lead + word)
            for row, (lead, text) in enumerate(zip(leads, found.corpus.texts, strict=True))
            for word in text.split()
        ]
        texts, owners = [part for _, part in parts], np.array([row for row, _ in parts])
    expected = search(letters(QUESTIONS.values()), Vectors(letters(texts), owners), 4)
    for name, ranked in zip(QUESTIONS, expected, strict=True):
        assert [*found[name]] == [str(row) for row in ranked.rows.tolist()]
        assert [*found[name].values()] == pytest.approx(ranked.scores.tolist(), abs=1e-6)


def test_every_distinct_text_is_encoded_once_in_its_role():
    asked = []

    class Model:
        def encode_query(self, texts):
            asked.append(("query", texts))
            return letters([texts] if isinstance(texts, str) else texts)

        def encode_document(self, texts):
            asked.append(("document", texts))
            return letters([texts] if isinstance(texts, str) else texts)

    sentflow.retrieve(["wings?", "wings?"], DOCUMENTS, Model())
    whole = [
        texts for role, texts in asked if role == "document" and len(texts) > 2 and isinstance(texts, list)
    ]
    assert [sorted(texts) for texts in whole] == [sorted({*DOCUMENTS[:4], "Metal the plane of heat"})]


def test_a_fusion_is_that_of_its_parts():
    entry = {"kind": "fusion", "of": ["bm25", letters], "rule": "sum", "weights": [0.3, 0.7]}
    found = sentflow.retrieve(QUESTIONS, DOCUMENTS, entry, k=3)
    parts = [sentflow.retrieve(QUESTIONS, DOCUMENTS, part, k=6).run.ranked for part in ("bm25", letters)]
    settings = FusionSettings("sum", (0.3, 0.7))
    for name in QUESTIONS:
        expected = fused([part[name] for part in parts], settings, 3)
        assert [*found[name].values()] == expected.scores.tolist()


def test_an_evaluation_has_the_values_and_intervals_of_the_pipeline():
    found = sentflow.retrieve(QUESTIONS, DOCUMENTS)
    result = sentflow.evaluate_run(found, JUDGED, question_set="q")
    asked = judged_questions("q", grades_of(JUDGED), 1)
    expected = evaluate(found.run, asked, found.corpus, MEASURES)
    bootstrap = Bootstrap(LEVEL, N_RESAMPLES, derive_seed(9847706, "q", "bootstrap"))
    assert result.means == stated_means(expected, bootstrap)
    assert result["nDCG@10"] == expected.values["nDCG@10"].mean()
    assert result.per_question().loc["d", "nDCG@10"] == 0
    assert (result.found.n_unanswered, "with_duplicates" in result.means["nDCG@10"]) == (1, True)
    assert "questions without an answer, which count as 0" in repr(result)


def test_defaults_are_those_of_the_default_configuration():
    config = yaml.safe_load((WORKFLOW.parent / "config.yaml").read_text(encoding="utf-8"))
    assert list(MEASURES) == config["retrieval"]["measures"]
    assert config["retrieval"]["main"] == MEASURES[0]
    stated = config["statistics"]
    assert (stated["level"], stated["n_resamples"]) == (LEVEL, N_RESAMPLES)
    assert (stated["alpha"], stated["rope"]) == (ALPHA, MARGIN)


def test_lists_dictionaries_rows_and_files_are_the_same_run(tmp_path):
    rows = [(question, one, score) for question, found in RUN.items() for one, score in found.items()]
    (tmp_path / "a.run").write_text(
        "".join(f"{question} Q0 {one} 1 {score} t\n" for question, one, score in rows), encoding="utf-8"
    )
    (tmp_path / "a.qrels").write_text("a 0 y 1\nb 0 z 1\n", encoding="utf-8")
    judged = {"a": ["y"], "b": {"z": 1}}
    expected = sentflow.evaluate_run(RUN, judged, ["RR@10"]).per_question()
    assert expected["RR@10"].tolist() == [0.5, 1]
    for run, judgements in (
        (rows, [("a", "y"), ("b", "z", 1)]),
        (tmp_path / "a.run", str(tmp_path / "a.qrels")),
        ({"a": {"x": 1, "y": 1}, "b": {"z": 1}}, judged),
    ):
        assert sentflow.evaluate_run(run, judgements, ["RR@10"]).per_question().equals(expected)


def test_equal_scores_keep_the_order_of_the_documents_where_these_are_given():
    documents = {"y": "one", "x": "two", "z": "three"}
    first = sentflow.evaluate_run(RUN, {"a": ["y"]}, "RR@10", documents=documents)
    assert first["RR@10"] == 1
    assert first.means["RR@10"]["worst_order"] == 0.5
    assert first.n_not_judged == 1


def test_a_comparison_is_that_of_the_pipeline():
    bm25 = sentflow.evaluate_run(sentflow.retrieve(QUESTIONS, DOCUMENTS), JUDGED)
    other = sentflow.evaluate_run(sentflow.retrieve(QUESTIONS, DOCUMENTS, letters), JUDGED)
    found = bm25.compare(other, "RR@10")
    values = np.stack([one.found.values["RR@10"] for one in (bm25, other)])
    settings = QuestionSettings(LEVEL, ALPHA, MARGIN, N_RESAMPLES, 9847706)
    expected = QuestionScores(
        "questions", "RR@10", ["bm25", "letters"], bm25.found.questions, values, settings
    )
    assert found.rows == compare_questions(expected)
    assert found.frame().loc[0, "difference"] == found.rows[0].difference
    assert "bm25 - letters: RR@10" in repr(found)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: sentflow.retrieve([], DOCUMENTS), "questions is empty"),
        (lambda: sentflow.retrieve("wings", DOCUMENTS), "questions is a str. Give a list of texts"),
        (lambda: sentflow.retrieve(["a", " "], DOCUMENTS), r"questions\['1'\] is empty"),
        (lambda: sentflow.retrieve(["a"], [3]), r"documents\['0'\] is no text"),
        (lambda: sentflow.retrieve(["a"], ["b"], k=0), "k is 0"),
        (lambda: sentflow.retrieve(["a"], ["b"], "bm52"), "Did you mean bm25"),
        (lambda: sentflow.retrieve(["a"], ["b"], "minilm"), "needs an encoder, which the pipeline fetches"),
        (lambda: sentflow.retrieve(["a"], ["b"], {"kind": "bm52"}), "kind is 'bm52'. Did you mean bm25"),
        (lambda: sentflow.retrieve(["a"], ["b"], {"kind": "bm25", "k2": 1}), "bm25 has no 'k2'"),
        (lambda: sentflow.retrieve(["a"], ["b"], 3), "encode_fn is a int"),
        (lambda: sentflow.retrieve(["a"], ["b"], {"kind": "fusion", "of": "bm25"}), "give a list of two"),
        (lambda: sentflow.evaluate_run(RUN, {}), "judgements are empty"),
        (lambda: sentflow.evaluate_run(RUN, {"a": {"x": 0}}), "no document has the grade 1"),
        (lambda: sentflow.evaluate_run(RUN, {"q": ["x"]}), r"none of its 2 questions \(a, b\) is judged"),
        (lambda: sentflow.evaluate_run({"a": {"x": float("nan")}}, {"a": ["x"]}), "is nan. Give a finite number"),
        (lambda: sentflow.evaluate_run([("a", "x", 1), ("a", "x", 2)], {"a": ["x"]}), "'x' occurs twice for 'a'"),
        (lambda: sentflow.evaluate_run([("a", "x")], {"a": ["x"]}), r"Give \(question, document, score\)"),
        (lambda: sentflow.evaluate_run(RUN, {"a": {"x": 0.5}}), "a grade of 'a' is 0.5. Give a whole number"),
        (lambda: sentflow.evaluate_run(RUN, {"a": ["x"]}, documents=["x"]), "documents are not among the documents"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_what_to_write(call, said):
    with pytest.raises(ArgumentError, match=said):
        call()


def test_measures_that_do_not_exist_are_refused():
    with pytest.raises(ConfigError, match="measures: 'nDGC@10' is no measure"):
        sentflow.evaluate_run(RUN, {"a": ["x"]}, "nDGC@10")


def test_runs_of_other_questions_or_of_one_name_are_not_compared():
    first = sentflow.evaluate_run(RUN, {"a": ["x"], "b": ["z"]})
    second = sentflow.evaluate_run(RUN, {"a": ["x"]}, name="other")
    with pytest.raises(ArgumentError, match="measured on other questions"):
        first.compare(second)
    with pytest.raises(ArgumentError, match="two runs are called 'run'"):
        first.compare(first)
    with pytest.raises(ArgumentError, match="'P@5' was not measured"):
        first.compare(sentflow.evaluate_run(RUN, {"a": ["x"], "b": ["z"]}, name="other"), "P@5")


@pytest.mark.mirror
def test_a_collection_of_the_mirror_has_the_values_of_the_pipeline(mirror, tmp_path):
    questions, corpus = mirror_questions("cranfield", mirror), mirror_corpus("cranfield", mirror)
    texts = dict(zip(corpus.ids, corpus.whole_texts(), strict=True))
    documents = {name: text for name, text in texts.items() if text}
    asked = dict(zip(questions.ids, questions.texts, strict=True))
    found = sentflow.retrieve(asked, documents, "bm25-english", k=100)
    result = sentflow.evaluate_run(found, questions.by_question())
    assert result["nDCG@10"] == pytest.approx(0.5050, abs=1e-3)
    path = tmp_path / "bm25.run"
    path.write_text("".join(f"{line}\n" for line in run_lines(found.run, "bm25", {})), encoding="utf-8")
    again = sentflow.evaluate_run(path, questions.by_question())
    assert again.per_question().equals(result.per_question())
    assert isinstance(found.run, Run)


def of_terms(folder):
    """A SparsEmbed some of whose texts share no term, its texts and its questions."""
    from masked_models import sparse_encoder

    from sentflow.sparse.calibration import calibrate

    texts = ["lei saúde", "projeto não lei", "ação", "saúde : não"]
    model = sparse_encoder(folder, k_query=1, k_documents=1)
    calibrate(model, texts, 3)
    return model, texts, ["saúde", "projeto não"]


@pytest.mark.parametrize("candidates", [None, 5])
def test_a_sparse_embed_gives_the_scores_of_its_definition(candidates, tmp_path):
    model, texts, questions = of_terms(tmp_path)
    entry = {"kind": "sparse", "model": model, "batch_size": 2}
    found = sentflow.retrieve(
        questions, texts, {**entry, **({"candidates": candidates} if candidates else {})}, k=5
    )
    asked, documents = model.encode(questions, 1), model.encode(texts, 1)
    if candidates is None:
        expected = asked["sparse_activations"] @ documents["sparse_activations"].T
    else:
        from sentflow.sparse.term_vectors import TermVectors, all_scores

        halves = (TermVectors(each["activations"], each["embeddings"].half()) for each in (asked, documents))
        expected = all_scores(*(TermVectors(half.ids, half.embeddings.float()) for half in halves))
        assert scores(sentflow.retrieve(questions, texts, model, k=5)) == scores(found)
    above = [{str(row): score for row, score in enumerate(own) if score > 0} for own in expected.tolist()]
    assert sum(map(len, above)) < expected.numel()
    for name, own in enumerate(above):
        assert dict(found[name]) == pytest.approx(own, rel=1e-4)
        assert [*found[name].values()] == sorted(found[name].values(), reverse=True)


def test_a_sparse_encoder_of_the_library_gives_products_of_its_weights(tmp_path):
    from masked_models import KINDS
    from sentence_transformers import SparseEncoder

    model = SparseEncoder(str(KINDS["bert"](tmp_path)), device="cpu")
    texts, questions = ["lei saúde", "projeto não lei", "ação"], ["saúde", "projeto não"]
    asked, documents = (
        encode(given, convert_to_sparse_tensor=False).numpy()
        for encode, given in ((model.encode_query, questions), (model.encode_document, texts))
    )
    found = sentflow.retrieve(questions, texts, model, k=3)
    for name, own in enumerate(asked @ documents.T):
        assert dict(found[name]) == pytest.approx(
            {str(row): score for row, score in enumerate(own)}, rel=1e-5
        )
    product = {"kind": "fusion", "of": ["bm25", model], "rule": "product"}
    assert len(sentflow.retrieve(questions, texts, product, k=3)) == 2


def test_what_gives_no_weights_of_terms_is_refused(tmp_path):
    model, texts, questions = of_terms(tmp_path)
    with pytest.raises(ArgumentError, match="SparseEncoder of sentence-transformers"):
        sentflow.retrieve(questions, texts, {"kind": "sparse", "model": letters})
    with pytest.raises(ArgumentError, match="fewer than k=5"):
        sentflow.retrieve(questions, texts, {"kind": "sparse", "model": model, "candidates": 2}, k=5)
