# Everything a newcomer needs: `make demo` and `make test` set themselves up.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

# Hundreds of commands are started by the tests: compile the code once, whatever the environment prefers.
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo test test-fast test-long check bench docs format clean
.DEFAULT_GOAL := help

.PHONY: help
help:  ## this list
	@grep -hE '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

# Installs once; again only when what is to be installed has changed.
$(STAMP): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing Tacita and its tools into $(VENV) (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(STAMP)

install: $(STAMP)  ## set up .venv

demo: $(STAMP)  ## generate a 25,000-firm survey, assess it, anonymize it, explain a changed cell, verify the release
	@$(BIN)/python scripts/demo.py

test: $(STAMP)  ## all tests
	@scripts/services
	@$(BIN)/python -m pytest -n 2 --dist worksteal

test-long: $(STAMP)  ## every property on at least 100 random examples, new ones each time; takes hours
	@TACITA_LONG=1 TACITA_FUZZ=1 $(BIN)/python -m pytest -n 2 --dist worksteal

test-fast: $(STAMP)  ## the tests that take less than two minutes together
	@$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow" tests src

check: $(STAMP)  ## ruff, mypy, import-linter
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(STAMP)  ## let ruff put the code in order
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(STAMP)  ## benchmarks: ratios in one run
	@$(BIN)/python -m benchmarks

docs: $(STAMP)  ## the documentation as a static site in site/
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

clean:  ## remove everything that was made
	rm -rf $(VENV) site dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis demo
