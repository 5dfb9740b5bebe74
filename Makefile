# Two commands do everything: `make` runs the default experiment, `make test` runs the tests.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
# Numbers do not depend on it: one thread per process, because the workflow runs processes side by side.
export OMP_NUM_THREADS ?= 1
# Python runs no file because it lies here and has the name of a module.
export PYTHONSAFEPATH := 1

# Tests of one file stay together, for they share what is slow to make.
PARALLEL := -n auto --maxprocesses 4 --dist loadfile

.PHONY: run test test-all lint clean

run: $(INSTALLED)
	$(BIN)/snakemake --cores all
	@echo
	@echo "Tables:  results/tables/   (scores.md, scores.csv, scores.tex, …)"
	@echo "Figures: results/figures/  (heatmap.pdf, forest.pdf, …)"
	@echo "Report:  results/report/index.html"

test: $(INSTALLED)
	$(BIN)/python -m pytest $(PARALLEL) -m "not slow"

test-all: $(INSTALLED)
	$(BIN)/python -m pytest $(PARALLEL) $(PYTEST_ARGS)

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow/rules
	$(BIN)/mypy
	$(BIN)/snakemake --lint

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache

$(INSTALLED): envs/requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "sentflow needs Python 3.11 or later, but $(PYTHON) is $$($(PYTHON) -V). Write: make PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -r envs/requirements.txt -e .
	touch $@
