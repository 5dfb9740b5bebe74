"""Jobs of retrieval: terms, indexes, searches, fusions, decisions, measures, what explains them."""

import logging
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sentflow.files.io import read_json, write_digest, write_json
from sentflow.jobs.environment import prepare_environment
from sentflow.jobs.job import In, Json, Out, Resource, Wildcard, job

if TYPE_CHECKING:
    import numpy as np

    from sentflow.audit.question_audit import Judged
    from sentflow.texts.corpora import Corpus

logger = logging.getLogger(__name__)


@job("pyarrow")
def analyse(*, corpus: In, analyser: Wildcard, settings: Json, table: Out) -> None:
    """The documents of a corpus into terms, once for all retrievers that count them alike."""
    from sentflow.retrieval.analysers import Analyser
    from sentflow.retrieval.terms import write_terms
    from sentflow.texts.corpora import read_corpus

    documents = read_corpus(corpus)
    cutter = Analyser.from_settings(settings, where=f"analysers.{analyser}")
    terms = cutter.terms(documents.whole_texts())
    write_terms(table, terms, corpus=documents.name, analyser=analyser)
    write_digest(table)
    logger.info("%s: %d terms in %d documents", documents.name, sum(map(len, terms)), len(terms))


@job()
def count_terms(*, terms: list[In], table: Out) -> None:
    """The terms of the shards of a corpus → in how many documents of the whole each of them is."""
    from sentflow.retrieval.terms import count_terms, read_terms, write_counts

    counts = count_terms(map(read_terms, terms))
    write_counts(table, counts)
    write_digest(table)
    logger.info("%d different terms in %d documents", len(counts.n_documents_with), counts.n_documents)


@job("numpy")
def audit_questions(
    *,
    corpus: In,
    questions: In,
    judgements: In,
    training_corpora: Sequence[In] = (),
    training_questions: Sequence[In] = (),
    training_judgements: Sequence[In] = (),
    output: Out,
) -> None:
    """Questions, judgements and documents → what occurs twice, and what training has shown."""
    from sentflow.audit.question_audit import audit_questions
    from sentflow.files.sealed import write_sealed
    from sentflow.texts.corpora import read_corpus

    corpora = {one.name: one for one in map(read_corpus, [corpus, *training_corpora])}
    [test] = _judged([questions], [judgements], corpora)
    training = _judged(training_questions, training_judgements, corpora)
    facts = audit_questions(test, training)
    write_sealed(output, facts)
    logger.info(
        "%s: %d questions, %d of them leaked, %d with a document of training",
        facts["questions"],
        facts["n_questions"],
        len(facts["leaked"]),
        facts["same_document"],
    )


def _judged(
    questions: Sequence[Path], judgements: Sequence[Path], corpora: "dict[str, Corpus]"
) -> "list[Judged]":
    from sentflow.audit.question_audit import Judged
    from sentflow.texts.corpora import read_questions

    found = [read_questions(*files) for files in zip(questions, judgements, strict=True)]
    return [Judged(one, corpora[one.corpus]) for one in found]


@job("numpy", "bm25s")
def search_terms(
    *,
    corpus: In,
    questions: In,
    judgements: In,
    terms: In,
    counts: Sequence[In] = (),
    settings: Json,
    run: Out,
) -> None:
    """The terms of a corpus and of questions → the documents that BM25 ranks first."""
    from sentflow.retrieval.analysers import Analyser
    from sentflow.retrieval.bm25 import Bm25, Bm25Settings
    from sentflow.retrieval.search import Search
    from sentflow.retrieval.sparsity import sparsity_of_terms
    from sentflow.retrieval.terms import read_counts, read_terms

    search = Search.read(corpus, questions, judgements, settings, run)
    where = f"retrievers.{search.retriever}"
    analyser = Analyser.from_settings(search.settings.pop("analyser"), where=f"{where}.analyser")
    weighting = Bm25Settings(**search.settings)
    weighting.check(where)
    whole = read_counts(counts[0]) if counts else None
    documents = read_terms(terms)
    index = Bm25(documents, weighting, whole)
    start = time.perf_counter()
    # one question after the other, as they are asked: cutting them into terms is part of answering
    asked = [analyser.terms([text])[0] for text in search.questions.texts]
    cost = {"question_seconds": time.perf_counter() - start}
    cost |= sparsity_of_terms(asked, documents, index.n_bytes)
    search.write(index.search(asked, search.k), cost=cost)


