"""Rule evaluate: a run and the judgements of its questions → measures per question, means and intervals."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--run", type=Path, required=True, help="run")
    parser.add_argument("--corpus", type=Path, required=True, help="documents")
    parser.add_argument("--questions", type=Path, required=True, help="questions")
    parser.add_argument(
        "--leaks", nargs="*", type=Path, default=[], help="the audit, where training sets are named"
    )
    parser.add_argument("--judgements", type=Path, required=True, help="their judgements")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"measures", "level", "n_resamples", "seed"} and, where questions have clusters, "cluster" and '
        '"cluster_pattern"',
    )
    parser.add_argument("--output", type=Path, required=True, help="output, .json")
    parser.add_argument("--rows", type=Path, required=True, help="output, .parquet")


@command(arguments, libraries=["numpy", "ir-measures", "pytrec-eval-terrier"])
def main(args: argparse.Namespace) -> None:
    """Read, measure, write."""
    from sentflow.files.sealed import read_sealed
    from sentflow.retrieval.clusters import clusters_of
    from sentflow.retrieval.evaluation import evaluate
    from sentflow.retrieval.results import write_results
    from sentflow.retrieval.runs import read_run
    from sentflow.stats.resampling import Bootstrap
    from sentflow.stats.seeds import derive_seed
    from sentflow.texts.corpora import read_corpus, read_questions

    settings = json.loads(args.settings)
    corpus, questions = read_corpus(args.corpus), read_questions(args.questions, args.judgements)
    about, run = read_run(args.run, corpus.ids)
    leaked = next((read_sealed(file)["leaked"] for file in args.leaks), None)
    found = evaluate(run, questions, corpus, settings["measures"], depth=about["depth"], leaked=leaked)
    seed = derive_seed(settings["seed"], questions.name, "bootstrap")
    bootstrap = Bootstrap(settings["level"], settings["n_resamples"], seed)
    kept = {key: value for key, value in about.items() if key != "tied_at_cut"}
    clusters = None
    if "cluster" in settings:
        clusters = clusters_of(questions, settings["cluster"], settings.get("cluster_pattern"))
    write_results(args.output, args.rows, found, kept, bootstrap, clusters)
    means = ", ".join(f"{name} {values.mean():.4f}" for name, values in found.values.items())
    logger.info("%s on %s: %s", about["retriever"], questions.name, means)


if __name__ == "__main__":
    exit_with(main)
