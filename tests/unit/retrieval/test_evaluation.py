"""Runs and what they are worth: measures beside other tools, ties, chance, groups, clusters, and files of others."""

import gzip
import json
import re
import subprocess
import sys
from itertools import chain, groupby, permutations, product

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from judged_questions import questions

from sentflow.audit.question_audit import Judged, audit_questions
from sentflow.errors import ConfigError, DataError
from sentflow.retrieval.evaluation import as_trec_eval, evaluate, mean_over_orders, n_equal_in_trec_eval
from sentflow.retrieval.measures import chance, cutoffs, parsed, per_question, recall_at
from sentflow.retrieval.ranking import Ranked, Run, top
from sentflow.retrieval.trec import (
    field,
    judgement_lines,
    read_judgements,
    read_trec_run,
    run_lines,
    separated,
)
from sentflow.retrieval.tuning import clusters_of
from sentflow.texts.corpora import Corpus

IDS = ["a", "b", "c", "d"]
CORPUS = Corpus("c", "raw", "en", IDS, [""] * 4, ["x", "y", "z", " Y "])
MEASURES = ["nDCG@10", "R@1", "RR@10", "P@2"]


def run_of(**found):
    ranked = {}
    for name, scores in found.items():
        rows = np.array([IDS.index(document) for document in scores])
        ranked[name] = Ranked(rows, np.array([*scores.values()], dtype=float))
    return Run(IDS, ranked)


def corpus_of(ids):
    return Corpus("c", "raw", "en", list(ids), [""] * len(ids), [f"text {name}" for name in ids])


def test_measures_by_hand():
    found = per_question({"q": ["a", "b", "c"]}, {"q": {"b": 1, "c": 1}}, MEASURES)
    gain = 1 / np.log2(3) + 1 / np.log2(4)
    ideal = 1 + 1 / np.log2(3)
    assert {name: float(values[0]) for name, values in found.items()} == pytest.approx(
        {"nDCG@10": gain / ideal, "R@1": 0, "RR@10": 0.5, "P@2": 0.5}
    )


def test_measures_of_the_first_documents_are_those_of_ir_measures_on_all():
    names = [
        *("nDCG@2", "nDCG", "RR@3", "AP@4", "P(judged_only=True)@2", "R@5", "Judged@3"),
        *("SetP", "Success@1"),
    ]
    grades = {"q": {"a": 0, "d": 2, "f": 1, "h": 1}, "r": {"c": 1, "b": 0}}
    ranking = {"q": list("bacdgefh"), "r": list("cab")}
    run = {name: {document: -rank for rank, document in enumerate(own)} for name, own in ranking.items()}
    found = per_question(ranking, grades, names)
    for name in names:
        measure = ir_measures.parse_measure(name)
        expected = {value.query_id: value.value for value in ir_measures.iter_calc([measure], grades, run)}
        assert found[name].tolist() == [expected["q"], expected["r"]], name


def test_names_of_one_measure_and_measures_that_a_program_takes_for_one_do_not_hide_each_other():
    grades = {"q": {"a": 0, "d": 2, "f": 1}, "r": {"a": 1}}
    ranking = {"q": list("bdacgefh"), "r": []}
    names = [
        *("nDCG@3", "NDCG@3", "nDCG(gains={1:5})@3", "P@5", "P(rel=1)@5", "Precision@5", "AP", "MAP"),
        *("SetF", "SetF(beta=4.0)", "SetF(beta=2.0)", "NumRet", "P(judged_only=True)@5", "IPrec@0.0"),
    ]
    found = per_question(ranking, grades, names)
    for name in names:
        assert found[name].tolist() == per_question(ranking, grades, [name])[name].tolist(), name
        assert found[name][0] > 0 == found[name][1], name
    # of a grade from which documents are relevant, the number of documents is the same
    assert per_question(ranking, grades, ["NumRet"], relevant_grade=2)["NumRet"][0] == 8