@job("numpy")
def search_vectors(
    *,
    corpus: In,
    questions: In,
    judgements: In,
    passages: Sequence[In] = (),
    documents: list[In],
    documents_info: In,
    asked: list[In],
    asked_info: In,
    settings: Json,
    run: Out,
) -> None:
    """The vectors of documents and of questions → the documents that are nearest."""
    from sentflow.retrieval import dense
    from sentflow.retrieval.search import Search
    from sentflow.retrieval.sparsity import cost_of_vectors
    from sentflow.retrieval.vector_files import document_vectors, question_vectors, readings

    search = Search.read(corpus, questions, judgements, settings, run)
    read = document_vectors([*documents, documents_info], passages, search.corpus)
    sought = question_vectors([*asked, asked_info], search.questions)
    found = dense.search(sought.values, read, search.k, similarity=search.settings["similarity"])
    search.write(found, cost=cost_of_vectors(read.values), reading=readings(read, sought))


@job("numpy", "scipy")
def search_sparse(
    *,
    corpus: In,
    questions: In,
    judgements: In,
    passages: Sequence[In] = (),
    documents: list[In],
    documents_info: In,
    asked: list[In],
    asked_info: In,
    settings: Json,
    run: Out,
) -> None:
    """Terms of documents and of questions → the documents of the greatest products of weights."""
    from sentflow.retrieval.indexes.weights import SearchedWeights
    from sentflow.retrieval.search import Search
    from sentflow.retrieval.second_stage import TermCorpus, reordered
    from sentflow.retrieval.sparse_files import read_terms, read_weights, refuse_other_terms
    from sentflow.retrieval.vector_files import document_vectors, question_vectors, readings

    search = Search.read(corpus, questions, judgements, settings, run)
    refuse_other_terms(documents_info, asked_info)
    second = "candidates" in search.settings
    reader = read_terms if second else read_weights
    held: Any = document_vectors([*documents, documents_info], passages, search.corpus, read=reader)
    sought: Any = question_vectors([*asked, asked_info], search.questions, read=reader)
    weights, of_questions = (one.values.weights if second else one.values for one in (held, sought))
    searched = SearchedWeights.of(weights, held.documents, search.settings.get("impacts"))
    found = searched.exact(of_questions, search.settings.get("candidates", search.k))
    vectors = None
    if second:
        ordered = TermCorpus(held.values, held.documents)
        found, vectors = reordered(found, sought.values, ordered, search.k), ordered.values.vectors
    search.write(found, cost=searched.cost(of_questions, vectors=vectors), reading=readings(held, sought))


@job("numpy")
def search_randomly(*, corpus: In, questions: In, judgements: In, settings: Json, run: Out) -> None:
    """Documents in random order, the control of every comparison."""
    import numpy as np

    from sentflow.retrieval.ranking import top
    from sentflow.retrieval.search import Search
    from sentflow.stats.seeds import derive_seed

    search = Search.read(corpus, questions, judgements, settings, run)
    n = len(search.ids)

    def drawn(question: str) -> "np.ndarray":
        seed = derive_seed(search.settings["seed"], search.questions.name, question)
        return np.random.default_rng(seed).random(n)

    search.write(top(drawn(question), search.k) for question in search.questions.ids)


@job()
def read_run(*, corpus: In, questions: In, judgements: In, trec: In, settings: Json, run: Out) -> None:
    """The run of another engine, in TREC's form, checked and ranked by our rule for ties."""
    from sentflow.retrieval.search import Search
    from sentflow.retrieval.trec import read_trec_run

    search = Search.read(corpus, questions, judgements, settings, run)
    search.write_run(read_trec_run(trec, search.questions, search.ids, search.k))


@job()
def merge_shards(*, runs: list[In], questions: In, run: Out) -> None:
    """What a retriever found in each shard of a corpus → what it found in the whole."""
    from sentflow.files.io import read_json, write_digest, write_json
    from sentflow.retrieval.runs import write_run
    from sentflow.retrieval.shard_runs import merged_shards
    from sentflow.retrieval.sparsity import sparsity_of_shards
    from sentflow.texts.corpora import read_ids

    _, ids = read_ids(questions)
    about, merged = merged_shards(runs, ids)
    write_run(run, merged, about)
    write_digest(run)
    costs = [read_json(path.with_suffix(".made.json")) for path in runs]
    summed = {key: sum(cost[key] for cost in costs) for key in ("seconds", "index_bytes")}
    names = {key: about[key] for key in ("questions", "retriever")}
    write_json(
        run.with_suffix(".made.json"),
        {**names, "n_questions": len(ids), **summed, **sparsity_of_shards(costs)},
    )
    logger.info("%d questions in %d shards", len(merged.ranked), len(runs))


