"""`sentflow quick` on small files: a verdict, and an experiment that `sentflow run` takes for finished."""

import random
import re
import sys

import pytest
from workflow_copy import ended, environment

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder, draw = tmp_path_factory.mktemp("quick"), random.Random(1)
    words = {"yes": ["great", "clear", "useful"], "no": ["awful", "confusing", "useless"]}
    rows = [(f"Service {n} was {draw.choice(words[label])}.", label) for n in range(200) for label in words]
    (folder / "reviews.csv").write_text(
        "text,liked\n" + "".join(f"{a},{b}\n" for a, b in rows), encoding="utf-8"
    )
    lines = "a;b;gold\n"
    for n in range(80):
        kept = n % 6
        common = [f"word{draw.randrange(500)}" for _ in range(kept)]
        a, b = (
            [*common, *(f"{side}{draw.randrange(500)}" for _ in range(6 - kept))]
            for side in ("left", "right")
        )
        lines += f"{' '.join(a)};{' '.join(b)};{kept}\n"
    (folder / "pairs.csv").write_text(lines, encoding="utf-8")
    laws = folder / "laws"
    (laws / "qrels").mkdir(parents=True)
    text = '{{"_id": "{0}{1}", "title": "", "text": "{2} item{1} concerns."}}\n'
    (laws / "corpus.jsonl").write_text(
        "".join(text.format("d", n, "Law") for n in range(60)), encoding="utf-8"
    )
    (laws / "queries.jsonl").write_text(
        "".join(text.format("q", n, "Which") for n in range(40)), encoding="utf-8"
    )
    judged = "".join(f"q{n}\td{n}\t1\n" for n in range(40))
    (laws / "qrels/test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judged}", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("reviews.csv --text text --label liked --models bag-of-words,random", "Bag"),
        ("pairs.csv --text a --text-b b --score gold --models bag-of-words,random", "Bag"),
        ("laws --models bm25,random-order", "BM25"),
    ],
)
def test_a_verdict_and_nothing_left_to_do(folder, words, first):
    run = [sys.executable, "-P", "-m", "sentflow", "quick", *words.split(), "--cores", "2"]
    done = ended(run, folder, environment())
    assert done.code == 0, done.text
    assert re.search(rf"{first}.* is best: its lead of .* is significant", done.text), done.text
    again = ended(run, folder, environment())
    assert "Nothing to be done" in again.text, again.text
    name = f"{words.split()[0].removesuffix('.csv')}.sentflow"
    assert (folder / name / "results/report/index.html").is_file()
    command = re.search(r"after an edit: sentflow (run .*)", done.text)
    assert command is not None
    resumed = ended(
        [sys.executable, "-P", "-m", "sentflow", *command[1].split()],
        folder,
        environment(),
    )
    assert "Nothing to be done" in resumed.text, resumed.text
