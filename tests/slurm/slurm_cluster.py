"""A real SLURM on this machine, for as long as a test needs it: one controller and three pretended nodes.

Everything is in one folder and on the loopback interface: no service, no munge, no accounting, no cgroups, nothing
in /etc. Memory limits hold by the accounting gatherer, which looks once a second at what a job's processes hold.
"""

import getpass
import os
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "scontrol", "sinfo", "setpriv")
NODES = {"cpu": ("cpu1", "cpu2"), "gpu": ("gpu1",)}
CPUS_OF_NODE = 4
MEMORY_OF_NODE = 16_000  # MB; pretended, as the CPUs are: the tests run small things
START_WITHIN_SECONDS = 600  # on a busy machine
STOP_WITHIN_SECONDS = 10

_CONF = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
SlurmctldPort={port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
MailProg=/bin/true
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
# Without cgroups: a job that holds more than it asked for is killed at the next look.
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1,sched_min_interval=0
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
# Tests look at jobs that ended long ago, on a busy machine.
MinJobAge=3600
GresTypes=gpu
"""


def missing() -> str | None:
    """Why no cluster can be started here; None if one can."""
    absent = [name for name in PROGRAMS if shutil.which(name) is None]
    return f"not installed: {', '.join(absent)} (apt-get install slurm-wlm munge)" if absent else None


def free_ports(n: int) -> list[int]:
    """Ports of the loopback interface that nobody listens on now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


@dataclass
class SlurmCluster:
    """Partitions ``cpu`` (default; two nodes) and ``gpu`` (one node with one GPU in name only)."""

    folder: Path
    daemons: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def conf(self) -> Path:
        return self.folder / "slurm.conf"

    def environment(self) -> dict[str, str]:
        """Variables for programs that use the cluster."""
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
        outside = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
        return {**outside, "SLURM_CONF": str(self.conf), "PATH": path}

    def __call__(self, *words: str) -> str:
        """What a program of SLURM prints: ``cluster("squeue", "--noheader")``."""
        done = subprocess.run(
            words, env=self.environment(), capture_output=True, text=True, check=False, timeout=600
        )
        assert done.returncode == 0, f"{' '.join(words)}: {done.stdout}{done.stderr}"
        return done.stdout

    def jobs(self) -> list[dict[str, str]]:
        """Every job of the last minutes, as ``scontrol`` shows it: ``JobState``, ``Comment``, ``TimeLimit`` …"""
        shown = self("scontrol", "--oneliner", "show", "job").splitlines()
        return [
            dict(word.split("=", 1) for word in line.split() if "=" in word)
            for line in shown
            if line.startswith("JobId=")
        ]

    def jobs_of(self, rule: str, *states: str) -> list[dict[str, str]]:
        """Jobs of a rule, in the order of submission; of some states only, if any are named."""
        comments = (f"rule_{rule}", f"rule_{rule}_wildcards_")
        return [
            job
            for job in sorted(self.jobs(), key=lambda job: int(job["JobId"]))
            if (job.get("Comment", "") == comments[0] or job.get("Comment", "").startswith(comments[1]))
            and (not states or job["JobState"] in states)
        ]

    def start(self) -> None:
        """Start controller and nodes, and wait until all are idle."""
        nodes = [name for names in NODES.values() for name in names]
        port, *node_ports = free_ports(1 + len(nodes))
        host = socket.gethostname().partition(".")[0]
        lines = [_CONF.format(host=host, user=getpass.getuser(), port=port, folder=self.folder)]
        for partition, names in NODES.items():
            gres = " Gres=gpu:1" if partition == "gpu" else ""
            default = "YES" if partition == "cpu" else "NO"
            for name in names:
                lines.append(
                    f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={node_ports.pop()}"
                    f" CPUs={CPUS_OF_NODE} RealMemory={MEMORY_OF_NODE}{gres} State=UNKNOWN\n"
                )
            lines.append(
                f"PartitionName={partition} Nodes={','.join(names)} Default={default} MaxTime=7-0 State=UP\n"
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        self.conf.write_text("".join(lines), encoding="utf-8")
        # A file that is always there stands for the card; no test computes on it.
        (self.folder / "gres.conf").write_text("NodeName=gpu1 Name=gpu File=/dev/null\n", encoding="utf-8")
        (self.folder / "state").mkdir(exist_ok=True)
        # The job step of Snakemake's plugin takes SLURM_CONF away from srun.
        self.put_before("srun", f'SLURM_CONF="{self.conf}"; export SLURM_CONF')
        self.start_controller()
        for name in nodes:
            (self.folder / f"spool-{name}").mkdir(exist_ok=True)
            self._launch("slurmd", "-D", "-f", str(self.conf), "-N", name)
        self._wait_for_nodes(len(nodes))

    def put_before(self, name: str, script: str) -> None:
        """Run lines of the shell before a program of SLURM, wherever users or Snakemake call it."""
        program = self.folder / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\n{script}\nexec "{shutil.which(name)}" "$@"\n', "utf-8")
        program.chmod(0o755)

    def start_controller(self) -> None:
        """Start the controller, which goes on from the state of an earlier one."""
        self._launch("slurmctld", "-D", "-f", str(self.conf))
        self.daemons.insert(0, self.daemons.pop())

    def stop_controller(self) -> None:
        """End the controller; nodes and jobs go on."""
        controller = self.daemons.pop(0)
        controller.terminate()
        controller.wait(STOP_WITHIN_SECONDS)

    def _launch(self, *words: str) -> None:
        with (self.folder / "daemons.log").open("ab") as log:
            self.daemons.append(
                # They end with us, also if we are killed.
                subprocess.Popen(
                    ["setpriv", "--pdeathsig", "TERM", *words],
                    env=self.environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )

    def _wait_for_nodes(self, n: int) -> None:
        deadline = time.monotonic() + START_WITHIN_SECONDS
        states: list[str] = []
        while states != ["idle"] * n:
            ended = [daemon.args for daemon in self.daemons if daemon.poll() is not None]
            if ended or time.monotonic() > deadline:
                said = (self.folder / "daemons.log").read_text("utf-8", "replace")[-3000:]
                raise RuntimeError(f"SLURM did not start: ended {ended}, nodes {states}\n{said}")
            time.sleep(0.2)
            done = subprocess.run(
                ["sinfo", "--noheader", "--Node", "--format=%t"],
                env=self.environment(), capture_output=True, text=True, check=False
            )  # fmt: skip
            states = done.stdout.split()

    def stop(self) -> None:
        """Cancel what runs, then end the daemons: those that this object started, and no others."""
        if self.daemons and self.daemons[0].poll() is None:
            subprocess.run(
                ["scancel", "--user", getpass.getuser()], env=self.environment(), check=False, timeout=30
            )
            deadline = time.monotonic() + STOP_WITHIN_SECONDS
            while self("squeue", "--noheader") and time.monotonic() < deadline:
                time.sleep(0.2)
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(STOP_WITHIN_SECONDS)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self.daemons.clear()
