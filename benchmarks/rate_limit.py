"""What Snakemake's own process costs as a run goes on, with its limit on jobs per second and without:
python benchmarks/rate_limit.py --jobs 100 400

So many jobs of a tenth of a second, two at a time; `sentflow.graph.rate_limit` says why the limit costs anything.
Printed are the seconds on the clock, the CPU seconds of Snakemake's own process, and its threads at the end.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SNAKEFILE = """
import threading, time
from sentflow.graph.rate_limit import drop_idle_rate_limit

rule all:
    input: [f"{n}.txt" for n in range(config["jobs"])]

rule one:
    output: "{n}.txt"
    shell: "sleep 0.1; touch {output}"

onstart:
    if config["drop"]:
        drop_idle_rate_limit(workflow.scheduler)

onsuccess:
    print("MEASURED", time.process_time(), threading.active_count())
"""


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, nargs="+", default=[100, 400])
    args = parser.parse_args()
    print("jobs  limit    clock  own CPU  threads")
    for jobs in args.jobs:
        for drop in (False, True):
            clock, cpu, threads = measure(jobs, drop=drop)
            print(f"{jobs:4d}  {'dropped' if drop else '100/1s':7}  {clock:5.1f}  {cpu:7.1f}  {threads:7d}")


def measure(jobs: int, *, drop: bool) -> tuple[float, float, int]:
    """Seconds on the clock, CPU seconds of Snakemake's process, and its threads at the end of a run."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "Snakefile").write_text(SNAKEFILE, encoding="utf-8")
        start = time.perf_counter()
        words = (
            f"-m snakemake --cores 2 --scheduler greedy --quiet all --config jobs={jobs} drop={drop}".split()
        )
        done = subprocess.run(
            [sys.executable, *words], cwd=folder, stdout=subprocess.PIPE, text=True, check=True
        )
        clock = time.perf_counter() - start
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("MEASURED ")]
    _, cpu, threads = line.split()
    return clock, float(cpu), int(threads)


if __name__ == "__main__":
    main()
