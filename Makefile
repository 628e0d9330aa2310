# `make demo` and `make test` do all the set-up they need; the rest is for those who work on pullweek.
SHELL := /bin/bash
BIN := .venv/bin
export PYTHONWARNINGS ?= ignore::DeprecationWarning

.PHONY: demo test soak coverage bench test-llm contract browser lint types format docs ui serve lock clean

demo: .venv/.ready ## report the embedded sample, acme/lattice, and say where its page lies
	@$(BIN)/pullweek demo

test: .venv/.ready browser lint types ## lint, types and tests, in at most 10 minutes on two cores
	$(BIN)/pytest -m "not soak" -n 2 --dist worksteal

soak: .venv/.ready browser ## longer seeded campaigns
	$(BIN)/pytest -m soak -n 2

coverage: .venv/.ready browser ## the tests again, with the lines they run counted: nearly twice as long
	$(BIN)/pytest -m "not soak" -n 2 --dist worksteal --cov --cov-report=term

bench: .venv/.ready ## measure; compare within one run, as ratios
	$(BIN)/python -m benchmarks

test-llm: .venv/.ready ## word a report with a real small model, in an environment of its own; not part of CI
	$(BIN)/python -m benchmarks.real_model

contract: .venv/.ready browser ## hold queries and stand-in against GitHub's published schema
	$(BIN)/pytest tests/integration/test_github_contract.py

browser: ## Chromium and the two npm packages that the page and contract tests use
	@bash scripts/browser.sh

lint: .venv/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.ready
	$(BIN)/mypy

format: .venv/.ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: .venv/.ready ## the reference page of the tables, from the contracts
	$(BIN)/pullweek docs > docs/tables.md

ui: .venv/.ready ## Dagster's pages, on the same instance that the command writes to
	$(BIN)/pullweek ui

serve: .venv/.ready ## the published reports on http://127.0.0.1:8010, where Dagster's pages link to
	$(BIN)/python -m http.server 8010 --bind 127.0.0.1 --directory warehouse/reports

lock:
	$(BIN)/uv lock

clean: ## what can be made again; the warehouse stays
	rm -rf .venv node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis htmlcov .coverage*

.venv/.ready: pyproject.toml uv.lock scripts/setup.sh
	@bash scripts/setup.sh
