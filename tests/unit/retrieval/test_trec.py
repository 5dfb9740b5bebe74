"""Runs and judgements in TREC's form: names, ties, what other tools make of them."""

import numpy as np
import pytest
import yaml

from sentflow.errors import DataError
from sentflow.retrieval.evaluation import evaluate
from sentflow.retrieval.ranking import Ranked, Run, top
from sentflow.retrieval.trec import (
    field,
    judgement_lines,
    read_judgements,
    read_scores,
    read_trec_run,
    run_lines,
    separated,
)
from sentflow.texts.corpora import Corpus, Questions

MEASURES = ["nDCG@10", "R@10", "RR@10", "AP@100", "P@5"]
TREC_NAMES = {
    "nDCG@10": "ndcg_cut_10",
    "R@10": "recall_10",
    "RR@10": "recip_rank",
    "AP@100": "map_cut_100",
    "P@5": "P_5",
}


def questions(judged, relevant_grade=1):
    rows = [(row, one, grade) for row, name in enumerate(judged) for one, grade in judged[name].items()]
    return Questions(
        "q", "c", "raw", "en", relevant_grade, [*judged], [*judged], [""] * len(judged),
        np.array([row for row, _, _ in rows]), [one for _, one, _ in rows], np.array([grade for *_, grade in rows]),
    )  # fmt: skip


def corpus(ids):
    return Corpus("c", "raw", "en", list(ids), [""] * len(ids), [f"text {name}" for name in ids])


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
    import pytrec_eval

    run, asked = with_ties
    ours = evaluate(run, asked, corpus(run.document_ids), MEASURES)
    with write(tmp_path / "a.run", run_lines(run, "t", {})).open(encoding="utf-8") as stream:
        ranked = pytrec_eval.parse_run(stream)
    with write(tmp_path / "a.qrels", judgement_lines(asked)).open(encoding="utf-8") as stream:
        judged = pytrec_eval.parse_qrel(stream)
    theirs = pytrec_eval.RelevanceEvaluator(
        judged, {"ndcg_cut", "recall", "recip_rank", "map_cut", "P"}
    ).evaluate(ranked)
    for measure, name in TREC_NAMES.items():
        if measure == "RR@10":  # theirs has no cut
            expected = [value[name] if value[name] >= 0.1 else 0 for value in theirs.values()]
        else:
            expected = [value[name] for value in theirs.values()]
        assert ours.values[measure] == pytest.approx(expected, abs=1e-12)


def test_a_run_that_was_written_gives_the_same_values_when_it_is_read(with_ties, tmp_path):
    run, asked = with_ties
    path = write(tmp_path / "a.run", run_lines(run, "t", {"tag": "t"}))
    again = read_trec_run(path, asked, run.document_ids, 20)
    documents = corpus(run.document_ids)
    first, second = (evaluate(one, asked, documents, MEASURES).values for one in (run, again))
    assert all((first[measure] == second[measure]).all() for measure in MEASURES)
    falling = Ranked(np.array([4, 0, 2]), np.array([0.1 + 0.2, 0.3 - 1e-6, 1e-3 / 3]))
    without = Run(run.document_ids, dict.fromkeys(run.ranked, falling))
    back = read_trec_run(write(tmp_path / "b.run", run_lines(without, "t", {})), asked, run.document_ids, 20)
    assert all((back.ranked[name].scores == one.scores).all() for name, one in without.ranked.items())


def test_only_equal_scores_are_lowered_and_by_as_little_as_can_be():
    scores = np.array([2.0, 1.0, 1.0, 1.0 - 1e-12, 0.5])
    found = separated(scores)
    assert (np.diff(found.astype(np.float32)) < 0).all()
    assert found[[0, 1, 4]].tolist() == scores[[0, 1, 4]].tolist()
    assert np.abs(found - scores).max() < 1.3e-7
    distinct = np.array([3.0, 2.9999])
    assert separated(distinct) is distinct
    zeros = separated(np.zeros(4))
    assert (np.diff(zeros.astype(np.float32)) < 0).all()


def test_the_header_is_yaml_in_comments_that_our_reader_skips(tmp_path):
    about = {"tag": "t", "research goal": {"description": "line\nbreak: # and more" * 50}}
    run = Run(["a"], {"q1": Ranked(np.array([0]), np.array([1.0]))})
    lines = [*run_lines(run, "t", about)]
    end = lines.index("# ir_metadata.end")
    assert lines[0] == "# ir_metadata.start"
    assert yaml.safe_load("\n".join(line.lstrip("#") for line in lines[1:end])) == about
    assert lines[end + 1 :] == ["q1 Q0 a 1 1.0 t"]
    path = write(tmp_path / "a.run", lines)
    assert read_scores(path) == {"q1": {"a": 1.0}}


def test_judgements_are_read_in_trec_and_in_beir_form(tmp_path):
    expected = {"q1": {"a": 2, "b": 0}, "q2": {"a": 1}}
    trec = write(tmp_path / "a", ["q1 0 a 2", "q1\t0\tb\t0", "q2 0 a 1"])
    beir = write(tmp_path / "b", ["query-id\tcorpus-id\tscore", "q1\ta\t2", "q1\tb\t0", "q2\ta\t1"])
    assert read_judgements(trec) == read_judgements(beir) == expected
    ours = questions(expected)
    assert read_judgements(write(tmp_path / "c", judgement_lines(ours))) == expected


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["q1 0 a 1 extra"], "lines that do not have the 4 fields question iteration document grade: row 1"),
        (["q1 0 a high"], r"grades that are no whole numbers: row 1 \(high\)"),
        (["q1 0 a 1", "q1 0 a 2"], r"documents that are judged twice for a question: row 2 \(a for q1\)"),
        ([], "it is empty"),
    ],
)
def test_mistakes_of_judgements_are_told(lines, said, tmp_path):
    with pytest.raises(DataError, match=said):
        read_judgements(write(tmp_path / "a.qrels", lines))


def test_files_that_are_missing_or_no_text_are_told(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        read_scores(tmp_path / "none.run")
    (tmp_path / "a.run").write_bytes(b"q1 Q0 caf\xe9 1 1.0 t\n")
    with pytest.raises(DataError, match=r"a.run: byte 9 \(line 1\), 0xe9, cannot be decoded"):
        read_scores(tmp_path / "a.run")
