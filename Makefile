# Two commands do everything: `make` runs the default experiment, `make test` runs the tests.
# Beside them: `make frozen` holds every number against committed values, `make test-slow` runs whole pipelines, `make nightly` the rest.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
# Numbers do not depend on it: one thread per process, because the workflow runs processes side by side.
export OMP_NUM_THREADS ?= 1
# Python runs no file because it lies here and has the name of a module.
export PYTHONSAFEPATH := 1
# To collect the tests takes half as long where pytest may keep them compiled, as Python does by default.
unexport PYTHONDONTWRITEBYTECODE

# Tests of one file stay together, for they share what is slow to make.
PARALLEL := -n auto --maxprocesses 4 --dist loadfile

DURATIONS := --durations 20

NIGHTLY := nightly-processors nightly-slurm nightly-storage nightly-units nightly-runs

.PHONY: run installed test test-slow frozen frozen-update nightly $(NIGHTLY) lint schemas docs pins clean

run: $(INSTALLED)
	$(BIN)/snakemake --cores all
	@echo
	@echo "Tables:  results/tables/   (scores.md, scores.csv, scores.tex, …)"
	@echo "Figures: results/figures/  (heatmap.pdf, forest.pdf, …)"
	@echo "Report:  results/report/index.html"

installed: $(INSTALLED)

test: $(INSTALLED)
	$(BIN)/python -m pytest $(PARALLEL) $(DURATIONS) -m "not slow and not nightly" $(PYTEST_ARGS)

# Whole pipelines, killed and resumed; those on SLURM or object storage need its packages
test-slow: $(INSTALLED)
	$(BIN)/python -m pytest $(PARALLEL) $(DURATIONS) -m "slow and not nightly" $(PYTEST_ARGS)

# The numbers of five experiments, run in an empty folder; FROZEN=--work=FOLDER keeps the runs, and runs again only what changed
frozen: $(INSTALLED)
	$(BIN)/python tests/frozen/frozen.py check $(FROZEN)

# make frozen-update KIND="scores tables"
frozen-update: $(INSTALLED)
	$(BIN)/python tests/frozen/frozen.py update $(KIND) $(FROZEN)

# Each part can be run alone
nightly: $(NIGHTLY)

# What libraries compute with fewer instructions of the processor, as on an older one; see docs/reproducibility.md
nightly-processors: $(INSTALLED)
	for name in avx2 baseline; do \
	  $(BIN)/python benchmarks/as_processor.py $$name \
	    $(BIN)/python -m pytest $(PARALLEL) $(DURATIONS) -m "numeric and not slow and not nightly" || exit; \
	done

# Cancelled jobs, drained nodes: needs SLURM and, on PYTHONPATH, its plugin
nightly-slurm: $(INSTALLED)
	$(BIN)/python -m pytest $(DURATIONS) tests/slurm

# Jobs that share no folder: needs rsync and, on PYTHONPATH, the packages of envs/requirements-storage.txt
nightly-storage: $(INSTALLED)
	$(BIN)/python -m pytest $(DURATIONS) tests/storage

# The whole mirror, figures of many encoders, random inputs
nightly-units: $(INSTALLED)
	$(BIN)/python -m pytest $(PARALLEL) $(DURATIONS) -m nightly --ignore tests/integration --ignore tests/slurm --ignore tests/storage --thorough

# Long pipelines, random kills
nightly-runs: $(INSTALLED)
	$(BIN)/python -m pytest $(PARALLEL) $(DURATIONS) -m nightly tests/integration

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow/rules
	$(BIN)/mypy
	$(BIN)/snakemake --lint

# After an edit of settings: JSON schemas for editors, and the tables of keys in the docs
schemas: $(INSTALLED)
	$(BIN)/python docs/keys.py

# The documentation as a site, in site/; fails where a link leads nowhere. Needs network only to install.
docs: $(VENV)/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

$(VENV)/docs: $(INSTALLED) envs/requirements-docs.txt
	$(BIN)/pip install --quiet --require-hashes --no-deps -r envs/requirements-docs.txt
	touch $@

# After an edit of envs/*.in: the same lists with the SHA-256 of every file of each version, so for all platforms
pins: $(INSTALLED)
	@for list in envs/*.in; do \
	  $(BIN)/uv pip compile --system-certs --quiet --universal --python-version 3.11 --no-deps --generate-hashes --no-annotate \
	    --custom-compile-command "make pins" $$list --output-file $${list%.in}.txt || exit; \
	done

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache

$(INSTALLED): envs/install.sh envs/requirements-build.txt envs/requirements.txt envs/requirements-torch.in pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "sentflow needs Python 3.11 or later, but $(PYTHON) is $$($(PYTHON) -V). Write: make PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	PYTHON=$(BIN)/python sh envs/install.sh
	touch $@