@job("numpy", "sentence-transformers", "torch", "transformers")
def rerank(
    *,
    corpus: In,
    questions: In,
    judgements: In,
    base: In,
    passages: Sequence[In] = (),
    manifest: In,
    settings: Json,
    device: Resource[Json] = None,
    threads: int = 1,
    run: Out,
) -> None:
    """The first documents of a run in a new order, by a cross-encoder."""
    import numpy as np

    from sentflow.encoders.kinds.contract import Surroundings
    from sentflow.encoders.load import load_pair_encoder
    from sentflow.encoders.manifest import read_manifest
    from sentflow.retrieval.ranking import Ranked
    from sentflow.retrieval.reranking import reranked
    from sentflow.retrieval.runs import read_run
    from sentflow.retrieval.search import Search
    from sentflow.texts.corpora import read_passages

    search = Search.read(corpus, questions, judgements, settings, run)
    found = read_run(base, search.corpus.ids)[1].ranked
    nothing = Ranked(np.zeros(0, dtype=np.int64), np.zeros(0))
    texts: list[list[str]] = [[] for _ in search.corpus.ids]
    if passages:
        cut = read_passages(passages[0])
        for row, text in zip(cut.documents.tolist(), cut.texts, strict=True):
            texts[row].append(text)
    else:
        texts = [[text] if text else [] for text in search.corpus.whole_texts()]
    around = Surroundings(
        manifest_folder=manifest.parent,
        threads=threads,
        devices=(device,) if isinstance(device, str) else tuple(device or ()),
    )
    encoder = load_pair_encoder(read_manifest(manifest), search.settings["encoder"], around)
    n_compared = 0

    def compare(first: Sequence[str], second: Sequence[str]) -> "np.ndarray":
        nonlocal n_compared
        n_compared += len(first)
        return encoder.scores(first, second)

    runs = [found.get(name, nothing) for name in search.questions.ids]
    depth = search.settings["rerank_depth"]
    search.write(reranked(runs, search.questions.texts, texts, compare, depth))
    share = 100 * encoder.truncated_pairs / max(1, n_compared)
    logger.info("%d pairs of question and text compared", n_compared)
    if encoder.truncated_pairs:
        logger.warning(
            "%d of %d pairs (%.1f %%) have more tokens than the cross-encoder takes; what they have more is cut off. "
            "Cut documents into passages, or write a larger max_tokens",
            *(encoder.truncated_pairs, n_compared, share),
        )
    split = sum(len(ranked) > depth and ranked.scores[depth] == ranked.scores[depth - 1] for ranked in runs)
    if split:
        logger.warning(
            "%d questions: documents with the score of the last one that was compared were not compared; which were is "
            "decided by the order of the corpus",
            split,
        )


@job("numpy", "faiss-cpu", "pyseismic-lsr")
def build_index(
    *,
    corpus: In,
    passages: Sequence[In] = (),
    documents: list[In],
    documents_info: In,
    settings: Json,
    index: Out,
    made: Out,
) -> None:
    """The vectors of the documents of a corpus, or weights of their terms → an index of them.

    Settings: {"index"}, and "similarity" or "impacts".
    """
    from sentflow.retrieval.approximate import build, check, write_index
    from sentflow.retrieval.indexes.contract import IndexSettings
    from sentflow.retrieval.indexes.files import Indexed
    from sentflow.texts.corpora import read_corpus

    check(IndexSettings.of(settings["index"]))
    indexed = Indexed.of([*documents, documents_info], passages, read_corpus(corpus), settings)
    started = time.process_time()
    built = build(indexed.corpus, indexed.settings)
    seconds = time.process_time() - started
    write_index(index, built)
    write_digest(index)
    n_bytes, n_vectors = index.stat().st_size, len(indexed.read.documents)
    write_json(made, {"cpu_seconds": round(seconds, 3), "n_vectors": n_vectors, "bytes": n_bytes})
    logger.info("%d vectors in %.1f CPU seconds, %d bytes", n_vectors, seconds, n_bytes)


