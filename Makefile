# The front door. `make demo` and `make test` are all a newcomer needs; both work from a bare clone.
#
# Every target that builds first installs the Debian packages it needs, if they are missing.

BUILD    ?= build
JOBS     ?= $(shell nproc)
CMAKE     = cmake -G Ninja $(if $(CI),-DHUMPTY_WERROR=ON)
PUZZLE   ?= $(or $(HUMPTY_SHARED),../shared)/jane-street
SOURCES   = $(shell git ls-files '*.cpp' '*.hpp')
# Minutes each under sanitizers, and quicker tests run the same code.
SLOW      = Stopping.*Salvage|JaneStreet..*Table|PaperOfJaneStreet|^Salvage|OwnNets.Thirty|Containers.Halves|ZooThatTheRatio|^Zoo48
THREADED  = Threads.*:Walk.*:Bubble.*:Insertion.*:Seeds.*:Quiet.*:BradleyTerry.*:Ratio.*:Verify.*:Net.AnswersOfOdd*:Csv*Threads:*SameWithOneThread*:*AnyNumberOfThreads*

.PHONY: help demo build test test-all test-rest sanitize tsan test-torch test-formats test-python fuzz study zoo bench bench-scale bench-guard bench-read web-page web-check web test-web bench-web format lint clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*##/\1\t/p' $(MAKEFILE_LIST) | expand -t 12

build:  ## build the program: build/humpty
	@scripts/setup build
	@$(CMAKE) -S . -B $(BUILD) -DHUMPTY_TESTS=OFF >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)

demo: build  ## train a small net, drop it, put it back together
	@$(BUILD)/humpty demo -o $(BUILD)/demo --force

test:  ## build and run the C++ test suite
	@scripts/setup test
	@$(CMAKE) -S . -B $(BUILD) -DHUMPTY_TESTS=ON >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS) --progress

test-all: test test-rest  ## all tests: the suite, again under sanitizers, and beside real libraries

test-rest: sanitize tsan bench-guard test-torch test-formats test-python fuzz web-check test-web

sanitize:  ## the suite with address and undefined-behaviour sanitizers
	@scripts/setup test
	@$(CMAKE) -S . -B $(BUILD)-sanitize -DHUMPTY_SANITIZE=address,undefined >/dev/null
	@cmake --build $(BUILD)-sanitize -j $(JOBS)
	@ctest --test-dir $(BUILD)-sanitize --output-on-failure -j $(JOBS) --progress -E '$(SLOW)'

tsan:  ## whatever runs on several threads, with the thread sanitizer
	@scripts/setup test
	@$(CMAKE) -S . -B $(BUILD)-tsan -DHUMPTY_SANITIZE=thread >/dev/null
	@cmake --build $(BUILD)-tsan -j $(JOBS) --target humpty_tests
	@$(BUILD)-tsan/tests/humpty_tests --gtest_brief=1 --gtest_filter='$(THREADED)'

test-torch:  ## beside real PyTorch (Debian's): training steps, dropped files
	@scripts/setup test
	@scripts/setup torch
	@$(CMAKE) -S . -B $(BUILD) -DHUMPTY_TESTS=ON >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)
	@/usr/bin/python3 tests/torch/compare_with_torch.py $(BUILD)/tests/torch/train_steps
	@/usr/bin/python3 tests/torch/drop_and_load.py $(BUILD)/humpty

test-formats:  ## beside the libraries that write the formats (from PyPI, pinned, in build/)
	@scripts/setup formats
	@$(CMAKE) -S . -B $(BUILD) -DHUMPTY_TESTS=ON >/dev/null
	@tests/formats/run $(BUILD) $(PUZZLE)

test-python: build  ## the Python package: installed into a fresh environment, tested there
	@scripts/setup python
	@python/tests/run $(BUILD) $(BUILD)/humpty

fuzz:  ## run every reader's fuzzer for SECONDS (10) each
	@scripts/setup fuzz
	@$(CMAKE) -S . -B $(BUILD)-fuzz -DCMAKE_CXX_COMPILER=clang++ -DHUMPTY_LUMPS=OFF -DHUMPTY_FUZZ=ON -DHUMPTY_TESTS=OFF >/dev/null
	@fuzz/run $(BUILD)-fuzz $(or $(SECONDS),10)