def test_err_is_that_of_its_definition_whatever_questions_and_documents_are_called():
    found = per_question({"a q": ["c 1", "x", "b"]}, {"a q": {"b": 1, "c 1": 3}}, ["ERR@10"])
    assert found["ERR@10"][0] == pytest.approx(7 / 16 + (1 - 7 / 16) / 16 / 3, abs=1e-5)


EVERY_FORM = """
import json, sys
import ir_measures
from sentflow.errors import ConfigError
from sentflow.retrieval.measures import per_question
forms = ("{}", "{}@5", "{}@0", "{}@-1", "{}@1.5", "{}@True", "{}@'5'", "{}@99999999999999999999", "{}@0.105", "{}@0.1",
         "{}(rel=2)@5", "{}(rel=0)@5", "{}(rel=99999999999)@5", "{}(max_rel=3)@5", "{}(other=1)@5", "{}(5)", "{}@5@6")
said = {}
for name in sorted(ir_measures.measures.registry):
    for form in forms:
        measure = form.format(name)
        try:
            found = per_question({"q": ["b", "a", "x"]}, {"q": {"a": 1, "b": 0}, "r": {"a": 1}}, [measure])[measure]
            said[measure] = [*found.tolist()]
        except ConfigError as error:
            said[measure] = str(error)
json.dump(said, sys.stdout)
"""


def test_every_measure_in_every_form_is_computed_or_refused_and_nothing_ends_the_process():
    done = subprocess.run([sys.executable, "-c", EVERY_FORM], capture_output=True, text=True, check=True)
    said = json.loads(done.stdout)
    assert {*map(type, said.values())} == {list, str}
    assert said["P@5"] == [0.2, 0] and said["IPrec@0.1"] == [0.5, 0]
    for name, wrong in said.items():
        assert isinstance(wrong, list) or f"measures: {name!r} " in wrong


@pytest.mark.parametrize(
    ("measure", "grade", "needs"),
    [
        ("nDCG@0", 1, "cutoff is 0"),
        ("P", 1, "needs cutoff"),
        ("ERR", 1, "ERR@… by gdeval"),
        ("RBP@10", 1, "RBP(rel=…,p=…) by cwl_eval (pip install"),
        ("SDCG@10", 1, "needs max_rel"),
        ("alpha_nDCG@10", 1, "judgements of subtopics"),
        ("NumRel", 2, "NumRel(rel=1) by pytrec_eval"),
        ("P(foo=1)@5", 1, "no foo, only cutoff, rel, judged_only"),
        ("IPrec@0.105", 1, "0 to 1, with two decimals"),
        ("nDCG(gains={1:2.5})@5", 1, "integer"),
        ("SetF(beta=2)", 1, "not of type float"),
    ],
)
def test_what_a_measure_needs_is_said(measure, grade, needs):
    with pytest.raises(ConfigError) as raised:
        parsed(measure, grade, "here")
    assert f"here: {measure!r}" in str(raised.value) and needs in str(raised.value)


def test_a_measure_that_fails_on_some_questions_only_is_named():
    with pytest.raises(DataError, match="Accuracy"):  # without a document that is not relevant
        per_question({"q": ["a"]}, {"q": {"a": 1}}, ["Accuracy"])


