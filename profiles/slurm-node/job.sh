#!/usr/bin/env bash
# One node of SLURM for a whole run. From the folder of the Snakefile:
#   sbatch --account=LAB --partition=cpu profiles/slurm-node/job.sh --configfile mine.yaml
# Words after the name of this file go to snakemake; options before it are merged over those that follow here.

#SBATCH --job-name=sentflow
# Snakemake counts the CPUs and the memory of one machine.
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=16
#SBATCH --mem=64G
#SBATCH --time=04:00:00
#SBATCH --output=sentflow-%j.log
# Ten minutes before the end Snakemake is told to start nothing more. What runs then has the ten minutes, and the folder is left unlocked:
# the same command goes on from there.
#SBATCH --signal=B:TERM@600

# Processes run side by side, so one thread each.
export OMP_NUM_THREADS=1
# The environment that `make` made, if it is here; otherwise the one that was active when this was submitted.
export PATH="$PWD/.venv/bin:$PATH"
# exec, so that the signal reaches Snakemake.
exec snakemake --profile profiles/slurm-node "$@"
