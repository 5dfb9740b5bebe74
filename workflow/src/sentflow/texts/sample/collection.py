"""A sample collection: articles of invented laws, and questions whose answers are known by construction."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from sentflow.errors import ConfigError
from sentflow.stats.seeds import derive_seed
from sentflow.texts.sample.grammar import Grammar
from sentflow.texts.sample.vocabulary import vocabulary

ANSWERS, HALF_ANSWERS, OTHER_LAW = 2, 1, 0  # grades
SAME_WORDS, SOME_WORDS, OTHER_WORDS, TWO_ARTICLES = "same words", "some words", "other words", "two articles"
N_ASKED = {SAME_WORDS: 40, SOME_WORDS: 35, OTHER_WORDS: 25, TWO_ARTICLES: 17}
N_ASKED_TWICE = 3
N_COPIES = 10  # articles that are published again
N_COPIED, N_NEARLY_COPIED, N_SAME_ARTICLE, N_OWN = 8, 6, 10, 56  # training questions
LEAST_LENGTH = 60  # characters of a question that stays similar with a few words more

Entry = Mapping[str, Any]
Place = tuple[int, str]
"""Number of a law, and name of a provision."""


@dataclass(frozen=True)
class Asked:
    """A question."""

    # text, group: the group is how it is worded; empty for training questions
    text: str
    group: str
    grades: Mapping[str, int]  # identifier of a document → grade


@dataclass(frozen=True)
class SampleCollection:
    """Documents, the questions of a test, and those that an encoder may be trained on."""

    documents: dict[str, tuple[str, str]]  # identifier → title and text
    # test, training: identifier → question. Of the training questions 8 are test questions but for case and
    # punctuation, 6 nearly so, and 10 others ask in other words for the article of a test question.
    test: dict[str, Asked]
    training: dict[str, Asked]


def generate_collection(*, seed: int) -> SampleCollection:
    """The sample collection of a seed, the same on any machine.

    Returns: 300 articles of 20 laws, 10 of which stand there twice; 120 questions, 3 of which are asked twice; 80
    training questions. Grade 2: the article that answers; 1: that on the neighbouring matter in the same law; 0: that
    on the same matter in two other laws.
    """
    if seed < 0:
        raise ConfigError(f"The seed of sample data is {seed}. Write a number that is not negative.")
    rng = np.random.Generator(np.random.PCG64(derive_seed(seed, "sample collection")))
    return _Writer(Grammar(rng, {})).collection()


class _Writer:
    """Writes the texts of one collection, and remembers which article says what."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        words = vocabulary("municipal_laws")
        self._laws: Sequence[Entry] = words["laws"]
        self._pairs: Sequence[Entry] = words["pairs"]
        self._provisions: Mapping[str, Entry] = {entry["name"]: entry for entry in words["provisions"]}
        self._articles: dict[Place, str] = {}

    def collection(self) -> SampleCollection:
        documents = dict(self._documents())
        for name in self._grammar.sample([*documents], N_COPIES):
            documents[f"{name}-republicado"] = documents[name]
        places = self._grammar.sample([*self._articles], len(self._articles))
        groups = [group for group in (SAME_WORDS, SOME_WORDS, OTHER_WORDS) for _ in range(N_ASKED[group])]
        asked = dict(zip(places, groups, strict=False))
        both = self._grammar.sample([*product(range(len(self._laws)), self._pairs)], N_ASKED[TWO_ARTICLES])
        answers = {*asked, *((law, name) for law, pair in both for name in pair["of"])}
        singles = [
            Asked(self._question(place, group), group, self._grades(place)) for place, group in asked.items()
        ]
        test = [*singles, *(self._about_two(law, pair) for law, pair in both)]
        test = self._grammar.sample(test, len(test))
        twice = test[:N_ASKED_TWICE]
        once = [question for question in singles if question not in twice]
        training = self._training(
            once,
            [place for place, group in asked.items() if group == SAME_WORDS],
            [place for place in places if place not in answers],
        )
        return SampleCollection(documents, _numbered("p", [*test, *twice]), _numbered("t", training))

    def _documents(self) -> Iterator[tuple[str, tuple[str, str]]]:
        for law, entry in enumerate(self._laws):
            names = self._grammar.sample([*self._provisions], len(self._provisions))
            for number, name in enumerate(names, start=1):
                article = self._grammar.pick(self._provisions[name]["article"])
                document = f"lei-{law + 1:02d}-art-{number:02d}"
                self._articles[law, name] = document
                yield (
                    document,
                    (
                        entry["title"],
                        f"Art. {number}{'º' if number < 10 else '.'} {self._sentence(law, article)}",
                    ),
                )

    def _about_two(self, law: int, pair: Entry) -> Asked:
        first, second = ((law, name) for name in pair["of"])
        grades = self._grades(second) | self._grades(first)
        grades |= {self._articles[first]: ANSWERS, self._articles[second]: ANSWERS}
        return Asked(self._sentence(law, pair["asked"]), TWO_ARTICLES, grades)

    def _training(
        self, test: Sequence[Asked], asked: Sequence[Place], others: Sequence[Place]
    ) -> list[Asked]:
        """Questions of the test, others on the same articles, and such of their own, in random order."""
        grammar = self._grammar
        nearly = grammar.sample([one for one in test if len(one.text) >= LEAST_LENGTH], N_NEARLY_COPIED)
        copied = grammar.sample([one for one in test if one not in nearly], N_COPIED)
        taken = {one.text for one in (*nearly, *copied)}
        free = [place for place in asked if self._question(place, SAME_WORDS) not in taken]
        worded = [
            *((place, OTHER_WORDS) for place in grammar.sample(free, N_SAME_ARTICLE)),
            *((place, grammar.pick((SAME_WORDS, OTHER_WORDS))) for place in grammar.sample(others, N_OWN)),
        ]
        found = [
            *(Asked(one.text.lower().rstrip("?."), "", one.grades) for one in copied),
            *(Asked(f"{one.text.rstrip('?.')}, por favor?", "", one.grades) for one in nearly),
            *(Asked(self._question(place, how), "", self._grades(place)) for place, how in worded),
        ]
        return grammar.sample(found, len(found))

    def _question(self, place: Place, group: str) -> str:
        law, name = place
        provision = self._provisions[name]
        if group == SAME_WORDS:
            return self._sentence(law, provision["asked"])
        topic = self._laws[law]["plain" if group == OTHER_WORDS else "object"]
        return self._sentence(law, self._grammar.pick(provision["plain"]), topic=topic)

    def _grades(self, place: Place) -> dict[str, int]:
        law, name = place
        others = ((law + step) % len(self._laws) for step in (1, 2))
        return {
            **{self._articles[other, name]: OTHER_LAW for other in others},
            self._articles[law, self._provisions[name]["related"]]: HALF_ANSWERS,
            self._articles[place]: ANSWERS,
        }

    def _sentence(self, law: int, template: str, **slots: str) -> str:
        entry = self._laws[law]
        return self._grammar.sentence(
            template, **{key: entry[key] for key in ("object", "person", "agency")}, **slots
        )


