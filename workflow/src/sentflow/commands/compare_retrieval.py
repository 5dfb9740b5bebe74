"""Rule compare_retrieval: the values of all retrievers on all questions → which differ, and for what that holds."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)
_OUTPUTS = {
    "differences": "every two retrievers, for new questions on the same documents",
    "document-differences": "for new documents, where questions have clusters",
    "group-differences": "on groups of questions",
    "clusters": "means for new documents",
    "groups": "means on groups of questions",
    "seeds": "retrievers with several seeds",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "--scores", nargs="+", type=Path, required=True, help="means; what ties decide on is not tested"
    )
    parser.add_argument("--rows", nargs="+", type=Path, required=True, help="values per question")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"order": [question sets, retrievers], "families": name → seed → retriever, "main", '
        '"measures", "alpha", "level", "margin", "n_resamples", "seed"}',
    )
    for name, what in _OUTPUTS.items():
        parser.add_argument(f"--{name}", type=Path, required=True, help=f"output, .parquet: {what}")


@command(arguments, libraries=["numpy", "scipy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    from dataclasses import replace

    from sentflow.compare import question_rows as kinds
    from sentflow.compare.question_sets import QuestionSet
    from sentflow.compare.questions import QuestionSettings
    from sentflow.files.rows import write_rows
    from sentflow.files.sealed import read_sealed
    from sentflow.retrieval.results import common_questions, read_values
    from sentflow.retrieval.ties import decided

    settings = json.loads(args.settings)
    sets, retrievers = settings.pop("order")
    main, measures, families = (settings.pop(key) for key in ("main", "measures", "families"))
    rows = {(one.question_set, one.retriever): one for one in map(read_values, args.rows)}
    by_ties = decided(map(read_sealed, args.scores))
    found, of_seeds, tested = [], [], []

    def members(family: str) -> set[str]:
        return set(families.get(family, {}).values()) or {family}

    for name in sets:
        own = [rows[name, retriever] for retriever in retrievers if (name, retriever) in rows]
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
    write_rows(
        args.differences, kinds.QuestionDifference, [row for one in tested for row in one.differences()]
    )
    write_rows(
        args.document_differences,
        kinds.DocumentDifference,
        [row for one in tested for row in one.document_differences()],
    )
    write_rows(
        args.group_differences,
        kinds.GroupDifference,
        [row for one in tested for row in one.group_differences()],
    )
    write_rows(args.clusters, kinds.ClusterRow, [row for one in found for row in one.cluster_rows()])
    write_rows(args.groups, kinds.GroupRow, [row for one in found for row in one.group_rows()])
    write_rows(args.seeds, kinds.SeedRow, of_seeds)


if __name__ == "__main__":
    exit_with(main)
