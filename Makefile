# Every target builds what it needs; the virtual environment lives in .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help demo attack skirmish test slow oldest newest bare lint types wheel accuracy ratios docs picture notebooks site clean

help: ## Show the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

.venv/run: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

.venv/dev: .venv/run
	$(BIN)/python -m pip install --quiet --group dev
	touch $@

demo: .venv/run ## Bound the Bayes error of the breast cancer data, and write its page
	$(BIN)/bayesfloor demo

PYTEST := -m pytest --quiet --numprocesses auto --dist loadfile --no-loadscope-reorder
test: .venv/dev ## Run the test suite, without what make slow runs
	OPENBLAS_NUM_THREADS=1 $(BIN)/python $(PYTEST) -m "not slow"

slow: .venv/dev ## Run the tests of whole scripts, long simulations, pages with their commands, and killed processes
	OPENBLAS_NUM_THREADS=1 $(BIN)/python $(PYTEST) -m slow tests

# $(call environment,FOLDER,PYTHON,WHAT) installs WHAT in an environment of its own, by uv.
define environment
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv venv --quiet --clear --python $(2) $(1)
	$(BIN)/uv pip install --quiet --python $(1)/bin/python $(3)
endef
EVERY_LIBRARY := tests/test_extras.py tests/tables tests/sample tests/estimators tests/report/test_answer.py \
	$(addprefix tests/shells/test_,sklearn_estimator.py cli_groups.py cli_votes.py web_security.py)
NO_EXTRA := tests/test_extras.py tests/tables/test_first_command.py tests/report/test_answer.py \
	tests/shells/test_cli_groups.py tests/shells/test_cli_votes.py

oldest: .venv/dev ## Test with all extras and the oldest versions of the libraries that pyproject.toml allows
	$(call environment,.venv-oldest,$(BIN)/python,--resolution lowest-direct ".[all]" --group test)
	OPENBLAS_NUM_THREADS=1 .venv-oldest/bin/python $(PYTEST) $(EVERY_LIBRARY)

PYTHONS ?= 3.11 3.12 3.13
newest: $(addprefix newest-,$(PYTHONS)) ## Test with all extras and the newest libraries on PYTHONS="3.11 3.12 3.13"

# uv fetches an interpreter that is missing; without a network, it takes those of pyenv.
newest-%: export PYENV_VERSION = $(shell pyenv versions --bare 2>/dev/null | grep '^3[.]1[1-9]' | paste -sd: -)
newest-%: .venv/dev
	$(BIN)/python -m pip install --quiet uv
	@if $(BIN)/uv venv --quiet --clear --python $* .venv-$* 2>/dev/null; \
	then $(MAKE) --no-print-directory tried-$*; \
	else echo "Python $* cannot be had here: skipped"; fi

tried-%:
	$(BIN)/uv pip install --quiet --upgrade --python .venv-$*/bin/python ".[all]" --group test
	OPENBLAS_NUM_THREADS=1 .venv-$*/bin/python $(PYTEST) $(EVERY_LIBRARY)
	.venv-$*/bin/bayesfloor demo >/dev/null

bare: .venv/dev ## Test without any extra: what pip install bayesfloor brings, and what is said of the rest
	$(call environment,.venv-bare,$(BIN)/python,. hypothesis pytest pytest-xdist)
	OPENBLAS_NUM_THREADS=1 .venv-bare/bin/python $(PYTEST) $(NO_EXTRA)

lint: .venv/dev ## Check style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/dev ## Check types
	$(BIN)/mypy

wheel: .venv/dev ## Build the wheel and run its command in an environment of its own
	rm -rf dist && $(BIN)/python -m build --wheel --outdir dist . >/dev/null
	rm -rf .venv-wheel && $(PYTHON) -m venv .venv-wheel
	.venv-wheel/bin/python -m pip install --quiet dist/*.whl
	.venv-wheel/bin/bayesfloor --help >/dev/null
	rm -rf .venv-wheel

MINUTES ?= 5
attack: .venv/dev ## Attack calls, files and processes with new hostile inputs for MINUTES=5
	end=$$(($$(date +%s) + 60 * $(MINUTES))); while [ $$(date +%s) -lt $$end ]; do \
		ATTACK=1 $(BIN)/python -m pytest tests/attack --quiet --exitfirst || exit 1; \
		$(BIN)/python tests/attack/bulk.py --calls 20000 --seed $$(date +%s) || exit 1; \
		$(BIN)/python tests/attack/bulk.py --files --calls 5000 --seed $$(date +%s) || exit 1; \
		$(BIN)/python tests/attack/bulk.py --only page --calls 1000 --seed $$(date +%s) || exit 1; \
		$(BIN)/python tests/attack/bulk.py --only predictions "vote files" folders clients \
			addresses "item columns" "item files" --calls 5000 --seed $$(date +%s) || exit 1; \
		$(BIN)/python tests/attack/guided.py --files 5000 --seed $$(date +%s) || exit 1; \
	done

CALLS ?= 2000
SEED ?= 1
skirmish: .venv/dev ## Attack with CALLS=2000 small hostile calls, drawn from SEED=1
	$(BIN)/python tests/attack/bulk.py --calls $(CALLS) --seed $(SEED)

ratios: .venv/dev ## Compare speed with that of the peers, and with the ratios kept in benchmarks/results
	$(BIN)/python benchmarks/ratios.py

accuracy: .venv/dev ## Measure accuracy and coverage on populations with known truth
	$(BIN)/python benchmarks/accuracy.py --quick

docs: .venv/dev ## Make anew what is generated in docs/
	$(BIN)/python docs/scripts/cli.py docs/cli.md
	$(BIN)/python docs/scripts/bounds.py docs/images/bounds.svg
	$(BIN)/python docs/scripts/pages.py README.md docs/tutorial.md docs/gallery.md docs/votes.md docs/groups.md docs/compare.md docs/columns.md docs/decisions.md docs/ceilings.md docs/model.md docs/shift.md docs/leakage.md docs/sources.md

picture: .venv/dev ## Take the pictures of reports in docs/images; wants Debian's chromium
	$(BIN)/python docs/scripts/picture.py docs/images

build/examples: .venv/run $(shell find src docs/examples docs/scripts -name '*.py' -o -name '*.ipynb')
	$(BIN)/python -m pip install --quiet --group site
	$(BIN)/python docs/scripts/notebooks.py $@
	touch $@

notebooks: build/examples ## Run the notebooks of docs/examples, and write each as a page for the site

site: build/examples ## Build the site of the documentation in site/; broken links are errors
	$(BIN)/python docs/scripts/site.py site build/examples

clean: ## Remove the environment and what tools left behind
	rm -f bayesfloor-*.html
	rm -rf build site .venv .venv-* .mypy_cache .pytest_cache .ruff_cache .hypothesis dist