@job("numpy", "faiss-cpu", "pyseismic-lsr", "scipy")
def search_index(
    *,
    corpus: In,
    questions: In,
    judgements: In,
    passages: Sequence[In] = (),
    documents: list[In],
    documents_info: In,
    asked: list[In],
    asked_info: In,
    index: In,
    settings: Json,
    run: Out,
) -> None:
    """An index of vectors or weights, and those of questions → the documents that are nearest, about."""
    from sentflow.retrieval import approximate
    from sentflow.retrieval.indexes.contract import IndexSettings
    from sentflow.retrieval.indexes.files import Indexed
    from sentflow.retrieval.search import Search
    from sentflow.retrieval.vector_files import readings

    search = Search.read(corpus, questions, judgements, settings, run)
    approximate.check(IndexSettings.of(search.settings["index"]))
    indexed = Indexed.of([*documents, documents_info], passages, search.corpus, search.settings)
    sought = indexed.questions([*asked, asked_info], search.questions)
    loaded = approximate.read_index(index, indexed.settings, indexed.corpus)
    found = approximate.search(loaded, sought.values, indexed.corpus, search.k)
    cost = indexed.corpus.cost(sought.values)
    cost.pop("index_bytes", None)  # files are searched, and not arrays
    read = readings(indexed.read, sought)
    search.write(found, index=[index, documents[1]], cost=cost, reading=read)


@job("numpy", "faiss-cpu", "pyseismic-lsr", "ir-measures", "pytrec-eval-terrier", "scipy")
def certify_index(
    *,
    corpus: In,
    questions: In,
    judgements: In,
    passages: Sequence[In] = (),
    documents: list[In],
    documents_info: In,
    asked: list[In],
    asked_info: In,
    index: In,
    made: In,
    settings: Json,
    output: Out,
) -> None:
    """An approximate index beside the exact search of the same vectors."""
    from sentflow.files.sealed import write_sealed
    from sentflow.retrieval import approximate
    from sentflow.retrieval.certificate import certificate
    from sentflow.retrieval.indexes.contract import IndexSettings
    from sentflow.retrieval.indexes.files import Indexed
    from sentflow.retrieval.search import Search

    search = Search.read(corpus, questions, judgements, settings, output)
    approximate.check(IndexSettings.of(search.settings["index"]))
    indexed = Indexed.of([*documents, documents_info], passages, search.corpus, search.settings)
    searched, index_settings = indexed.corpus, indexed.settings
    sought = indexed.questions([*asked, asked_info], search.questions).values
    loaded = approximate.read_index(index, index_settings, searched)
    found = certificate(
        lambda: approximate.search(loaded, sought, searched, search.depth),
        lambda: searched.exact(sought, search.depth),
        search.questions,
        search.ids,
        {**search.settings["certificate"], "depth": search.depth},
    )
    about = {"questions": search.questions.name, "retriever": search.retriever, "corpus": search.corpus_name}
    parameters = {"kind": index_settings.kind, **index_settings.parameters}
    costs = {**read_json(made), "vector_bytes": searched.n_bytes}
    write_sealed(output, {**about, "depth": search.depth, "index": parameters, "made": costs, **found})
    for recall in found["recalls"]:
        logger.info("recall@%d %.4f, 5th percentile %.4f", recall["k"], recall["mean"], recall["p5"])


@job("ir-measures", "pytrec-eval-terrier", "numpy")
def weigh(*, corpus: In, questions: In, judgements: In, runs: list[In], settings: Json, weighed: Out) -> None:
    """The runs of a question set and its judgements → what each weight of their fusion reaches."""
    from sentflow.files.io import write_digest
    from sentflow.retrieval.fusion import FusionSettings
    from sentflow.retrieval.runs import read_run
    from sentflow.retrieval.search import Search
    from sentflow.retrieval.tuned_fusion import weigh, weight_grid, write_weighed

    search = Search.read(corpus, questions, judgements, settings, weighed)
    steps, measure = search.settings.pop("steps"), search.settings.pop("measure")
    candidates = weight_grid(len(runs) - search.settings.get("times", False), steps)
    fusion = FusionSettings(**search.settings, weights=candidates[0])
    fusion.check(f"retrievers.{search.retriever}")
    ranked_runs = [read_run(path, search.ids)[1].ranked for path in runs]
    found = weigh(
        ranked_runs, search.ids, search.questions, fusion,
        retriever=search.retriever, candidates=candidates, measure=measure, depth=search.depth,
    )  # fmt: skip
    write_weighed(weighed, found)
    write_digest(weighed)
    logger.info(
        "%d weights on %d questions of %s", len(candidates), len(found.questions), search.questions.name
    )


