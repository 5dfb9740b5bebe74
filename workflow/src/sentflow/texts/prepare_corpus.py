"""Raw files into the documents of a corpus: read, match, and say all that is wrong at once."""

import logging
from collections.abc import Sequence
from pathlib import Path

from sentflow.texts.checks import named
from sentflow.texts.corpora import Corpus
from sentflow.texts.preparation import refuse
from sentflow.texts.settings import NOTHING, Checks, CorpusSettings
from sentflow.texts.sources import rows_of, sources_of, verified_paths

logger = logging.getLogger(__name__)


def prepare_corpus(
    corpus: str, raw_files: Sequence[Path], settings: CorpusSettings, checks: Checks = NOTHING
) -> Corpus:
    """Read and check the documents of a corpus; a repeated id with the same text is the same document."""
    documents = sources_of(settings.documents, "documents", f"corpora.{corpus}")
    paths = verified_paths(documents, raw_files, checks.files, where=f"corpora.{corpus}")
    found: dict[str, tuple[str, str]] = {}
    nameless, empty, torn = [], [], []
    for row in rows_of(documents, paths):
        title = " ".join(row.one("title").split())
        for text in row.cells["text"]:
            key = text if settings.ids == "distinct" else row.one("id")
            if not key:
                nameless.append(row.where)
                continue
            if not title + text:
                empty.append(row.where)
            if found.setdefault(key, (title, text)) != (title, text):
                torn.append(f"{key} ({row.where})")
    problems = [f"the id is empty in {named(nameless)}"] if nameless else []
    if empty and settings.empty == "refuse":
        problems.append(f"text is empty in {named(empty)}: fill or delete them, or write empty: keep")
    elif empty:
        logger.warning("%s: %d documents have no text: nothing finds them", corpus, len(empty))
    if torn:
        problems.append(f"one id, but another text than before, in {named(torn)}")
    if checks.rows not in (None, len(found)):
        problems.append(f"{len(found)} documents, expected {checks.rows}")
    if not any(title + text for title, text in found.values()) and not problems:
        problems.append("no document has a text" if found else "no document")
    refuse(problems, table=corpus)
    ids = [str(number) for number in range(1, len(found) + 1)] if settings.ids == "distinct" else [*found]
    logger.info("%s: %d documents", corpus, len(ids))
    titles, texts = ([document[side] for document in found.values()] for side in (0, 1))
    return Corpus(corpus, settings.data_version, settings.language, ids, titles, texts)
