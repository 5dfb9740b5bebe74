"""Rule export_trec: the runs on a question set and its judgements, in TREC's form."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.errors import DataError
from sentflow.exports.trec import annotated_run, judgement_file
from sentflow.files.io import read_json, write_text
from sentflow.jobs.log import command, exit_with
from sentflow.report.costs.summary import read_records
from sentflow.retrieval.runs import read_run
from sentflow.texts.corpora import read_corpus, read_questions

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--corpus", type=Path, required=True, help="documents")
    parser.add_argument("--questions", type=Path, required=True, help="questions")
    parser.add_argument("--judgements", type=Path, required=True, help="their judgements")
    parser.add_argument(
        "--runs", type=Path, nargs="+", required=True, help="runs, in the order of the settings"
    )
    parser.add_argument("--versions", type=Path, required=True, help="versions of the record")
    parser.add_argument(
        "--benchmarks", required=True, help="JSON: retriever → record of the job that searched"
    )
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"order": retrievers, "goal", "evaluation", "collection", "retrievers"}',
    )
    parser.add_argument("--output", type=Path, nargs="+", required=True, help="a file per run")
    parser.add_argument("--qrels", type=Path, required=True, help="output, the judgements")


@command(arguments, libraries=["numpy", "pyarrow", "PyYAML"])
def main(args: argparse.Namespace) -> None:
    """Read, write."""
    settings, benchmarks = json.loads(args.settings), json.loads(args.benchmarks)
    corpus, questions = read_corpus(args.corpus), read_questions(args.questions, args.judgements)
    versions = read_json(args.versions)
    for retriever, source, output in zip(settings["order"], args.runs, args.output, strict=True):
        about, run = read_run(source, corpus.ids)
        if (about["questions"], about["retriever"]) != (questions.name, retriever):
            raise DataError(
                f"{source} is the run of {about['retriever']} on {about['questions']}, not of {retriever} on "
                f"{questions.name}. Delete it and run snakemake again."
            )
        record = Path(benchmarks[retriever])
        records = read_records(record) if record.is_file() else []
        took = records[-1] if records else None
        write_text(output, annotated_run(run, retriever, settings, versions, took))
    write_text(args.qrels, judgement_file(questions))
    logger.info("%d runs of %s", len(args.runs), questions.name)


if __name__ == "__main__":
    exit_with(main)
