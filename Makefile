# Every target sets up .venv by itself, from pyproject.toml and the pins in constraints.txt.
# Needs Python 3.11 or newer with pip and venv, and make.  Another interpreter: make PYTHON=python3.13 test

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.stamp

# Where the course is built; `make clean` removes the default one if nobody has used it.
COURSE := build/classroom

# Two workers on two cores: BLAS threads of their own would only get in each other's way.
SINGLE := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 VECLIB_MAXIMUM_THREADS=1 NUMBA_NUM_THREADS=1

# Which of notebooks/studies to run: image_classification (09), wsabie_ladder (08) or ranking_mq2008 (07).
STUDY ?= image_classification

.DEFAULT_GOAL := help
.PHONY: help check test lint lab bench study classroom clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

check: $(STAMP) ## examine fast: every answer against ground truth and its certificate
	$(BIN)/python -m reference.check fast

test: lint ## lint, then the tests, the doctests and every notebook cell
	$(SINGLE) $(BIN)/python -m pytest -n 2 --dist loadfile --nbval --nbval-current-env --nbval-cell-timeout=120 \
	    tests reference fast notebooks

lint: $(STAMP) ## ruff
	$(BIN)/ruff check .

lab: $(STAMP) ## open the notebooks in Jupyter
	$(BIN)/jupyter lab --notebook-dir=notebooks $(ARGS)

bench: $(STAMP) ## the speed table, single thread (ARGS="--quick" for a short one)
	$(SINGLE) $(BIN)/python -m tests.benchmarks $(ARGS)

study: $(STAMP) ## what is missing of the stored results of notebook 09 (STUDY=wsabie_ladder: of 08)
	$(SINGLE) $(BIN)/python -m notebooks.studies.$(STUDY)

classroom: $(STAMP) ## the assignments, to be handed out (COURSE=folder SEED=number QUESTIONS=folder for your own)
	$(BIN)/python notebooks/assignments/course.py "$(COURSE)" $(if $(SEED),--seed $(SEED)) \
	    $(if $(QUESTIONS),--questions "$(QUESTIONS)")

clean: ## remove .venv and everything that can be made again; a course that was used stays
	-$(PYTHON) notebooks/assignments/course.py --remove build/classroom
	rm -rf $(VENV) build/lib build/bdist.* dist *.egg-info .pytest_cache .hypothesis .ruff_cache
	@rmdir build 2>/dev/null || true
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "Marginalia needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 ..."; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	    --constraint constraints.txt --editable ".[notebooks,test,classroom]"
	@touch $@
