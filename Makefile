# Every target builds what it needs; the virtual environment lives in .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help demo attack test oldest lint types wheel accuracy docs picture site clean

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

test: .venv/dev ## Run the whole test suite
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --dist loadfile

oldest: .venv/dev ## Test with the oldest versions of the libraries that pyproject.toml allows
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-oldest
	$(BIN)/uv pip install --quiet --python .venv-oldest --resolution lowest-direct . --group test
	OPENBLAS_NUM_THREADS=1 .venv-oldest/bin/python -m pytest --quiet \
		tests/shells tests/tables tests/sample tests/estimators tests/report/test_answer.py

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
	done

accuracy: .venv/dev ## Measure accuracy and coverage on populations with known truth
	$(BIN)/python benchmarks/accuracy.py --quick

docs: .venv/dev ## Make anew what is generated in docs/
	$(BIN)/python docs/scripts/cli.py docs/cli.md
	$(BIN)/python docs/scripts/bounds.py docs/images/bounds.svg
	$(BIN)/python docs/scripts/pages.py README.md docs/tutorial.md docs/gallery.md docs/votes.md docs/groups.md docs/compare.md docs/columns.md docs/decisions.md docs/ceilings.md docs/shift.md docs/leakage.md docs/sources.md

picture: .venv/dev ## Take the pictures of reports in docs/images; wants Debian's chromium
	$(BIN)/python docs/scripts/picture.py docs/images

site: .venv/run ## Build the site of the documentation in site/; broken links are errors
	$(BIN)/python -m pip install --quiet --group site
	$(BIN)/python docs/scripts/site.py site

clean: ## Remove the environment and what tools left behind
	rm -f bayesfloor-*.html
	rm -rf site .venv .venv-wheel .venv-oldest .mypy_cache .pytest_cache .ruff_cache .hypothesis dist
