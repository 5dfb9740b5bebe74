"""Jobs of data: raw files, the tables made of them, their collections."""

import logging
import os
from importlib import import_module

from sentflow.config.collections import CorpusSettings, Cut, QuestionSettings
from sentflow.config.datasets import File
from sentflow.config.pairs import PairChecks, PairSettings
from sentflow.config.tasks import TaskSettings
from sentflow.errors import ConfigError, DataError, parts
from sentflow.files.io import write_digest
from sentflow.files.limits import USUAL, Limits, use_limits
from sentflow.jobs.job import In, Out, Resource, Wildcard, job
from sentflow.texts.settings import NOTHING, CollectionChecks, TaskChecks

logger = logging.getLogger(__name__)


@job("requests")
def download(
    *,
    settings: Resource[tuple[File, ...]],
    mirrors: Resource[tuple[str, ...]] = (),
    limits: Resource[Limits] = USUAL,
    output: list[Out],
) -> None:
    """Files of a dataset from a mirror or their address, with the checksums of the catalog."""
    from sentflow.downloads.download import download
    from sentflow.downloads.mirrors import mirrors_in_use
    from sentflow.flow.paths import RAW_FILE, cache_beside

    use_limits(limits)
    used = mirrors_in_use(mirrors, os.environ)
    with parts() as part:
        for file, path in zip(settings, output, strict=True):
            unfinished = cache_beside(path, RAW_FILE) / "downloads" / path.parent.name / f"{path.name}.part"
            with part(path.name):
                try:
                    download(file, path, mirrors=used, part=unfinished)
                except OSError as error:
                    raise DataError(f"{path} could not be written: {error}") from error


@job()
def prepare(
    *,
    raw: list[In],
    settings: dict[str, TaskSettings],
    checks: Resource[dict[str, TaskChecks]],
    limits: Resource[Limits] = USUAL,
    tables: list[Out],
) -> None:
    """The raw files of a dataset into the tables of its tasks."""
    from sentflow.texts.prepare import prepare
    from sentflow.texts.table import write_task

    use_limits(limits)
    with parts() as part:
        for task, table in zip(sorted(settings), tables, strict=True):
            with part(f"tasks.{task}"):
                rows = prepare(task, raw, settings[task], checks[task])
                if folds := checks[task].document_folds:
                    # by name: this changes no byte of the table, so its code is none of the job's
                    check = import_module("sentflow.probing.draws").check_documents
                    if warning := check(rows, **dict(folds)):
                        logger.warning("%s: %s", task, warning)
                write_task(table, rows)
                write_digest(table)


@job()
def prepare_pairs(
    *,
    raw: list[In],
    settings: dict[str, PairSettings],
    checks: Resource[dict[str, PairChecks]],
    limits: Resource[Limits] = USUAL,
    tables: list[Out],
) -> None:
    """The raw files of a dataset into the tables of its pair sets."""
    from sentflow.texts.pairs import write_pairs
    from sentflow.texts.prepare_pairs import prepare_pairs

    use_limits(limits)
    with parts() as part:
        for pairs, table in zip(sorted(settings), tables, strict=True):
            with part(f"pair_sets.{pairs}"):
                write_pairs(table, prepare_pairs(pairs, raw, settings[pairs], checks[pairs]))
                write_digest(table)


@job()
def prepare_corpus(
    *,
    raw: list[In],
    corpus: Wildcard,
    settings: CorpusSettings,
    checks: Resource[CollectionChecks] = NOTHING,
    limits: Resource[Limits] = USUAL,
    table: Out,
) -> None:
    """Raw files into the documents of a corpus."""
    from sentflow.texts.corpora import write_documents
    from sentflow.texts.prepare_collections import prepare_corpus

    use_limits(limits)
    documents = prepare_corpus(corpus, raw, settings, checks)
    write_documents(table, documents, corpus, settings.data_version, settings.language)
    write_digest(table)


@job()
def prepare_questions(
    *,
    raw: list[In],
    corpus: In,
    questions: Wildcard,
    settings: QuestionSettings,
    checks: Resource[CollectionChecks] = NOTHING,
    limits: Resource[Limits] = USUAL,
    table: Out,
    judgements: Out,
) -> None:
    """Raw files into questions and their judgements, which must fit the corpus."""
    from sentflow.texts.corpora import CorpusFile, write_questions
    from sentflow.texts.prepare_collections import prepare_questions

    use_limits(limits)
    found = prepare_questions(questions, raw, settings, CorpusFile(corpus), checks)
    write_questions(table, judgements, found)
    write_digest(table)
    write_digest(judgements)


@job()
def shard_corpus(*, whole: In, corpus: Wildcard, table: Out) -> None:
    """The documents of a corpus → those of one of its shards."""
    from sentflow.texts.corpora import read_shard, write_corpus
    from sentflow.texts.shards import whole_of

    shard = read_shard(whole, corpus)
    if not len(shard):
        raise ConfigError(
            f"corpora.{whole_of(corpus)}.shards: {corpus} has no document, because the corpus has fewer "
            "documents than shards. Write a smaller number."
        )
    write_corpus(table, shard)
    write_digest(table)
    logger.info("%s: %d documents", corpus, len(shard))


@job()
def split_passages(*, corpus: In, passages: Wildcard, settings: Cut, table: Out) -> None:
    """The documents of a corpus into passages."""
    from sentflow.texts.corpora import read_corpus, write_passages
    from sentflow.texts.split_passages import split_corpus

    documents = read_corpus(corpus)
    found = split_corpus(documents, passages, settings)
    write_passages(table, found)
    write_digest(table)
    logger.info("%s: %d passages of %d documents", documents.name, len(found.texts), len(documents))


@job("tokenizers", "transformers")
def split_tokens(
    *, corpus: In, manifest: In, model_files: In | None = None, passages: Wildcard, settings: Cut, table: Out
) -> None:
    """The documents of a corpus into passages of so many tokens of an encoder."""
    from sentflow.texts.corpora import read_corpus, write_passages
    from sentflow.texts.split_passages import split_corpus

    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    from sentflow.encoders.manifest import read_manifest
    from sentflow.encoders.neural.tokenizer import load_tokenizer

    tokenizer = load_tokenizer(read_manifest(manifest), model_files, manifest.parent.name)
    documents = read_corpus(corpus)
    found = split_corpus(documents, passages, settings, tokenizer)
    write_passages(table, found, tokenizer_sha256=tokenizer.sha256)
    write_digest(table)
    logger.info("%s: %d passages of %d documents", documents.name, len(found.texts), len(documents))


@job()
def collect(*, tables: list[In], roles: str = "text", texts: Out) -> None:
    """Tables of tasks and pair sets → their distinct texts, which are embedded together."""
    from sentflow.texts.collection import collect, read_table, write_collection

    collection = collect(map(read_table, tables), roles.split())
    write_collection(texts, collection)
    write_digest(texts)
    logger.info("%d distinct texts of %d tables", len(collection.texts), len(tables))