@job("numpy", "scipy")
def choose_weights(
    *, weighed: list[In], questions: list[In], judgements: list[In], settings: Json, chosen: Out
) -> None:
    """What weights reach on training questions → those that are used, and by folds their worth.

    Settings: {"folds", "margin", "row_ids", "seed"}.
    """
    import numpy as np

    from sentflow.retrieval.decision_files import write_told
    from sentflow.retrieval.training_questions import training_questions
    from sentflow.retrieval.tuned_fusion import read_weighed, write_chosen
    from sentflow.retrieval.tuning import choose, folds_of
    from sentflow.texts.corpora import read_questions

    reached = [read_weighed(path) for path in weighed]
    training = [
        one
        for files in zip(questions, judgements, strict=True)
        for one in training_questions(read_questions(*files))
    ]
    # documents of other corpora may have the same names
    relevant = [[f"{one.corpus}|{name}" for name in own] for one in reached for own in one.relevant]
    fold_of = folds_of(relevant, settings["folds"], settings["seed"])
    choice = choose(np.concatenate([one.values for one in reached], axis=1), fold_of)
    about = write_chosen(
        chosen, choice, reached, training, row_ids=settings["row_ids"], margin=settings["margin"]
    )
    write_told(chosen, about)
    logger.info(
        "weights %s: %s %.4f on the questions that they were chosen on, %.4f by folds (optimism %.4f)",
        about["weights"], about["measure"], choice.in_sample, choice.nested, choice.optimism,
    )  # fmt: skip


@job("numpy")
def fuse(
    *,
    corpus: In,
    questions: In,
    judgements: In,
    runs: list[In],
    chosen: Sequence[In] = (),
    settings: Json,
    run: Out,
) -> None:
    """Several runs into one."""
    from dataclasses import replace

    import numpy as np

    from sentflow.retrieval.fusion import FusionSettings, fused
    from sentflow.retrieval.ranking import Ranked
    from sentflow.retrieval.runs import read_run
    from sentflow.retrieval.search import Search
    from sentflow.retrieval.training_questions import refuse_shared
    from sentflow.retrieval.tuned_fusion import ChosenWeights, read_chosen

    search = Search.read(corpus, questions, judgements, settings, run)
    where = f"retrievers.{search.retriever}"
    given = tuple(search.settings.pop("weights", [1.0] * len(runs)))
    weights = read_chosen(chosen[0])[1] if chosen else ChosenWeights(given, {}, [])
    fusion = FusionSettings(**search.settings, weights=weights.weights)
    fusion.check(where)
    refuse_shared(search.questions, weights.training, f"{where}.weights")
    ranked_runs = [read_run(path, search.ids)[1].ranked for path in runs]
    nothing = Ranked(np.zeros(0, dtype=np.int64), np.zeros(0))
    search.write(
        fused(
            [one.get(question, nothing) for one in ranked_runs],
            replace(fusion, weights=weights.of(search.questions.name, question)),
            search.depth,
        )
        for question in search.questions.ids
    )


