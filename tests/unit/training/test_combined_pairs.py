"""Pairs that are put together of several relations: masked, cleaned, without copies."""

from collections import Counter

import numpy as np
import pytest

from sentflow.audit.ngrams import ngram_sets, similar_pairs
from sentflow.files.parquet import DescribedParts, DescribedWriter, write_described
from sentflow.training.data.clean_pairs import CPF, EMAIL, TELEPHONE, Cleaned, HeldOut, masked
from sentflow.training.data.combine_pairs import (
    Scratch,
    combined,
    near_copies,
    similarity,
    write_rows,
)
from sentflow.training.data.table import TrainingData, read_training_data

BILL = "Institui o Plano Nacional da Identificação Biométrica Neonatal e dá outras providências."
ABOUT = "Obriga os hospitais a colher as impressões dos recém-nascidos antes da alta da mãe e da criança."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CPF 529.982.247-25.", f"CPF {CPF}."),
        ("escreva a fulana.silva@camara.leg.br hoje", f"escreva a {EMAIL} hoje"),
        ("ligue (61) 3216-0000 ou (61) 93216-0000", f"ligue {TELEPHONE} ou {TELEPHONE}"),
        # numbers of proceedings, laws, cases and years are not personal
        ("processo 0703777-48.2017.8.02.0058", "processo 0703777-48.2017.8.02.0058"),
        ("matrícula 52998224726", "matrícula 52998224726"),  # the last check digit is wrong
    ],
)
def test_personal_numbers_are_masked_and_others_are_not(text, expected):
    counts: Counter[str] = Counter()
    assert masked(text, counts) == expected
    assert sum(counts.values()) == expected.count("[")


def held_out(*texts):
    return HeldOut({("task", "T"): TrainingData("T", "texts", {"text": list(texts)})})


def cleaned(pairs, *, language="pt", tests=()):
    found = Cleaned(language, held_out(*tests) if tests else HeldOut({}))
    return [pair for batch in found.pairs([pairs]) for pair in batch], found.facts()


def test_pairs_of_equal_texts_are_left_out():
    kept, facts = cleaned([(BILL, BILL.upper()), (BILL, ABOUT)])
    assert kept == [(BILL, ABOUT)]
    assert (facts["read"], facts["equal"], facts["kept"]) == (2, 1, 1)


def test_pairs_in_another_language_are_left_out_and_capitals_are_not_another_language():
    english = "The government shall publish a report on the identification of children every year."
    kept, facts = cleaned([(BILL, english), (BILL.upper(), ABOUT.upper())])
    assert kept == [(BILL.upper(), ABOUT.upper())]
    assert facts["languages"] == {"en": 1}
    assert cleaned([(BILL, english)], language=None)[0] == [(BILL, english)]


def test_pairs_with_texts_of_tests_are_left_out_and_counted_by_test():
    longer = f"PROJETO DE LEI Nº 10. {ABOUT} Art. 2. Esta lei entra em vigor na data de sua publicação."
    other = "Outra ementa, sobre a saúde bucal nas escolas."
    kept, facts = cleaned([(BILL, ABOUT), (BILL, longer), (BILL, other)], tests=[ABOUT])
    assert kept == [(BILL, other)]
    assert facts["held_out"] == 2
    assert facts["tests"] == [["task", "T", 2]]


def random_texts(n, words, length=30, seed=3):
    draws = np.random.default_rng(seed)
    return [" ".join(f"w{number}" for number in draws.integers(0, words, length)) for _ in range(n)]


def test_similarity_is_jaccards_of_5_grams():
    # " abcdefgh ": 6 5-grams; " abcdefgx " shares " abcd", "abcde", "bcdef", "cdefg" of them: 4 of 8
    assert similarity(["abcdefgh", "same"], ["abcdefgx", "Same!"]).tolist() == [0.5, 1.0]


def test_near_copies_as_the_exact_search_finds_them(tmp_path):
    texts = random_texts(120, 400)
    texts += [text.replace(text.split()[4], "zz", 1) for text in texts[:60]]  # about .93 similar
    with Scratch(tmp_path, [write(tmp_path, "a", [(text, text) for text in texts])]) as scratch:
        near = near_copies(scratch, np.arange(180), threshold=0.8)
    exact = similar_pairs(ngram_sets([texts]), threshold=0.8)
    assert np.flatnonzero(near).tolist() == sorted(set(exact.second.tolist()))
    assert near.sum() == 60


def write(folder, name, pairs):
    path = folder / f"{name}.parquet"
    columns = {"text": [one for one, _ in pairs], "other": [other for _, other in pairs]}
    write_described(path, columns, {"training": name, "form": "pairs", "classes": []})
    return path


def put_together(folder, **relations):
    parts = [write(folder, name, pairs) for name, pairs in relations.items()]
    path = folder / "all.parquet"
    with Scratch(folder, parts) as scratch:
        found = combined(scratch, list(relations), near=0.8)
        writer = DescribedWriter(path, {"training": "all", "form": "pairs", "classes": []})
        write_rows(writer, scratch, found)
        writer.close()
    return path, found.facts()


def test_copies_and_near_copies_of_earlier_relations_are_left_out(tmp_path):
    texts = random_texts(6, 400)
    first = list(zip(texts[:3], texts[3:], strict=True))
    near = (texts[0].replace(texts[0].split()[3], "zz", 1), texts[3])
    path, facts = put_together(tmp_path, a=first, b=[(texts[3].upper(), texts[0]), near, ("uma", "outra")])
    data = read_training_data(path)
    assert list(zip(data.columns["text"], data.columns["other"], strict=True)) == [*first, ("uma", "outra")]
    assert DescribedParts(path).columns("relation").column(0).to_pylist() == ["a", "a", "a", "b"]
    assert facts == [
        {"relation": "a", "copies": 0, "near": 0, "rows": 3},
        {"relation": "b", "copies": 1, "near": 1, "rows": 1},
    ]
