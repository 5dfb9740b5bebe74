"""Run a job: ``python -m sentflow.jobs NAME --…``."""

from sentflow.jobs.code_check import check_code
from sentflow.jobs.job import digest_in, job_named, words_of
from sentflow.jobs.log import exit_with


def main() -> int:
    """Run the job that the command line of this process names; always 0."""
    name, *words = words_of(None) or [""]
    if digest := digest_in(words):
        check_code(name, digest)
    job_named(name).run(words)
    return 0


if __name__ == "__main__":
    exit_with(main)
