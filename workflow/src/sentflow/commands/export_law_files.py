"""Rule export_law_files: a corpus of laws and questions → the intermediate files of the published Zalo system."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.exports.law_files import article_list, article_texts, text_lines
from sentflow.files.io import write_text
from sentflow.files.parquet import read_described, readable
from sentflow.jobs.log import command, exit_with
from sentflow.texts.corpora import Questions, questions_of, read_corpus

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--corpus", type=Path, required=True, help="documents of format laws")
    parser.add_argument(
        "--questions", type=Path, nargs="*", default=[], help="whose texts follow those of the articles"
    )
    for name, what in (
        ("text", "corpus.txt: a line per article and question"),
        ("dictionary", "legal_dict.json: article → title and text"),
        ("articles", "doc_refers.json: law, article and text of each, in order"),
    ):
        parser.add_argument(f"--{name}", type=Path, required=True, help=what)


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, write three files."""
    corpus = read_corpus(args.corpus)
    asked = [_questions(path) for path in args.questions]
    write_text(args.text, "".join(f"{line}\n" for line in text_lines(corpus, asked)))
    write_text(args.dictionary, json.dumps(article_texts(corpus), ensure_ascii=False))
    write_text(args.articles, json.dumps(article_list(corpus), ensure_ascii=False))
    logger.info("%d articles, %d questions", len(corpus), sum(map(len, asked)))


def _questions(path: Path) -> Questions:
    with readable(path, "table of questions"):
        return questions_of(*read_described(path))


if __name__ == "__main__":
    exit_with(main)