@job("ir-measures", "pytrec-eval-terrier", "numpy", "scipy")
def decide(
    *,
    corpus: In,
    questions: In,
    judgements: In,
    run: In,
    training_corpora: Sequence[In] = (),
    training_questions: Sequence[In] = (),
    training_judgements: Sequence[In] = (),
    training_runs: Sequence[In] = (),
    settings: Json,
    decided: Out,
) -> None:
    """A run → the documents that are given for each question.

    Settings: {"decision", "parameters"} and, where these are tuned, {"folds", "margin", "row_ids", "seed"}.
    """
    from sentflow.retrieval import decisions
    from sentflow.retrieval import training_questions as shown
    from sentflow.retrieval.decision_files import write_decided
    from sentflow.retrieval.runs import read_run
    from sentflow.retrieval.tuned_decision import tune_decision
    from sentflow.texts.corpora import read_corpus, read_questions

    where = f"decisions.{settings['decision']}"
    candidates = decisions.grid(settings["parameters"])
    for candidate in candidates:
        candidate.check(where)
    documents, question_set = read_corpus(corpus), read_questions(questions, judgements)
    said, ranked_run = read_run(run, documents.ids)
    about = {key: said[key] for key in ("questions", "retriever", "corpus", "n_documents", "depth")}
    about["decision"] = settings["decision"]
    if training_runs:
        training = []
        for files in zip(
            training_corpora,
            training_questions,
            training_judgements,
            training_runs,
            strict=True,
        ):
            asked = read_questions(*files[1:3])
            ids_are_rows = asked.name in settings["row_ids"]
            shown.refuse_shared(
                question_set, shown.training_questions(asked, ids_are_rows=ids_are_rows), where
            )
            training.append((asked, read_run(files[3], read_corpus(files[0]).ids)[1]))
        tuned = tune_decision(candidates, training, n_folds=settings["folds"], seed=settings["seed"])
        kept = tuned.decided(ranked_run, question_set.name)
        about |= {"parameters": tuned.best.parameters(), "tuning": tuned.told(settings["margin"])}
        logger.info(
            "%s: F2 %.4f on the training questions, %.4f by folds",
            about["parameters"], tuned.choice.in_sample, tuned.choice.nested,
        )  # fmt: skip
    else:
        kept = decisions.decided(ranked_run, candidates[0])
        about |= {"parameters": candidates[0].parameters()}
    write_decided(decided, kept, documents.ids, about)
    logger.info("%d documents for %d questions", sum(map(len, kept.values())), len(question_set))


@job("ir-measures", "pytrec-eval-terrier", "numpy")
def evaluate(
    *,
    run: In,
    corpus: In,
    questions: In,
    leaks: Sequence[In] = (),
    judgements: In,
    settings: Json,
    scores: Out,
    rows: Out,
) -> None:
    """A run and the judgements of its questions → measures per question, means and intervals.

    Settings: {"measures", "level", "n_resamples", "seed"} and, where questions have clusters, "cluster" and
    "cluster_pattern".
    """
    from sentflow.files.sealed import read_sealed
    from sentflow.retrieval.clusters import clusters_of
    from sentflow.retrieval.evaluation import evaluate
    from sentflow.retrieval.results import write_results
    from sentflow.retrieval.runs import read_run
    from sentflow.stats.resampling import Bootstrap
    from sentflow.stats.seeds import derive_seed
    from sentflow.texts.corpora import read_corpus, read_questions

    documents, question_set = read_corpus(corpus), read_questions(questions, judgements)
    about, ranked_run = read_run(run, documents.ids)
    leaked = next((read_sealed(file)["leaked"] for file in leaks), None)
    found = evaluate(
        ranked_run, question_set, documents, settings["measures"], depth=about["depth"], leaked=leaked
    )
    seed = derive_seed(settings["seed"], question_set.name, "bootstrap")
    bootstrap = Bootstrap(settings["level"], settings["n_resamples"], seed)
    kept = {key: value for key, value in about.items() if key != "tied_at_cut"}
    clusters = None
    if "cluster" in settings:
        clusters = clusters_of(question_set, settings["cluster"], settings.get("cluster_pattern"))
    write_results(scores, rows, found, kept, bootstrap, clusters)
    means = ", ".join(f"{name} {values.mean():.4f}" for name, values in found.values.items())
    logger.info("%s on %s: %s", about["retriever"], question_set.name, means)


@job("ir-measures", "pytrec-eval-terrier", "numpy")
def evaluate_decisions(
    *, decided: list[In], questions: In, judgements: In, settings: Json, scores: Out, rows: Out
) -> None:
    """What is decided for a question set, and judgements → set measures, means, intervals.

    Settings: {"systems", "level", "n_resamples", "seed"}.
    """
    from sentflow.retrieval.decision_files import evaluate_decided, read_decided, write_decision_values
    from sentflow.stats.resampling import Bootstrap
    from sentflow.stats.seeds import derive_seed
    from sentflow.texts.corpora import read_questions

    question_set = read_questions(questions, judgements)
    decisions = [read_decided(path) for path in decided]
    found = [(one, evaluate_decided(one, question_set)) for one in decisions]
    seed = derive_seed(settings["seed"], question_set.name, "bootstrap")
    bootstrap = Bootstrap(settings["level"], settings["n_resamples"], seed)
    write_decision_values(scores, rows, found, len(question_set), bootstrap)
    for _, one in found:
        means = ", ".join(f"{name} {own.mean():.4f}" for name, own in one.values.items())
        logger.info("%s on %s: %s", one.system, question_set.name, means)


