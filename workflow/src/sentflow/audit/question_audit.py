"""What a reader should know about questions and their judgements: what occurs twice, and what training has shown."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import is_normalized

from sentflow.audit.ngrams import NEAR, SimilarPairs, ngram_sets, similar_pairs
from sentflow.texts.corpora import Corpus, CorpusFile, Questions, digest_of, folded, whole_text
from sentflow.texts.plain import plain

COPY, NEARLY = "copy", "near"
_EXAMPLES = 20


@dataclass(frozen=True)
class Judged:
    """Questions with the corpus that they are asked of."""

    questions: Questions
    corpus: Corpus | CorpusFile


def audit_questions(test: Judged, training: Sequence[Judged]) -> dict[str, Any]:
    """Repeated questions and documents, and questions that occur in training sets."""
    questions, corpus = test.questions, test.corpus
    asked, found = _folded(questions.texts), set[str]()
    n_empty = n_not_nfc = 0
    copies: Counter[bytes] = Counter()  # by digests, because all texts need too much memory
    for _, title, text in corpus.documents():
        whole = whole_text(title, text)
        same = folded(whole)
        n_empty += not whole
        n_not_nfc += not is_normalized("NFC", whole)
        if same in asked:
            found.add(same)
        if whole:
            copies[digest_of(same)] += 1
    several = [n for n in copies.values() if n > 1]
    # pairs of questions, at least one of them of the test; rows of training follow those of the test
    texts = [text for one in (test, *training) for text in one.questions.texts]
    pairs = similar_pairs(ngram_sets([texts]), threshold=NEAR, first_below=len(questions))
    among = _among(pairs, questions.texts)
    leaked, of_training = _leaks(test, training, pairs)
    answered = _relevant(questions)
    shown = {text for one in training for texts in _relevant_texts(one).values() for text in texts}
    return {
        "questions": questions.name,
        "corpus": corpus.name,
        "n_questions": len(questions),
        "n_documents": len(corpus),
        "n_judgements": len(questions.documents),
        "without_judgement": sum(not judged for judged in questions.by_question().values()),
        "without_relevant": sum(not found for found in answered.values()),
        "empty_documents": n_empty,
        "not_nfc": {
            "questions": sum(not is_normalized("NFC", text) for text in questions.texts),
            "documents": n_not_nfc,
        },
        "document_copies": {"documents": sum(several), "texts": len(several)},
        "judged_copies": _judged_copies(test, copies),
        "question_copies": _question_copies(questions, answered),
        "similar_questions": {
            "pairs": len(among),
            "threshold": NEAR,
            "examples": [[questions.ids[one], questions.ids[other]] for one, other in among[:_EXAMPLES]],
        },
        "questions_that_are_documents": len(found),
        "training": of_training,
        "leaked": leaked,
        "same_document": sum(not shown.isdisjoint(texts) for texts in _relevant_texts(test).values()),
    }


def _relevant(questions: Questions) -> dict[str, set[str]]:
    return {
        name: {document for document, grade in judged.items() if grade >= questions.relevant_grade}
        for name, judged in questions.by_question().items()
    }


def _folded(texts: Sequence[str]) -> set[str]:
    return set(map(folded, texts))


def _among(pairs: SimilarPairs, tested: Sequence[str]) -> list[tuple[int, int]]:
    """Similar questions of the test, copies left out."""
    rows = zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
    return [
        (one, other)
        for one, other in rows
        if other < len(tested) and plain(tested[one]) != plain(tested[other])
    ]


def _judged_copies(test: Judged, copies: Mapping[bytes, int]) -> dict[str, int]:
    """Texts that a question has judged under several identifiers, and those of them with different grades."""
    several = conflicting = 0
    text_of = _judged_texts(test)
    for judged in test.questions.by_question().values():
        grades: dict[str, list[int]] = defaultdict(list)
        for document, grade in judged.items():
            if copies.get(digest_of(text_of[document]), 0) > 1:
                grades[text_of[document]].append(grade)
        several += sum(len(own) > 1 for own in grades.values())
        conflicting += sum(len(set(own)) > 1 for own in grades.values())
    return {"texts": several, "different_grades": conflicting}


def _question_copies(questions: Questions, answered: Mapping[str, set[str]]) -> dict[str, Any]:
    same: dict[str, list[str]] = defaultdict(list)
    for name, text in zip(questions.ids, questions.texts, strict=True):
        same[plain(text)].append(name)
    groups = [names for names in same.values() if len(names) > 1]
    conflicting = [names for names in groups if any(answered[name] != answered[names[0]] for name in names)]
    return {
        "questions": sum(map(len, groups)),
        "texts": len(groups),
        "different_answers": len(conflicting),
        "examples": groups[:_EXAMPLES],
    }


def _leaks(
    test: Judged, training: Sequence[Judged], pairs: SimilarPairs
) -> tuple[dict[str, str], dict[str, dict[str, int]]]:
    """Question → how it leaked; and training set → numbers of questions, of copies and of similar ones in the test."""
    names, n_asked = test.questions.ids, len(test.questions)
    tested = [plain(text) for text in test.questions.texts]
    leaked: dict[str, str] = {}
    of_training: dict[str, dict[str, int]] = {}
    start = n_asked
    for one in training:
        end = start + len(one.questions)
        known = {plain(text) for text in one.questions.texts}
        near = set(pairs.first[(pairs.second >= start) & (pairs.second < end)].tolist())
        copied = [row for row, text in enumerate(tested) if text in known]
        similar = sorted(near.difference(copied))
        leaked |= {names[row]: NEARLY for row in similar if names[row] not in leaked}
        leaked |= {names[row]: COPY for row in copied}
        of_training[one.questions.name] = {
            "n_questions": len(one.questions),
            "copies": len(copied),
            "similar": len(similar),
        }
        start = end
    return {name: leaked[name] for name in names if name in leaked}, of_training


def _judged_texts(judged: Judged) -> dict[str, str]:
    """Judged document → its text, see `folded`."""
    wanted = set(judged.questions.documents)
    documents = judged.corpus.documents()
    return {name: folded(whole_text(title, text)) for name, title, text in documents if name in wanted}


def _relevant_texts(judged: Judged) -> dict[str, set[str]]:
    text_of = _judged_texts(judged)
    return {
        name: {text_of[document] for document in documents}
        for name, documents in _relevant(judged.questions).items()
    }
