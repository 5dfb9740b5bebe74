"""BM25 on the Vietnamese statutes that were cut out of ALQAC and Zalo, against values of the same files.

Terms: words by underthesea 9.5.0, or runs of letters (syllables), without the stop list of the published system, which
is a file beside the mirror. R@k is the mean share of the cited articles found.
Tolerance 2e-3: values have four digits, and other versions of the segmenter shift them.
"""

import ast
import csv

import pytest
import yaml
from mirror_questions import CATALOG, mirror_corpus, mirror_questions, questions_about

from sentflow.retrieval.analysers import Analyser
from sentflow.retrieval.bm25 import Bm25, Bm25Settings
from sentflow.retrieval.decisions import PARAMETERS, decided, grid
from sentflow.retrieval.evaluation import evaluate
from sentflow.retrieval.ranking import Run
from sentflow.retrieval.set_measures import set_values
from sentflow.retrieval.tuned_decision import documents_of
from sentflow.texts.corpora import Corpus

pytestmark = [pytest.mark.mirror, pytest.mark.slow]

MEASURES = ["R@1", "R@5", "R@10", "R@20", "R@50", "R@100", "RR@10"]
TOLERANCE = 2e-3
VALUES = {
    ("bm25plus-zalo", "train"): (0.7913, 0.9304, 0.9579, 0.9757, 0.9822, 0.9903, 0.8534),
    ("bm25plus-zalo", "test"): (0.4713, 0.7322, 0.7855, 0.8552, 0.9249, 0.9399, 0.5814),
    ("bm25plus-zalo", "alqac23"): (0.6318, 0.8682, 0.9273, 0.9500, 0.9682, 0.9803, 0.7580),
    ("bm25-zalo", "test"): (0.5205, 0.7404, 0.8265, 0.8921, 0.9167, 0.9508, 0.6269),
    ("bm25-zalo", "alqac23"): (0.6727, 0.8727, 0.9273, 0.9500, 0.9712, 0.9803, 0.7777),
    ("bm25-robertson-zalo", "test"): (0.5369, 0.7486, 0.8388, 0.8921, 0.9194, 0.9426, 0.6380),
    ("bm25-syllables", "test"): (0.4631, 0.7077, 0.8060, 0.8620, 0.9481, 0.9508, 0.5842),
    ("bm25plus-syllables", "test"): (0.4139, 0.6475, 0.7609, 0.8101, 0.9071, 0.9344, 0.5215),
}
# Mean F2 of the first document, and of the published rule of two, whose thresholds are of the scores of BM25+ on words;
# on other scores only the first is given.
F2_VALUES = {
    ("bm25plus-zalo", "train"): (0.7913, 0.8161),
    ("bm25plus-zalo", "test"): (0.4718, 0.5137),
    ("bm25plus-zalo", "alqac23"): (0.6343, 0.7222),
    ("bm25-zalo", "test"): (0.5209,),
    ("bm25-zalo", "alqac23"): (0.6747,),
    ("bm25-robertson-zalo", "test"): (0.5373,),
    ("bm25-syllables", "test"): (0.4636,),
    ("bm25plus-syllables", "test"): (0.4144, 0.4781),
}


@pytest.fixture(scope="module")
def terms(mirror):
    """Function: the terms of the corpus and of a question set, by a retriever of the catalog; each made once."""
    pytest.importorskip("underthesea", reason="Vietnamese words need envs/requirements-vietnamese.txt")
    stop_list = mirror.parent / "specs" / "zalo-stopwords.txt"
    if not stop_list.is_file():
        pytest.skip("the stop list of the published system is not beside the mirror")
    entries = {
        name: yaml.safe_load((CATALOG / f"{name}.yaml").read_text()) for name in ("retrievers", "analysers")
    }
    made = {}

    def found(retriever, texts, key):
        name = entries["retrievers"][retriever]["analyser"]
        settings = dict(entries["analysers"][name])
        if "stop_words" in settings:
            settings["stop_words"] = {**settings["stop_words"], "file": str(stop_list)}
        if (name, key) not in made:
            made[name, key] = Analyser.from_settings(settings, where=name).terms(texts)
        return made[name, key], entries["retrievers"][retriever]

    return found


@pytest.mark.slow
def searched(retriever, part, mirror, terms):
    """Corpus, questions and run of a retriever of the catalog."""
    questions = mirror_questions(f"zalo-subset-{part}", mirror)
    corpus = mirror_corpus(questions.corpus, mirror)
    documents, entry = terms(retriever, corpus.whole_texts(), "documents")
    asked, _ = terms(retriever, questions.texts, part)
    settings = Bm25Settings(**{key: entry[key] for key in ("variant", "k1", "b", "delta") if key in entry})
    ranked = Bm25(documents, settings).search(asked, 100)
    return corpus, questions, Run(corpus.ids, dict(zip(questions.ids, ranked, strict=True)))


@pytest.mark.parametrize(("retriever", "part"), VALUES)
def test_bm25_gives_the_values_measured_before(retriever, part, mirror, terms):
    corpus, questions, run = searched(retriever, part, mirror, terms)
    found = evaluate(run, questions, corpus, MEASURES).values
    means = [float(found[measure].mean()) for measure in MEASURES]
    assert means == pytest.approx(VALUES[retriever, part], abs=TOLERANCE)


@pytest.mark.parametrize(("retriever", "part"), F2_VALUES)
def test_decisions_give_the_values_measured_before(retriever, part, mirror, terms):
    _, questions, run = searched(retriever, part, mirror, terms)
    entries = yaml.safe_load((CATALOG / "decisions.yaml").read_text())
    means = []
    for name in ("first", "zalo-top-2")[: len(F2_VALUES[retriever, part])]:
        [decision] = grid({key: value for key, value in entries[name].items() if key in PARAMETERS})
        kept = documents_of(run, decided(run, decision))
        means.append(float(set_values(kept, questions.by_question())["F2"].mean()))
    assert means == pytest.approx(F2_VALUES[retriever, part], abs=TOLERANCE)


def test_questions_of_the_whole_challenge_are_read_from_lists_that_python_printed(mirror):
    """Its corpus is public nowhere: here it is the articles that the questions cite, without their texts."""
    (path,) = mirror.glob("github/thiemcun203/*/*/train_qna.csv")
    with path.open(encoding="utf-8", newline="") as file:
        cited = [one for row in csv.DictReader(file) for one in ast.literal_eval(row["relevant_articles"])]
    ids = list(dict.fromkeys(f"{one['law_id']}|{one['article_id']}" for one in cited))
    corpus = Corpus("zalo-2021", "raw", "vi", ids, [""] * len(ids), ["text"] * len(ids))
    train = questions_about(corpus, "zalo-2021-train", mirror)
    assert (len(train), len(train.documents), len(set(train.documents))) == (3196, 3298, 2232)
    private = questions_about(corpus, "zalo-2021-private", mirror)
    assert (len(private), private.documents) == (491, [])