def test_questions_without_an_answer_count_as_zero_and_those_without_gold_do_not_count():
    asked = questions({"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"b": 0}})
    found = evaluate(run_of(q1={"a": 2.0}, q3={"b": 1.0}), asked, CORPUS, MEASURES)
    assert found.questions == ["q1", "q2"]
    assert found.values["nDCG@10"].tolist() == [1, 0]
    assert (found.n_left_out, found.n_unanswered) == (1, 1)


def test_the_grade_from_which_a_document_is_relevant():
    asked = questions({"q1": {"a": 1, "b": 2}}, least=2)
    found = evaluate(run_of(q1={"a": 2.0, "b": 1.0}), asked, CORPUS, MEASURES)
    assert found.values["RR@10"][0] == 0.5
    assert found.values["nDCG@10"][0] == pytest.approx((1 + 2 / np.log2(3)) / (2 + 1 / np.log2(3)))


def test_ties_have_bounds_and_copies_of_a_relevant_document_count_apart():
    asked = questions({"q1": {"b": 1}})
    found = evaluate(run_of(q1={"a": 1.0, "b": 1.0, "c": 1.0}), asked, CORPUS, ["RR@10"])
    bounds = [values["RR@10"][0] for values in (found.worst_order, found.values, found.best_order)]
    assert bounds == pytest.approx([1 / 3, 1 / 2, 1])
    found = evaluate(run_of(q1={"d": 2.0, "b": 1.0}), asked, CORPUS, ["RR@10"])
    assert (found.values["RR@10"][0], found.with_duplicates["RR@10"][0]) == (0.5, 1)


CLOSED = [
    *("P@3", "R@3", "RR", "RR@3", "Success@3", "AP", "AP@3", "nDCG", "nDCG@3"),
    *("R(rel=2)@4", "AP(rel=2)@5"),
]
OPEN = ["Rprec", "P(judged_only=True)@2"]


def orders_of(scores):
    """Every order of the documents that falls by scores."""
    found = sorted(scores, key=scores.get, reverse=True)
    groups = [[*same] for _, same in groupby(found, key=scores.get)]
    return [[*chain(*parts)] for parts in product(*map(permutations, groups))]


@pytest.mark.parametrize("least", [1, 2])
def test_the_mean_over_orders_of_equal_scores_is_that_of_all_of_them(least):
    random = np.random.default_rng(1)
    for _ in range(12):
        documents = [f"d{row}" for row in range(7)]
        scores = {"q": dict(zip(documents, random.integers(0, 3, 7).tolist(), strict=True))}
        judged = dict(zip(documents, random.integers(-1, 4, 7).tolist(), strict=True))
        grades = {"q": {one: grade for one, grade in judged.items() if random.random() < 0.8} | {"other": 3}}
        every = orders_of(scores["q"])
        measures = [*CLOSED, *OPEN]
        every_value = [per_question({"q": order}, grades, measures, relevant_grade=least) for order in every]
        first = {"q": every[0]}
        found = mean_over_orders(first, scores, grades, measures, relevant_grade=least)
        for name in measures:
            values = [own[name][0] for own in every_value]
            error = 1e-12 if name in CLOSED else 4.5 * np.std(values) / 10 + 1e-12  # of 100 draws
            assert found[name][0] == pytest.approx(np.mean(values), abs=error), name
        again = mean_over_orders(first, scores, grades, OPEN, relevant_grade=least)
        assert all((again[name] == found[name]).all() for name in OPEN)


def test_a_mean_over_orders_that_is_one_is_exactly_one():
    scores = {"q": dict.fromkeys("abcdefg", 1.0)}
    values = mean_over_orders({"q": [*"abcdefg"]}, scores, {"q": {"c": 1}}, ["R@7", "Success@7"])
    assert [one[0] for one in values.values()] == [1.0, 1.0]


@pytest.mark.parametrize("seed", range(5))
def test_runs_are_ordered_as_by_trec_eval_also_where_single_precision_takes_scores_for_equal(seed):
    random = np.random.default_rng(seed)
    names = random.permutation(["é", "Z", "z", "a10", "a9", *(f"d{row}" for row in range(35))]).tolist()
    judged = {
        f"q{row}": dict.fromkeys(random.choice(names, 6, replace=False).tolist(), 1) for row in range(9)
    }
    scores = random.choice([1e300, 2e300, 1, 1 + 1e-9, 0.1, 0.1 + 1e-12, 1e-50, -1], (9, 40))
    run = Run(names, {name: top(row, 40) for name, row in zip(judged, scores, strict=True)})
    assert n_equal_in_trec_eval(run) == 9
    ours = evaluate(
        run, questions(judged), corpus_of(names), ["AP", "nDCG@5", "P@5"], ties="trec_eval"
    ).values
    given = {
        name: dict(zip(names, row.tolist(), strict=True)) for name, row in zip(judged, scores, strict=True)
    }
    theirs = pytrec_eval.RelevanceEvaluator(judged, {"map", "ndcg_cut.5", "P.5"}).evaluate(given)
    for name, measure in (("map", "AP"), ("ndcg_cut_5", "nDCG@5"), ("P_5", "P@5")):
        assert ours[measure] == pytest.approx([theirs[one][name] for one in judged], abs=1e-12)
    assert as_trec_eval(Run(names, {"q": top(np.ones(40), 40)})).documents("q")[0] == "é"


def test_scores_that_are_equal_or_differ_in_single_precision_are_not_counted():
    assert n_equal_in_trec_eval(run_of(q={"a": 2.0, "b": 2.0, "c": 1.0})) == 0
    assert n_equal_in_trec_eval(run_of(q={"a": 2.0, "b": 2.0 - 1e-12, "c": 1.0}, r={"a": 1.0})) == 1


def test_ties_at_the_cut_are_counted_again_where_a_document_is_left_out():
    ranked = {
        "b": Ranked(np.array([1, 0, 2]), np.array([3.0, 2, 2]), 4),
        "x": Ranked(np.array([0, 1, 2]), np.array([3.0, 2, 1])),
    }
    left = Run(["a", "b", "c"], ranked).without_same_ids(1)
    assert [(left.documents(name), left.ranked[name].tied_at_cut) for name in "bx"] == [
        (["a"], 5),
        (["a"], 0),
    ]


def test_without_judged_negatives_nothing_is_said_of_unjudged_documents():
    run = run_of(q1={"a": 3.0, "c": 2.0, "b": 1.0})
    assert evaluate(run, questions({"q1": {"b": 1}}), CORPUS, ["RR@10"]).condensed == {}
    graded = evaluate(run, questions({"q1": {"b": 1, "c": 0}}), CORPUS, ["RR@10"])
    assert graded.condensed["RR@10"][0] == 0.5
    assert graded.judged_share == pytest.approx(2 / 3)


def test_recall_from_ranks_is_that_of_ir_measures():
    draw, cuts = np.random.default_rng(5), (1, 5, 20, 60)
    ids = [f"d{row}" for row in range(60)]
    judged = {
        f"q{row}": {ids[place]: int(draw.integers(0, 3)) for place in draw.permutation(60)[:9]}
        for row in range(12)
    }
    # nothing was found for the first question
    ranked = {name: Ranked(draw.permutation(60)[:40], np.arange(40.0, 0, -1)) for name in [*judged][1:]}
    for least in (1, 2):
        asked = questions(judged, least=least)
        found = evaluate(Run(ids, ranked), asked, corpus_of(ids), [f"R@{cut}" for cut in cuts])
        recalls = recall_at(found.ranks, found.n_relevant, cuts)
        for column, cut in enumerate(cuts):
            np.testing.assert_allclose(recalls[:, column], found.values[f"R@{cut}"], rtol=1e-12)


def test_cutoffs_rise_from_one_to_the_depth():
    for depth in (1, 2, 10, 1000, 12345):
        cuts = cutoffs(depth)
        assert (cuts[0], cuts[-1]) == (1, depth)
        assert cuts == sorted(set(cuts))
        # a sixteenth of a decade is a factor of 1.155; numbers of documents are whole
        assert all(after <= 1.16 * before + 1 for before, after in zip(cuts, cuts[1:], strict=False))


def test_chance_is_the_mean_over_every_order():
    measures = ["nDCG@3", "nDCG@10", "R@2", "P@2", "P@10", "RR@3", "RR", "AP@3", "AP", "Success@2"]
    graded = {"two": {"a": 2, "b": 1, "c": 0}, "all": dict.fromkeys("abcdef", 3), "one": {"a": 1}}
    for depth, least in ((6, 1), (2, 1), (2, 2)):
        grades = {name: own for name, own in graded.items() if max(own.values()) >= least}
        ranking = {str(number): order[:depth] for number, order in enumerate(permutations("abcdef"))}
        means = [
            per_question(ranking, dict.fromkeys(ranking, own), measures, relevant_grade=least)
            for own in grades.values()
        ]
        expected = {name: np.mean([values[name].mean() for values in means]) for name in measures}
        found = chance(grades, measures, relevant_grade=least, n_documents=6, depth=depth)
        assert found == pytest.approx(expected, abs=1e-9)
    found = chance({"q": {"a": 1}}, ["Bpref", "R@1"], relevant_grade=1, n_documents=4, depth=4)
    assert np.isnan(found["Bpref"])  # without a closed form
    assert found["R@1"] == 0.25


LAWS = {
    "q1": {"law-1+art-2": 1},
    "q2": {"law-1+art-2": 1, "law-1+art-9": 1},
    "q3": {"law-2+art-1": 1},
    "q4": {"law-1+art-9": 1, "law-3+art-1": 0},
    "q5": {"law-3+art-1": 1},
    "ação": {"law-2+art-1": 0},
}


def test_questions_that_share_a_relevant_document_or_a_part_of_its_name_are_joined_through_others():
    first, last = "law-1+art-2", "law-3+art-1"
    found = clusters_of(questions(LAWS), "gold-document")
    assert found == {"q1": first, "q2": first, "q4": first, "q3": "law-2+art-1", "q5": last}
    found = clusters_of(questions(LAWS), "gold-document", r"^([^/+]+)")
    assert found == {"q1": "law-1", "q2": "law-1", "q4": "law-1", "q3": "law-2", "q5": "law-3"}
    message = r"cluster_pattern 'law-\[12\]' matches nothing in 1 identifiers .*'law-3"
    with pytest.raises(DataError, match=message):
        clusters_of(questions(LAWS), "gold-document", "law-[12]")
    graded = questions({"q1": {"a": 3, "b": 1}, "q2": {"b": 3}}, least=2)
    assert clusters_of(graded, "gold-document") == {"q1": "a", "q2": "b"}
    named = questions({"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"b": 1}}, clusters=["Lei 1", "Lei 1", ""])
    assert clusters_of(named, "column") == {"q1": "Lei 1", "q2": "Lei 1"}


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def with_ties():
    """Runs of 40 questions over 30 documents with few distinct scores, some equal in single precision only."""
    generator = np.random.default_rng(3)
    ids = [f"law {row}%" for row in range(30)]
    judged = {
        f"q{row}": dict.fromkeys(generator.choice(ids, 4, replace=False).tolist(), 1) for row in range(40)
    }
    scores = generator.integers(0, 5, (40, 30)) + generator.integers(0, 2, (40, 30)) * 1e-12
    return Run(ids, {name: top(row, 20) for name, row in zip(judged, scores, strict=True)}), questions(judged)


def test_names_with_white_space_are_one_field_and_come_back(tmp_path):
    names = ["law 1", "50%", "#1", "a\u00a0b", "plain+1"]
    assert [field(name) for name in names] == ["law%201", "50%25", "%231", "a%C2%A0b", "plain+1"]
    asked = questions({name: {"law 1": 1} for name in names})
    run = Run(names, {name: Ranked(np.array([1, 0]), np.array([2.0, 1.0])) for name in names})
    path = write(tmp_path / "a.run", run_lines(run, "my tag", {}))
    found = read_trec_run(path, asked, names, 10)
    assert {name: found.documents(name) for name in names} == dict.fromkeys(names, ["50%", "law 1"])


def test_every_tool_sees_the_order_of_a_run_with_equal_scores(with_ties, tmp_path):
    run, asked = with_ties
    theirs = {"nDCG@10": "ndcg_cut_10", "R@10": "recall_10", "RR@10": "recip_rank", "AP@100": "map_cut_100"}
    documents = corpus_of(run.document_ids)
    ours = evaluate(run, asked, documents, [*theirs]).values
    path = write(tmp_path / "a.run", run_lines(run, "t", {}))
    with path.open(encoding="utf-8") as stream:
        ranked = pytrec_eval.parse_run(stream)
    with write(tmp_path / "a.qrels", judgement_lines(asked)).open(encoding="utf-8") as stream:
        judged = pytrec_eval.parse_qrel(stream)
    found = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut", "recall", "recip_rank", "map_cut"}).evaluate(
        ranked
    )
    for measure, name in theirs.items():
        expected = [value[name] for value in found.values()]
        if measure == "RR@10":  # theirs has no cut
            expected = [value if value >= 0.1 else 0 for value in expected]
        assert ours[measure] == pytest.approx(expected, abs=1e-12)
    again = evaluate(read_trec_run(path, asked, run.document_ids, 20), asked, documents, [*theirs]).values
    assert all((ours[measure] == again[measure]).all() for measure in theirs)


def test_only_equal_scores_are_lowered_and_by_as_little_as_can_be():
    scores = np.array([2.0, 1.0, 1.0, 1.0 - 1e-12, 0.5])
    found = separated(scores)
    assert (np.diff(found.astype(np.float32)) < 0).all()
    assert found[[0, 1, 4]].tolist() == scores[[0, 1, 4]].tolist()
    assert np.abs(found - scores).max() < 1.3e-7
    distinct = np.array([3.0, 2.9999])
    assert separated(distinct) is distinct
    assert (np.diff(separated(np.zeros(4)).astype(np.float32)) < 0).all()


def test_all_mistakes_of_a_run_are_told_at_once(tmp_path):
    lines = [
        "q1 Q0 a 1",
        "q1 Q0 a 1 nan t",
        "q9 Q0 a 1 1 t",
        "q1 Q0 z 1 1 t",
        "q1 Q0 b 1 1 t",
        "q1 Q0 b 2 1 t",
    ]
    with pytest.raises(DataError) as raised:
        read_trec_run(write(tmp_path / "run.trec", lines), questions({"q1": {"a": 1}}), IDS, 10)
    for part in ("six fields", "row 2 (nan)", "row 3 (q9)", "row 4 (z)", "row 6 (b for q1)"):
        assert part in str(raised.value)


def test_judgements_are_read_in_trec_and_in_beir_form_and_mistakes_are_told(tmp_path):
    expected = {"q1": {"a": 2, "b": 0}, "q2": {"a": 1}}
    trec = write(tmp_path / "a", ["q1 0 a 2", "q1\t0\tb\t0", "q2 0 a 1"])
    beir = write(tmp_path / "b", ["query-id\tcorpus-id\tscore", "q1\ta\t2", "q1\tb\t0", "q2\ta\t1"])
    assert read_judgements(trec) == read_judgements(beir) == expected
    assert read_judgements(write(tmp_path / "c", judgement_lines(questions(expected)))) == expected
    for lines, said in (
        (["q1 0 a 1 extra"], "4 fields question iteration document grade: row 1"),
        (["q1 0 a high"], r"no whole numbers: row 1 \(high\)"),
        (["q1 0 a 1", "q1 0 a 2"], r"judged twice for a question: row 2 \(a for q1\)"),
        ([], "it is empty"),
    ):
        with pytest.raises(DataError, match=said):
            read_judgements(write(tmp_path / "a.qrels", lines))


def test_files_packed_by_gzip_are_read_and_damaged_ones_and_bombs_named_by_their_paths(tmp_path):
    path = tmp_path / "a.qrels"  # whatever its name is
    whole = gzip.compress(b"q1 0 a 2\n") + gzip.compress(b"q2 0 b 0\n")
    path.write_bytes(whole)
    assert read_judgements(path) == {"q1": {"a": 2}, "q2": {"b": 0}}
    for content in (whole[:-1], whole[:15], whole[:12] + b"?" + whole[13:], whole + b"rest"):
        path.write_bytes(content)
        with pytest.raises(DataError, match=f"^{re.escape(str(path))} is damaged"):
            read_judgements(path)
    path.write_bytes(gzip.compress(b"\n" * 11 * 2**20))
    with pytest.raises(DataError, match=f"gunzip {re.escape(str(path))}"):
        read_judgements(path)


LONG = "how many days does the city have to answer a request for a licence"
TOLD = Corpus("c", "raw", "en", [*"abcde"], [""] * 5, ["wings", "Wings ", "heat", "", "what is heat"])


def asked_of(name, texts, judged, corpus="c"):
    return questions(
        {one: judged.get(one, {}) for one in texts}, texts=[*texts.values()], name=name, corpus=corpus
    )


def test_what_occurs_twice_or_is_missing_is_counted():
    texts = {"q1": "What is lift?", "q2": "what is lift", "q3": "What is heat?", "q4": "drag?", "q5": "?"}
    judged = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}, "q3": {"c": 1}, "q4": {"a": 0}}
    found = audit_questions(Judged(asked_of("q", texts, judged), TOLD), [])
    assert (found["without_judgement"], found["without_relevant"], found["empty_documents"]) == (1, 2, 1)
    assert found["document_copies"] == {"documents": 2, "texts": 1}
    assert found["judged_copies"] == {"texts": 1, "different_grades": 1}
    copies = {"questions": 2, "texts": 1, "different_answers": 0, "examples": [["q1", "q2"]]}
    assert found["question_copies"] == copies
    assert (found["leaked"], found["training"], found["same_document"]) == ({}, {}, 0)
    texts = {"q1": "what is heat", "q2": "What is heat?", "q3": f"{LONG}?", "q4": f"{LONG} please?"}
    found = audit_questions(Judged(asked_of("q", texts, {"q1": {"a": 1}, "q2": {"c": 1}}), TOLD), [])
    assert (found["question_copies"]["different_answers"], found["questions_that_are_documents"]) == (1, 1)
    assert found["similar_questions"] == {"pairs": 1, "threshold": 0.8, "examples": [["q3", "q4"]]}


def test_questions_of_training_sets_leak_as_copies_or_nearly_or_by_their_document():
    texts = {"q1": f"{LONG}?", "q2": "Drag!", "q3": "What is lift?", "q4": "noise", "q5": "!!"}
    test = Judged(asked_of("q", texts, {"q1": {"a": 1}, "q2": {"c": 1}, "q3": {"e": 1}}), TOLD)
    first = asked_of("one", {"t1": f"{LONG} please", "t2": "unrelated"}, {"t2": {"e": 1}})
    second = asked_of("two", {"t1": "drag", "t2": LONG, "t3": "!!"}, {"t1": {"x": 1}}, corpus="other")
    other = Corpus("other", "raw", "en", ["x", "y"], ["", ""], ["HEAT", "sound"])
    training = [Judged(first, TOLD), Judged(second, other)]
    found = audit_questions(test, training)
    # without letters a question is compared as it is
    assert found["leaked"] == {"q1": "copy", "q2": "copy", "q5": "copy"}
    assert found["training"] == {
        "one": {"n_questions": 2, "copies": 0, "similar": 1},
        "two": {"n_questions": 3, "copies": 3, "similar": 0},
    }
    assert found["same_document"] == 2  # q2 by a copy in another corpus, q3 by the document itself
    assert audit_questions(test, training[:1])["leaked"] == {"q1": "near"}
