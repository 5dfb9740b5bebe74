"""Pairs that are put together of several relations: masked, cleaned, without copies."""

from collections import Counter

import numpy as np
import pytest

from sentflow.audit.ngrams import ngram_sets
from sentflow.audit.similar import similar_pairs
from sentflow.files.parquet import DescribedParts, DescribedWriter, write_described
from sentflow.training.data.table import TrainingData, read_training_data
from sentflow.training.pairs.clean import Cleaned, HeldOut
from sentflow.training.pairs.combine import combined, write_rows
from sentflow.training.pairs.minhash import keys_of_bands, near_copies, signatures, similarity
from sentflow.training.pairs.personal import CPF, EMAIL, TELEPHONE, has_check_digits, masked
from sentflow.training.pairs.scratch import Scratch

BILL = "Institui o Plano Nacional da Identificação Biométrica Neonatal e dá outras providências."
ABOUT = "Obriga os hospitais a colher as impressões dos recém-nascidos antes da alta da mãe e da criança."


# --- masks ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CPF 529.982.247-25.", f"CPF {CPF}."),
        ("inscrito sob 52998224725", f"inscrito sob {CPF}"),
        ("escreva a fulana.silva@camara.leg.br hoje", f"escreva a {EMAIL} hoje"),
        ("ligue (61) 3216-0000 ou (61) 93216-0000", f"ligue {TELEPHONE} ou {TELEPHONE}"),
        ("ligue +55 61 3216-0000", f"ligue {TELEPHONE}"),
        ("tel: 3216-0000", f"tel: {TELEPHONE}"),
        # numbers of proceedings, laws, cases and years are not personal
        ("processo 0703777-48.2017.8.02.0058", "processo 0703777-48.2017.8.02.0058"),
        ("Decreto-Lei n. 3.365/1941, art. 1.210", "Decreto-Lei n. 3.365/1941, art. 1.210"),
        ("matrícula 52998224726", "matrícula 52998224726"),  # the last check digit is wrong
        ("123456789-01", "123456789-01"),  # nor are these right
        ("de 2019-2020", "de 2019-2020"),
    ],
)
def test_personal_numbers_are_masked_and_others_are_not(text, expected):
    counts: Counter[str] = Counter()
    assert masked(text, counts) == expected
    assert sum(counts.values()) == expected.count("[")


def test_check_digits_of_a_cpf():
    # 529.982.247-25 is the example of the rule: 5·10 + 2·9 + … + 7·2 = 295; 295·10 mod 11 = 2, and so on
    assert has_check_digits("52998224725")
    assert not has_check_digits("11111111111")
    assert not has_check_digits("5299822472")


# --- one relation ---


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


def test_masks_of_pairs_that_stay_are_counted():
    kept, facts = cleaned([(BILL, f"{ABOUT} Contato: a@b.gov.br")])
    assert kept[0][1].endswith(f"Contato: {EMAIL}")
    assert facts["masks"] == {CPF: 0, EMAIL: 1, TELEPHONE: 0}


# --- near copies ---


def random_texts(n, words, length=30, seed=3):
    draws = np.random.default_rng(seed)
    return [" ".join(f"w{number}" for number in draws.integers(0, words, length)) for _ in range(n)]


class InMemory:
    """Rows of one text."""

    def __init__(self, texts):
        self._texts, self._signatures = texts, signatures(texts)

    def keys_of_band(self, band):
        return list(keys_of_bands(self._signatures))[band]

    def signatures_of(self, rows):
        return self._signatures[rows]

    def texts(self, rows):
        return [[self._texts[row] for row in rows]]


def test_similarity_is_jaccards_of_5_grams():
    # " abcdefgh ": 6 5-grams; " abcdefgx " shares " abcd", "abcde", "bcdef", "cdefg" of them: 4 of 8
    assert similarity(["abcdefgh", "same"], ["abcdefgx", "Same!"]).tolist() == [0.5, 1.0]


def test_near_copies_as_the_exact_search_finds_them():
    texts = random_texts(120, 400)
    texts += [text.replace(text.split()[4], "zz", 1) for text in texts[:60]]  # about .93 similar
    near = near_copies(InMemory(texts), np.arange(180), threshold=0.8)
    exact = similar_pairs(ngram_sets([texts]), threshold=0.8)
    assert np.flatnonzero(near).tolist() == sorted(set(exact.second.tolist()))
    assert near.sum() == 60


def test_only_the_rows_asked_for_are_compared():
    texts = [*random_texts(3, 400), random_texts(3, 400)[0]]
    near = near_copies(InMemory(texts), np.array([1, 2, 3]), threshold=0.8)
    assert not near.any()


def test_of_a_chain_of_near_copies_the_first_stays():
    words = random_texts(1, 9000, length=25)[0].split()
    chain = [
        " ".join(words[step : step + 20]) for step in range(4)
    ]  # neighbours are similar, the ends are not
    assert similarity(chain[:1], chain[3:])[0] < 0.8 < similarity(chain[:1], chain[1:2])[0]
    near = near_copies(InMemory(chain), np.arange(4), threshold=0.8)
    assert near.tolist() == [False, True, True, True]


def test_two_questions_about_one_paragraph_are_no_near_copies(tmp_path):
    (paragraph,) = random_texts(1, 400, length=60)
    pairs = [("Quem paga a taxa?", paragraph), ("Quando vence o alvará?", paragraph)]
    _, facts = put_together(tmp_path, a=[*pairs, ("Quem paga a taxa de lixo?", f"{paragraph} w1")])
    assert facts == [{"relation": "a", "copies": 0, "near": 0, "rows": 3}]


# --- all relations ---


def write(folder, name, pairs):
    path = folder / f"{name}.parquet"
    columns = {"text": [one for one, _ in pairs], "other": [other for _, other in pairs]}
    write_described(path, columns, {"training": name, "form": "pairs", "classes": []})
    return path


def put_together(folder, **relations):
    parts = [write(folder, name, pairs) for name, pairs in relations.items()]
    path = folder / "all.parquet"
    with Scratch(folder, "all", parts) as scratch:
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


def test_what_was_stored_on_the_way_is_deleted(tmp_path):
    put_together(tmp_path, a=[("uma", "outra")])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.parquet", "all.parquet"]


def test_the_same_relations_give_the_same_bytes(tmp_path):
    pairs = list(zip(random_texts(40, 90), random_texts(40, 90, seed=4), strict=True))
    contents = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        contents.append(put_together(tmp_path / folder, a=pairs, b=pairs[:9])[0].read_bytes())
    assert contents[0] == contents[1]


def test_rows_on_disk_are_those_of_the_relations_in_any_order(tmp_path):
    pairs = list(zip(random_texts(30, 90), [f"ção {text}" for text in random_texts(30, 90)], strict=True))
    parts = [write(tmp_path, "a", pairs[:20]), write(tmp_path, "b", pairs[20:])]
    signed = signatures([f"{text}\n{other}" for text, other in pairs])
    rows = np.array([29, 3, 21, 3])
    with Scratch(tmp_path, "all", parts) as scratch:
        assert scratch.n_of_part == [20, 10]
        assert list(zip(*scratch.texts(rows), strict=True)) == [pairs[row] for row in rows]
        assert (scratch.signatures_of(rows) == signed[rows]).all()
        for band, keys in enumerate(keys_of_bands(signed)):
            assert (scratch.keys_of_band(band) == keys).all()
    assert not list(tmp_path.glob(".all*"))