@job("numpy", "scipy")
def compare_retrieval(
    *,
    scores: list[In],
    rows: list[In],
    settings: Json,
    differences: Out,
    document_differences: Out,
    group_differences: Out,
    clusters: Out,
    groups: Out,
    seeds: Out,
) -> None:
    """The values of all retrievers on all questions → which differ, and for what that holds.

    Settings: {"order": [question sets, retrievers], "families": name → seed → retriever, "main", "measures",
    "alpha", "level", "margin", "n_resamples", "seed"}.
    """
    from dataclasses import replace

    from sentflow.compare import question_rows as kinds
    from sentflow.compare.question_sets import QuestionSet
    from sentflow.compare.questions import QuestionSettings
    from sentflow.files.rows import write_rows
    from sentflow.files.sealed import read_sealed
    from sentflow.retrieval.results import common_questions, read_values
    from sentflow.retrieval.ties import decided

    sets, retrievers = settings.pop("order")
    main, measures, families = (settings.pop(key) for key in ("main", "measures", "families"))
    values_of = {(one.question_set, one.retriever): one for one in map(read_values, rows)}
    by_ties = decided(map(read_sealed, scores))
    found, of_seeds, tested = [], [], []

    def members(family: str) -> set[str]:
        return set(families.get(family, {}).values()) or {family}

    for name in sets:
        own = [values_of[name, retriever] for retriever in retrievers if (name, retriever) in values_of]
        if not own:
            continue
        questions, values = common_questions(own, main)
        asked = QuestionSet(
            name=name,
            measure=main,
            systems=[one.retriever for one in own],
            questions=questions,
            groups=own[0].groups,
            clusters=own[0].clusters,
            values=values,
            settings=QuestionSettings(**settings),
        )
        found.append(asked)
        kept = [place for place, one in enumerate(own) if (name, main, one.retriever) not in by_ties]
        if len(kept) < len(own):
            logger.warning(
                "%s: the order of equal scores decides on %s of %s, which take part in no test",
                *(name, main, ", ".join(one.retriever for place, one in enumerate(own) if place not in kept)),
            )
        tested.append(replace(asked, systems=[own[place].retriever for place in kept], values=values[kept]))
        for measure in measures:  # no test is adjusted for the others: they cost nothing
            by_measure = replace(asked, measure=measure, values=common_questions(own, measure)[1])
            of_seeds += [
                row
                for row in by_measure.seed_rows(families)
                if not row.other
                or not by_ties & {(name, measure, one) for one in members(row.family) | members(row.other)}
            ]
        logger.info("%s: %d retrievers on %d questions", name, len(own), len(questions))
    write_rows(differences, kinds.QuestionDifference, [row for one in tested for row in one.differences()])
    write_rows(
        document_differences,
        kinds.DocumentDifference,
        [row for one in tested for row in one.document_differences()],
    )
    write_rows(
        group_differences,
        kinds.GroupDifference,
        [row for one in tested for row in one.group_differences()],
    )
    write_rows(clusters, kinds.ClusterRow, [row for one in found for row in one.cluster_rows()])
    write_rows(groups, kinds.GroupRow, [row for one in found for row in one.group_rows()])
    write_rows(seeds, kinds.SeedRow, of_seeds)


@job("numpy", "scipy")
def compare_decisions(*, rows: list[In], settings: Json, output: Out) -> None:
    """The values of retrievers with their decisions on all questions → which differ.

    Settings: {"question_sets", "systems": [[retriever, decision]], "alpha", "level", "margin", "n_resamples",
    "seed"}.
    """
    import numpy as np

    from sentflow.compare.decision_rows import DecisionDifference
    from sentflow.compare.questions import QuestionScores, QuestionSettings, compare_questions
    from sentflow.files.rows import row_from, write_rows
    from sentflow.retrieval.decision_files import read_decision_values, system_of
    from sentflow.retrieval.set_measures import F2

    sets = settings.pop("question_sets")
    systems = [system_of(*one) for one in settings.pop("systems")]
    values_of = {(one.question_set, one.system): one for path in rows for one in read_decision_values(path)}
    found: list[DecisionDifference] = []
    for name in sets:
        own = [values_of[name, one] for one in systems if (name, one) in values_of]
        if len(own) < 2 or len(own[0].questions) < 2:
            continue
        values = np.stack([one.values[F2] for one in own])
        names = [one.system for one in own]
        scores = QuestionScores(name, F2, names, own[0].questions, values, QuestionSettings(**settings))
        here = compare_questions(scores)
        found += [row_from(DecisionDifference, vars(row)) for row in here]
        logger.info("%s: %d pairs of decisions", name, len(here))
    write_rows(output, DecisionDifference, found)


