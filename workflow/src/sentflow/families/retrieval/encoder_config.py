"""What may be wrong with the encoder of a retriever: that it gives what is searched, and reads what it is given."""

from collections.abc import Iterator, Sequence

from sentflow.config.entries import AllEntries, Entries, Entry
from sentflow.config.problems.messages import unknown
from sentflow.config.problems.shared import required_revisions
from sentflow.encoders.checks.entries import custom_problems
from sentflow.encoders.entries import compares_pairs, gives_vectors, has_term_vectors, kind_of, weighs_terms
from sentflow.encoders.kinds.table import KINDS, SPARSE_EMBED, WEIGHING
from sentflow.families.retrieval.parts import DENSE, RERANK, SPARSE, UNITS


def encoder_problems(where: str, entry: Entry, entries: AllEntries, asked: Sequence[str]) -> Iterator[str]:
    """What is wrong with the model of a retriever.

    Parameters
    ----------
    where
        Section and name of the retriever.
    entry
        The retriever; it has a model.
    asked
        The question sets that it searches; of a sparse one alone.
    """
    models, model = entries["models"], entry["model"]
    if model not in models:
        yield unknown(f"{where}.model", "model", model, models)
        return
    if models[model].get("kind") not in KINDS:
        return  # the schema of models tells it
    if unread := custom_problems(model, models[model]):
        yield from unread
        return
    yield from required_revisions([model], models)
    if entry["kind"] == DENSE:
        yield from _dense_problems(f"{where}.model", model, models)
    elif entry["kind"] == SPARSE:
        yield from _sparse_problems(where, entry, entries, asked)
    elif entry["kind"] == RERANK and not compares_pairs(models[model]):
        yield (
            f"{where}.model: {model!r} gives vectors of single texts and compares no two. Write a model of "
            "kind cross-encoder, or kind: dense."
        )


def _dense_problems(where: str, model: str, models: Entries) -> Iterator[str]:
    if compares_pairs(models[model]):
        yield f"{where}: {model!r} compares two texts and gives no vectors. Write kind: rerank."
    elif weighs_terms(models[model]):
        yield f"{where}: {model!r} weighs terms and gives no dense vectors. Write kind: sparse."
    elif not gives_vectors(models[model]):
        yield f"{where}: {model!r} is made of the rows of a task and gives no vectors of texts. Write another model."


def _sparse_problems(where: str, entry: Entry, entries: AllEntries, asked: Sequence[str]) -> Iterator[str]:
    """The same of a sparse retriever, its candidates, and impacts of parts of a corpus."""
    model = entry["model"]
    if not weighs_terms(entries["models"][model]):
        yield (
            f"{where}.model: {model!r} weighs no terms. Write a model of kind {' or '.join(WEIGHING)}; or kind: dense "
            "for vectors, kind: rerank for a cross-encoder."
        )
        return
    if "candidates" in entry and not has_term_vectors(entries["models"][model]):
        yield (
            f"{where}.candidates: they are ordered by vectors of terms, and {model!r} gives weights alone. Leave "
            f"candidates out, or write a model of kind {SPARSE_EMBED}."
        )
    if "candidates" in entry and "index" in entry:
        yield f"{where}.index: candidates are found by the exact search. Leave index out, or candidates."
    if "impacts" not in entry or "index" in entry:  # an index is of a whole corpus
        return
    sets, corpora = entries["question_sets"], entries["corpora"]
    for corpus in dict.fromkeys(sets[name]["corpus"] for name in asked if "corpus" in sets.get(name, {})):
        if corpora.get(corpus, {}).get("shards", 1) > 1:
            yield (
                f"{where}.impacts: weights are rounded by the largest of a whole corpus, but {corpus} is searched in "
                f"shards. Leave impacts out, or corpora.{corpus}.shards."
            )


def passage_problems(where: str, retriever: Entry, entries: AllEntries) -> Iterator[str]:
    """What is wrong with the way in which the documents of a retriever are cut."""
    name, known = retriever["passages"], entries["passages"]
    if name not in known:
        yield unknown(f"{where}.passages", "way to cut passages", name, known)
        return
    if name in UNITS:
        yield f"passages.{name}: this is the name of whole {name}. Write another one."
    model = entries["models"].get(retriever["model"], {})
    kind = model.get("kind", "")
    if "tokens" in known[name] and model.get("segment"):
        yield (
            f"{where}.passages: {name!r} counts tokens of texts as they are, but {retriever['model']} reads them with "
            "words marked (segment). Write passages of words."
        )
    if "tokens" in known[name] and kind in KINDS and not kind_of(model).has_tokenizer:
        yield (
            f"{where}.passages: {name!r} counts tokens, but an encoder of kind {kind} ({retriever['model']}) has no "
            "tokenizer to count them by. Write passages of words."
        )
