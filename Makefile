# Everything below sets up what it needs, in .venv, the first time it is called.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
OUT ?= build/demo

.PHONY: demo test check format bench docs packages clean

demo: $(READY) ## run BLADE on the project's own simulated benchmark
	@$(BIN)/python -m examples.office $(OUT) --agents steady hasty --tasks 60 --repeats 4 --seed 7
	@echo
	$(BIN)/blade runs $(OUT)
	@echo
	$(BIN)/blade report $(OUT) --baseline steady -o $(OUT)/report

test: $(READY) ## run the tests
	$(BIN)/python -m pytest -n auto

check: $(READY) ## format, lint, types, import order, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	PYTHONPATH=src $(BIN)/lint-imports
	$(BIN)/python -m pytest -n auto

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY) ## measure speed beside peers, then how often diagnoses are right; MEGABYTES=1000 by default
	$(BIN)/python -m bench.speed --megabytes $(or $(MEGABYTES),1000)
	$(BIN)/python -m bench.measuring
	$(BIN)/python -m bench.diagnosis

docs: $(READY) ## regenerate the pages that are made from the code
	$(BIN)/python -m docs.generate

packages: $(READY) ## write the shipped packages in benchmarks/ anew
	$(BIN)/python -m examples.packages

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache $(VENV)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	@touch $(READY)