@job()
def hardest_questions(
    *, corpus: In, questions: In, judgements: In, runs: list[In], rows: list[In], settings: Json, output: Out
) -> None:
    """What all retrievers found on one question set → the questions that are worth reading.

    Settings: {"order": retrievers, "serious": those that are no controls, "pair": two of them, or none for those
    with the highest means, "measure", "limit"}.
    """
    from sentflow.files.rows import write_rows
    from sentflow.retrieval.hardest import Searched, best_two, hard_questions
    from sentflow.retrieval.hardest_rows import HardQuestion
    from sentflow.retrieval.results import common_questions, read_values
    from sentflow.retrieval.runs import read_run
    from sentflow.texts.corpora import read_corpus, read_questions

    documents, question_set = read_corpus(corpus), read_questions(questions, judgements)
    measured = {one.retriever: one for one in map(read_values, rows)}
    retrievers = [name for name in settings["order"] if name in measured]
    # where nothing but controls was searched, they are what there is to show
    serious = [name for name in retrievers if name in settings["serious"]] or retrievers
    asked, values = common_questions([measured[name] for name in retrievers], settings["measure"])
    row_of = {name: row for row, name in enumerate(retrievers)}
    pair = settings["pair"] or best_two(serious, values[[row_of[name] for name in serious]])
    ranked_runs = {}
    for path in runs:
        about, run = read_run(path, documents.ids)
        if about["retriever"] in pair:
            ranked_runs[about["retriever"]] = run
    searched = Searched(documents, question_set, settings["measure"], retrievers, asked, values, ranked_runs)
    hard_rows = hard_questions(searched, serious=serious, pair=pair, limit=settings["limit"])
    write_rows(output, HardQuestion, hard_rows)
    logger.info("%s: %d rows, %s", question_set.name, len(hard_rows), " and ".join(pair))


@job("numpy", "bm25s")
def explain_terms(
    *,
    corpus: In,
    questions: In,
    judgements: In,
    run: In,
    hardest: In,
    terms: list[In],
    counts: Sequence[In] = (),
    settings: Json,
    output: Out,
) -> None:
    """The questions worth reading → the terms by which BM25 finds their documents."""
    from sentflow.retrieval.explaining_terms import explain_terms
    from sentflow.retrieval.search import Search
    from sentflow.retrieval.shared_terms import write_shared_terms

    search = Search.read(corpus, questions, judgements, settings, output)
    explain = partial(
        explain_terms,
        questions=search.questions,
        ids=search.ids,
        settings=search.settings,
        terms=terms,
        counts=counts,
        where=f"retrievers.{search.retriever}",
    )
    write_shared_terms(search, explain, run=run, hardest=hardest)


@job("numpy", "scipy", "tokenizers", "transformers")
def explain_sparse(
    *,
    corpus: In,
    questions: In,
    judgements: In,
    run: In,
    hardest: In,
    passages: Sequence[In] = (),
    documents: list[In],
    documents_info: list[In],
    asked: list[In],
    asked_info: In,
    manifest: In,
    settings: Json,
    output: Out,
) -> None:
    """The questions worth reading → the terms by which a sparse search finds their documents."""
    from sentflow.encoders.kinds.neural.term_names import term_names
    from sentflow.encoders.manifest import read_manifest
    from sentflow.files.io import read_json
    from sentflow.retrieval.explaining_weights import explain_weights, files_by_shard
    from sentflow.retrieval.search import Search
    from sentflow.retrieval.shared_terms import write_shared_terms

    search = Search.read(corpus, questions, judgements, settings, output)
    prepare_environment(1)
    explain = partial(
        explain_weights,
        questions=search.questions,
        corpus=corpus,
        settings=search.settings,
        name=term_names(read_manifest(manifest), manifest.parent, read_json(asked_info)["vocabulary_sha256"]),
        documents=files_by_shard(documents, documents_info),
        passages=passages,
        asked=[*asked, asked_info],
    )
    write_shared_terms(search, explain, run=run, hardest=hardest)
