# The two commands of the README, `make demo` and `make test`, and what they are made of.
# Everything happens in a virtual environment of its own (.venv); nothing else is touched.

PYTHON ?= python3
CXX ?= c++
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(shell find cpp src -type f \( -name '*.?pp' -o -name '*.py*' \) 2>/dev/null)

.PHONY: demo test test-slow lint types coverage benchmarks fuzz fuzz-threads clean
.DELETE_ON_ERROR:

demo: $(VENV)/plot.done
	$(BIN)/tauboost compare --time-limit 3 --out compare_out

test: $(VENV)/dev.done lint types
	$(BIN)/pytest -m "not slow"

test-slow: $(VENV)/dev.done
	$(BIN)/pytest -m slow

lint: $(VENV)/dev.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror cpp/*.hpp cpp/*.cpp fuzz/*.?pp

types: $(VENV)/dev.done
	$(BIN)/mypy

coverage: $(VENV)/dev.done
	$(BIN)/pytest -m "not slow" --cov --cov-report=term-missing

benchmarks: $(VENV)/dev.done
	$(BIN)/python benchmarks/kernels.py
	$(BIN)/python benchmarks/paper_figures.py
	$(BIN)/python benchmarks/solvers.py
	$(BIN)/python benchmarks/peers.py
	$(BIN)/python benchmarks/reading.py

# Needs clang: make fuzz CLANG=clang++-14 FUZZ_SECONDS=600. New inputs stay in build/fuzz/found;
# one that fails is written to build/fuzz, and can be run again by giving it to build/fuzz/svmlight.
FUZZ_SECONDS ?= 60
CLANG ?= clang++
fuzz:
	@command -v $(CLANG) > /dev/null || \
	  { echo "fuzzing needs clang: install it (Debian: apt install clang) or set CLANG." >&2; exit 1; }
	@mkdir -p build/fuzz/found
	$(CLANG) -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	  fuzz/svmlight.cpp -o build/fuzz/svmlight
	build/fuzz/svmlight -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -dict=fuzz/svmlight.dict \
	  -artifact_prefix=build/fuzz/ -print_final_stats=1 build/fuzz/found fuzz/corpus

# Needs g++. Not linked with OpenMP: fuzz/svmlight_threads.cpp brings what it needs of it.
GXX ?= g++
fuzz-threads:
	@mkdir -p build/fuzz
	$(GXX) -std=c++20 -g -O1 -fopenmp -fsanitize=thread -c fuzz/svmlight_threads.cpp \
	  -o build/fuzz/svmlight_threads.o
	$(GXX) -fsanitize=thread build/fuzz/svmlight_threads.o -o build/fuzz/svmlight_threads
	build/fuzz/svmlight_threads

clean:
	rm -rf $(VENV) build compare_out

$(VENV)/%.done: $(SOURCES) | $(BIN)/python compiler
	$(BIN)/python -m pip install --quiet --disable-pip-version-check ".[$*]"
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "tauboost needs Python 3.11 or newer: set PYTHON=/path/to/python3.11." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

.PHONY: compiler
compiler:
	@command -v $(firstword $(CXX)) > /dev/null || \
	  { echo "tauboost needs a C++20 compiler and found none: install g++ (Debian: apt install g++) or set CXX." >&2; exit 1; }
