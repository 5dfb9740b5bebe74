"""Snakemake's limit on how many jobs are started per second, where it limits nothing."""

from typing import Any

# Snakemake starts a process for every job, which takes longer than a hundredth of a second.
_JOBS_PER_SECOND_OUT_OF_REACH = 100


def drop_idle_rate_limit(scheduler: Any) -> None:
    """Take the limit from a Snakemake scheduler, unless somebody asked for one that can hold jobs back.

    With a limit, every pass over the waiting jobs sets a timer for another pass, which sets the next, until no job
    waits (`JobScheduler.schedule`, snakemake/snakemake@v9.27.1): after n jobs, n threads go round. The limit that
    Snakemake has by default, 100 jobs per second, is never reached, but its timers are set all the same.

    Parameters
    ----------
    scheduler
        ``workflow.scheduler`` of a Snakefile, which exists from `onstart` on.
    """
    limit = scheduler.job_rate_limiter
    if limit is not None and limit.max_jobs >= _JOBS_PER_SECOND_OUT_OF_REACH * limit.timespan:
        scheduler.job_rate_limiter = None
