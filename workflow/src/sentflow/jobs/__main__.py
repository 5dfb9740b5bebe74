"""Run a job: ``python -m sentflow.jobs NAME --…``."""

import gc

from sentflow.jobs.code_check import check_code
from sentflow.jobs.job import digest_in, job_named, words_of
from sentflow.jobs.log import exit_with


def main() -> int:
    """Run the job that the command line of this process names; always 0."""
    # What imports make is no garbage: to look for some after 700 objects, as usual, is a sixth of the import of torch
    gc.set_threshold(100_000)
    name, *words = words_of(None) or [""]
    if digest := digest_in(words):
        check_code(name, digest)
    job_named(name).run(words)
    return 0


if __name__ == "__main__":
    exit_with(main)