web-page:  ## build the report's page anew: web/dist (needs Node; the program does not)
	@scripts/setup web
	@web/check build

web-check: build  ## the page is what its sources give, and works in a browser (Debian's Chromium)
	@scripts/setup web
	@web/check $(BUILD)/humpty

web:  ## build the page that solves: build/web/humpty.html, build/web/host (emscripten)
	@scripts/setup web-wasm
	@web/make-solver $(BUILD) $(JOBS)

test-web: build web  ## that page in a browser and in node, beside the program
	@HUMPTY_BUILD=$(abspath $(BUILD)) node --test $(wildcard tests/web/solver/*.test.mjs)

bench-web: build web  ## the page's speed against the program's, one thread each; PUZZLE=folder
	@HUMPTY_BUILD=$(abspath $(BUILD)) node bench/web.mjs $(PUZZLE)

study:  ## look for a wrong "exact" on NETS (500) nets made on the spot
	@scripts/setup test
	@$(CMAKE) -S . -B $(BUILD) -DHUMPTY_TESTS=ON >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target humpty_verdicts
	@$(BUILD)/tests/verdicts $(or $(NETS),500)

zoo: build  ## solve every net of ZOO=dir whose answer is known; the scoreboard
	@$(BUILD)/humpty study solve $(or $(ZOO),$(or $(HUMPTY_SHARED),../shared)/zoo) --json $(BUILD)/zoo.json

bench:  ## measure speed against the machine's limit (wants a quiet machine); PUZZLE=folder
	@scripts/setup bench
	@$(CMAKE) -S . -B $(BUILD)-bench -DHUMPTY_BENCH=ON -DHUMPTY_TESTS=OFF >/dev/null
	@cmake --build $(BUILD)-bench -j $(JOBS)
	@bench/run $(BUILD)-bench $(PUZZLE)

bench-scale:  ## cost against blocks, widths and rows (ten minutes); redraws docs/scale.svg
	@scripts/setup bench
	@$(CMAKE) -S . -B $(BUILD)-bench -DHUMPTY_BENCH=ON -DHUMPTY_TESTS=OFF >/dev/null
	@cmake --build $(BUILD)-bench -j $(JOBS) --target bench_scale
	@bench/scale $(BUILD)-bench docs

bench-guard:  ## count instructions of small fixed solves; fails if one grew by more than 10 %
	@scripts/setup guard
	@$(CMAKE) -S . -B $(BUILD)-guard -DHUMPTY_BENCH=ON -DHUMPTY_TESTS=OFF -DHUMPTY_ONE_TARGET=ON >/dev/null
	@cmake --build $(BUILD)-guard -j $(JOBS) --target bench_guarded
	@bench/guard $(BUILD)-guard

bench-read:  ## measure how fast files are read, against cat and Python; PUZZLE=folder
	@scripts/setup build
	@scripts/setup bench-read
	@$(CMAKE) -S . -B $(BUILD)-bench -DHUMPTY_BENCH=ON -DHUMPTY_TESTS=OFF >/dev/null
	@cmake --build $(BUILD)-bench -j $(JOBS) --target bench_read
	@bench/read.sh $(BUILD)-bench $(PUZZLE)

format:  ## format the sources
	@scripts/setup lint
	@clang-format -i $(SOURCES)

lint:  ## check format and run clang-tidy
	@scripts/setup lint
	@clang-format --dry-run --Werror $(SOURCES)
	@$(CMAKE) -S . -B $(BUILD)-lint -DHUMPTY_TESTS=ON -DHUMPTY_LUMPS=OFF >/dev/null
	@run-clang-tidy -quiet -p $(BUILD)-lint '^(?!.*/tests/).*\.cpp$$'

clean:  ## remove everything built
	@rm -rf $(BUILD) $(BUILD)-sanitize $(BUILD)-tsan $(BUILD)-bench $(BUILD)-guard $(BUILD)-lint $(BUILD)-fuzz
