"""An encoder reads every distinct text once per role: for all retrievers, question sets, copies, and restarts."""

import copy
import json
import os
from collections import Counter
from pathlib import Path

import pytest
import yaml
from small_collection import CONFIG

import sentflow.encoders.vectors.embedding
from sentflow.commands import collect, embed, fetch_model, prepare_corpus, prepare_questions, split_passages
from sentflow.graph import paths
from sentflow.graph.config.experiment import load_experiment
from sentflow.graph.targets import Targets

REPOSITORY = Path(__file__).parents[2]
MODEL = "bag-of-words"
DENSE = {"kind": "dense", "model": MODEL}
RETRIEVERS = {
    "whole": DENSE,
    "dot": {**DENSE, "similarity": "dot"},
    "parts": {**DENSE, "passages": "pairs"},
}
# The first document is there twice, and those of up to two words are passages of their own
DOCUMENTS = ["wings of heat", "sound", "wings of heat", "sound of wings and of heat", "loud heat"]
QUESTIONS = {"mine": ["heat?", "sound?"], "others": ["wings?", "heat?"]}


@pytest.fixture
def collection(tmp_path, monkeypatch):
    """A folder with the raw files of a collection that has two question sets, and the tables made of them."""
    monkeypatch.setattr(os, "environ", dict(os.environ))  # embed sets variables of its own process
    monkeypatch.chdir(tmp_path)
    write("corpus.jsonl", [{"_id": f"d{row}", "text": text} for row, text in enumerate(DOCUMENTS)])
    about = {"data_version": "raw", "language": "en"}
    source = {"format": "jsonl", "id": "_id", "text": "text"}
    settings = {**about, "documents": [{**source, "files": ["corpus.jsonl"]}]}
    corpus = paths.CORPUS.format(corpus="mine")
    run(prepare_corpus, corpus="mine", raw="corpus.jsonl", settings=settings, checks={}, output=corpus)
    for name, texts in QUESTIONS.items():
        write(f"{name}.jsonl", [{"_id": f"q{row}", "text": text} for row, text in enumerate(texts)])
        write(f"{name}-j.jsonl", [{"q": "q0", "d": "d0"}])
        judged = {"format": "jsonl", "files": [f"{name}-j.jsonl"], "question": "q", "document": "d"}
        settings = {
            **about,
            "corpus": "mine",
            "questions": [{**source, "files": [f"{name}.jsonl"]}],
            "judgements": [judged],
        }
        output, judgements = (one.format(questions=name) for one in (paths.QUESTIONS, paths.JUDGEMENTS))
        run(
            prepare_questions,
            questions=name,
            raw=[f"{name}.jsonl", f"{name}-j.jsonl"],
            corpus=corpus,
            settings=settings,
            checks={},
            output=output,
            judgements=judgements,
        )
    passages = paths.PASSAGES.format(corpus="mine", passages="pairs")
    run(split_passages, corpus=corpus, passages="pairs", settings={"words": 2, "overlap": 1}, output=passages)
    entry = {"kind": MODEL, "dimension": 8}
    run(fetch_model, model=MODEL, settings=entry, output=paths.MANIFEST.format(model=MODEL))


@pytest.fixture
def read(monkeypatch):
    """How often an encoder was given each text in each role."""
    found = Counter()

    def spy(encoder, texts, shards, role, *rest):
        found.update((role, text) for text in texts)
        return encoded(encoder, texts, shards, role, *rest)

    encoded = sentflow.encoders.vectors.embedding._encoded
    monkeypatch.setattr(sentflow.encoders.vectors.embedding, "_encoded", spy)
    return found


def write(name, rows):
    Path(name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def run(command, **named):
    given = []
    for name, value in named.items():
        values = (
            value
            if isinstance(value, list)
            else [json.dumps(value) if isinstance(value, dict) else str(value)]
        )
        given += [f"--{name.replace('_', '-')}", *values]
    assert command.main(given) == 0


def embed_collections(question_sets, retrievers):
    """Collect and embed what retrievers need, as the rules do it."""
    config = copy.deepcopy(yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8")))
    asked = dict.fromkeys(QUESTIONS, CONFIG["question_sets"]["mine"])
    config |= {
        **CONFIG,
        "question_sets": asked,
        "retrievers": RETRIEVERS,
        "passages": {"pairs": {"words": 2, "overlap": 1}},
    }
    config["select"] = {**CONFIG["select"], "question_sets": question_sets, "retrievers": retrievers}
    targets = Targets(load_experiment(config, REPOSITORY / "workflow"))
    for name, needed in targets.collections.items():
        texts = paths.TEXTS.format(collection=name)
        run(collect, tables=list(needed.tables), roles=" ".join(needed.roles), output=texts)
        wildcards = type("Wildcards", (), {"collection": name, "model": MODEL})
        embeddings, info = (
            one.format(model=MODEL, collection=name) for one in (paths.EMBEDDINGS, paths.EMBEDDINGS_INFO)
        )
        run(
            embed,
            manifest=paths.MANIFEST.format(model=MODEL),
            texts=texts,
            collection=name,
            code="c",
            kept_beside=targets.kept_vectors(wildcards),
            embeddings=embeddings,
            info=info,
        )


def test_all_retrievers_and_question_sets_of_a_corpus(collection, read):
    embed_collections([*QUESTIONS], [*RETRIEVERS])
    assert set(read.values()) == {1}
    documents = {text for role, text in read if role == "document"}
    assert {*DOCUMENTS, "wings of", "of heat", "and of"} <= documents
    assert {text for role, text in read if role == "query"} == {"heat?", "sound?", "wings?"}


def test_a_restart_and_a_wider_selection_read_nothing_again(collection, read):
    embed_collections(["mine"], ["whole"])
    first = Counter(read)
    embed_collections(["mine"], ["whole"])
    assert read == first
    embed_collections([*QUESTIONS], [*RETRIEVERS])
    assert set(read.values()) == {1} and len(read) > len(first)
