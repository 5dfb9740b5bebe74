"""The sample collection: its sizes, and that its answers, its difficulty and its leaks are as constructed."""

import functools
import json
import re
from collections import Counter

import pytest
from bm25s.stopwords import STOPWORDS_PORTUGUESE

from sentflow.audit.ngrams import ngram_sets, plain
from sentflow.audit.similar import similar_pairs
from sentflow.errors import ConfigError
from sentflow.texts.sample.collection import (
    ANSWERS,
    FILES,
    N_ASKED,
    N_ASKED_TWICE,
    N_COPIED,
    N_NEARLY_COPIED,
    OTHER_WORDS,
    SAME_WORDS,
    TWO_ARTICLES,
    SampleCollection,
    collection_file,
    generate_collection,
)

every_seed = pytest.mark.parametrize("seed", [1, 6])  # those of the default and of the tiny experiment


@functools.cache
def sample(seed: int) -> SampleCollection:
    return generate_collection(seed=seed)


def terms(text: str) -> set[str]:
    return set(re.findall(r"\w\w+", text.lower())) - set(STOPWORDS_PORTUGUESE)


def answers(grades):
    return [document for document, grade in grades.items() if grade == ANSWERS]


def test_same_seed_gives_the_same_bytes_and_another_seed_other_ones():
    for name in FILES:
        first, again, other = (collection_file(name, seed=seed) for seed in (1, 1, 2))
        assert first == again
        assert first != other


@every_seed
def test_sizes(seed):
    found = sample(seed)
    assert (len(found.documents), len(found.test), len(found.training)) == (310, 120, 80)
    groups = Counter(question.group for question in [*found.test.values()][:-N_ASKED_TWICE])
    assert groups == N_ASKED
    assert len(set(found.documents.values())) == 300


@every_seed
def test_every_question_has_its_answers_in_the_corpus(seed):
    found = sample(seed)
    for question in [*found.test.values(), *found.training.values()]:
        assert question.grades.keys() <= found.documents.keys()
        assert len(answers(question.grades)) == (2 if question.group == TWO_ARTICLES else 1)


@every_seed
def test_questions_in_other_words_share_no_term_with_their_article_and_those_in_its_words_many(seed):
    found = sample(seed)
    for question in found.test.values():
        for document in answers(question.grades):
            common = terms(question.text) & terms(" ".join(found.documents[document]))
            if question.group == OTHER_WORDS:
                assert not common, (question, found.documents[document])
            elif question.group == SAME_WORDS:
                assert len(common) >= 2, (question, found.documents[document])


@every_seed
def test_as_many_training_questions_leak_as_are_copied(seed):
    asked = list(dict.fromkeys(plain(question.text) for question in sample(seed).test.values()))
    known = [plain(question.text) for question in sample(seed).training.values()]
    pairs = similar_pairs(ngram_sets([[*asked, *known]]), threshold=0.8, first_below=len(asked))
    crossing = [
        (asked[one], known[other - len(asked)])
        for one, other in zip(pairs.first, pairs.second, strict=True)
        if other >= len(asked)
    ]
    assert sum(one == other for one, other in crossing) == N_COPIED
    assert sum(one != other for one, other in crossing) == N_NEARLY_COPIED


@every_seed
def test_texts_are_clean(seed):
    found = sample(seed)
    texts = [text for both in found.documents.values() for text in both]
    texts += [question.text for question in (*found.test.values(), *found.training.values())]
    for text in texts:
        assert not re.search(r"[{}]|  |\b(de|em|a|por) (os|as|o) ", text), text


def test_files_have_the_form_of_beir():
    documents, questions = (
        [json.loads(line) for line in collection_file(name, seed=1).splitlines()]
        for name in ("laws-corpus", "laws-questions")
    )
    assert set(documents[0]) == {"_id", "title", "text"}
    assert set(questions[0]) == {"_id", "text", "group"}
    header, *rows = (line.split("\t") for line in collection_file("laws-judgements", seed=1).splitlines())
    assert header == ["query-id", "corpus-id", "score"]
    assert {grade for *_, grade in rows} == {"0", "1", "2"}


def test_a_negative_seed_is_refused():
    with pytest.raises(ConfigError, match="not negative"):
        generate_collection(seed=-1)