def _numbered(letter: str, questions: Sequence[Asked]) -> dict[str, Asked]:
    return {f"{letter}{number:03d}": question for number, question in enumerate(questions, start=1)}


def _lines(records: Iterable[Mapping[str, str]]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _corpus(sample: SampleCollection) -> str:
    documents = sample.documents.items()
    return _lines({"_id": name, "title": title, "text": text} for name, (title, text) in documents)


def _questions(asked: Mapping[str, Asked]) -> str:
    return _lines({"_id": name, "text": one.text, "group": one.group} for name, one in asked.items())


def _judgements(asked: Mapping[str, Asked]) -> str:
    rows = [(name, *judged) for name, one in asked.items() for judged in one.grades.items()]
    return "".join("\t".join(map(str, row)) + "\n" for row in (("query-id", "corpus-id", "score"), *rows))


# Name of a file → what writes it, in the form of BEIR
FILES: Mapping[str, Callable[[SampleCollection], str]] = {
    "laws-corpus": _corpus,
    "laws-questions": lambda sample: _questions(sample.test),
    "laws-judgements": lambda sample: _judgements(sample.test),
    "laws-training-questions": lambda sample: _questions(sample.training),
    "laws-training-judgements": lambda sample: _judgements(sample.training),
}


def collection_file(name: str, *, seed: int) -> str:
    """One file of the sample collection, a key of `FILES`, in the form of BEIR."""
    return FILES[name](generate_collection(seed=seed))
