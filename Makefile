# Belay's front door. CMake does the building; this installs what is missing first and knows the
# commands people want. `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

JOBS   ?= $(shell nproc)
PREFIX ?= /usr/local
PORT   ?= 8080
DATA   ?= belay-data
export JOBS

.PHONY: build
build: ## the binary, at build/belay
	@tools/setup library binary models page
	@$(MAKE) build-dev
	@ln -sfn dev/belay build/belay

.PHONY: test
test: ## every test but the hostile files of test-attack; a real browser and PostgreSQL included; ends with "N passed, M failed"
	@tools/setup library binary models page browser tests
	@cmake --preset dev >build/configure.log || { cat build/configure.log; exit 1; }
	@cmake --build build/dev --parallel $(JOBS) --target all tests
	@ln -sfn dev/belay build/belay
	@tools/run-tests dev

.PHONY: test-asan
test-asan: ## the library's tests under the address and undefined-behaviour sanitizers
	@tools/setup library tests
	@$(MAKE) tests-asan
	@tools/run-tests asan

.PHONY: test-tsan
test-tsan: ## the library's tests under the thread sanitizer
	@tools/setup library tests
	@$(MAKE) tests-tsan
	@tools/run-tests tsan

.PHONY: test-page
test-page: ## the web page alone, in a real browser against the real server
	@tools/setup library binary models page browser tests
	@$(MAKE) build/dev/build.ninja
	@cmake --build build/dev --parallel $(JOBS) --target belay belay-media belay_samples_program
	@node tests/e2e/run.mjs build/dev/belay

.PHONY: screenshots
screenshots: ## pictures of every view of the web page, into docs/images
	@tools/setup library binary models page browser
	@$(MAKE) build/dev/build.ninja
	@cmake --build build/dev --parallel $(JOBS) --target belay belay-media belay_samples_program
	@node tests/e2e/shots.mjs build/dev/belay docs/images

.PHONY: test-postgres
test-postgres: ## PostgreSQL alone and longer: the stores' suite, faults, 100 takeovers, three minutes of chaos
	@tools/setup library tests
	@$(MAKE) build/dev/build.ninja
	@cmake --build build/dev --parallel $(JOBS) --target conformance_tests postgres_tests store_postgres_tests
	@build/dev/src/store_postgres_tests
	@build/dev/tests/conformance_tests --gtest_filter='*postgres*'
	@BELAY_TAKEOVERS=10 BELAY_CHAOS_SECONDS=180 BELAY_CHAOS_RUNS=5000 build/dev/tests/postgres_tests

.PHONY: test-s3
test-s3: ## the object store's suite against a real S3: Debian's Ceph gateway, in memory
	@tools/setup library binary tests s3
	@$(MAKE) build/dev/build.ninja
	@cmake --build build/dev --parallel $(JOBS) --target objects_tests
	@tests/s3/radosgw build/dev/src/objects_tests

.PHONY: test-attack
test-attack: ## what strangers send: attacks, organizations against each other, hostile files, shapes that take time; and 100 kills
	@tools/setup library binary models page tests
	@$(MAKE) build/dev/build.ninja
	@cmake --build build/dev --parallel $(JOBS) --target belay belay-media belay-aborting \
		fuzz_tests library_tests cli_tests server_tests documents_tests api_tests simulation_tests postgres_tests
	@for one in attack organizations edges helper hostile; do tests/e2e/$${one}_test.py build/dev/belay; done
	@build/dev/tests/fuzz_tests --gtest_brief=1 --gtest_filter='*Linear*:Deep.*'
	@build/dev/tests/postgres_tests --gtest_brief=1 --gtest_filter='PoolerTest.*:OnceTest.*'
	@build/dev/src/library_tests --gtest_brief=1 --gtest_filter='ClockSetBack.*'
	@build/dev/src/cli_tests --gtest_brief=1 --gtest_filter='InterruptedBackup.*'
	@build/dev/src/server_tests --gtest_brief=1 --gtest_filter='Live.revoking*'
	@build/dev/src/documents_tests --gtest_brief=1 --gtest_filter='Content.*'
	@build/dev/src/api_tests --gtest_brief=1 --gtest_filter='Veil.*:*guest*'
	@build/dev/tests/simulation_tests --gtest_brief=1
	@cd web && node tools/test.mjs
	@BELAY_KILLS=100 tests/e2e/kills_test.py build/dev/belay-aborting

.PHONY: fuzz
fuzz: ## every parser of a stranger's bytes under libFuzzer, FUZZ_SECONDS=600 each (FUZZ_TARGETS= only these)
	@tools/setup library binary fuzz
	@cmake -S tests/fuzz -B build/fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++-14 >/dev/null
	@cmake --build build/fuzz --parallel $(JOBS)
	@tests/fuzz/run build/fuzz/belay-fuzz

.PHONY: soak
soak: ## the server under mixed load, killed and then left alone, for SOAK_MINUTES=60: nothing may grow
	@tools/setup library binary models
	@$(MAKE) build/dev/build.ninja
	@cmake --build build/dev --parallel $(JOBS) --target belay belay-media belay-aborting
	@tests/soak/soak build/dev/belay

.PHONY: test-full
test-full: test test-asan test-tsan test-postgres test-s3 test-packages test-compilers ## all of the above, then the long tests
	@tests/install/fetched_run build
	@tests/full

.PHONY: docs
docs: ## the documentation as a site in build/docs (index.html), which belay serve also has under /docs
	@tools/setup page
	@tools/build-docs build/docs

.PHONY: run
run: build ## the server on http://127.0.0.1:8080 (PORT=, DATA=)
	@exec build/belay serve --listen 127.0.0.1:$(PORT) --data $(DATA)

.PHONY: demo
demo: build ## the examples (a crash and what it does not cost, queues, 10,000 runs), and sample documents
	@cmake --build build/dev --parallel $(JOBS) --target examples
	@examples/demo build/dev

.PHONY: score
score: build ## BELAY_DATA=../shared/data through the workflows; its figures beside naive ones
	@tools/score/score build/dev
	@$(MAKE) score-web

.PHONY: bench
bench: build ## W1–W4, each beside what this disk and SQLite can do (BENCH_FOLDER= the disk)
	@bench/run build/belay

.PHONY: bench-postgres
bench-postgres: build ## W1 on a PostgreSQL of its own: 1, 2 and 4 workers, and beside FINISHED=1000000 ended runs
	@bench/postgres build/belay $(or $(FINISHED),1000000)

.PHONY: bench-documents
bench-documents: build ## a scan of 20 pages, 1,000 web pages, a search in 100,000 documents, beside bare tools
	@cmake --build build/dev --parallel $(JOBS) --target benches | tail -n 1
	@bench/scan build/dev/belay
	@bench/receipts build/dev/belay || true
	@bench/web build/dev/belay build/dev/bench_pages_server
	@build/dev/bench_search 100000 build
	@bench/with-postgres build/dev/bench_search 100000

.PHONY: bench-peers
bench-peers: build ## Belay beside Restate, DBOS, Celery and Cloudflare, which it installs; writes docs/benchmarks.md
	@bench/peers/run build/belay --rounds $(or $(ROUNDS),3)

.PHONY: score-web
score-web: build ## how well web pages are read and found, beside the baselines (BELAY_DATA= the folder with web_*)
	@cmake --build build/dev --parallel $(JOBS) --target html_dump | tail -n 1
	@tools/score-web
	@tools/score-search build/belay

.PHONY: install
install: build ## headers, libraries, CMake package, binary and systemd unit to PREFIX (default /usr/local)
	@cmake --install build/dev --prefix $(PREFIX) | tail -n +2
	@echo "installed to $(PREFIX)"

.PHONY: package
package: build ## Debian packages and a relocatable tarball, in build/packages
	@tools/setup package
	@packaging/make build/dev build/packages

.PHONY: image
image: package ## an image for docker and podman, in build/packages (needs root, and Debian's mirror)
	@tools/setup packages
	@packaging/image build/packages build/packages

.PHONY: test-packages
test-packages: image ## the packages in a bare Debian 12 (PARTS="server away upgrade library tarball"), and the image
	@tests/packages/run build/packages $(PARTS)
	@tests/packages/image build/packages

.PHONY: test-compilers
test-compilers: ## the library by g++ 12, clang 14 and clang 19, as C++20 and C++23; a program with each (COMPILERS= only these)
	@tools/setup library compilers
	@tests/compilers $(COMPILERS)

.PHONY: readme-picture
readme-picture: build ## README's drawing of a run that is killed and goes on, from a real one
	@tests/install/readme README.md build/readme build/dev
	@tools/draw-crash build/readme/build/shop docs/images/crash.svg

.PHONY: format
format: ## lays out every source with clang-format
	@tools/setup dev
	@tools/sources | xargs -r clang-format-14 -i

.PHONY: lint
lint: ## formatting, include direction, clang-tidy; changes nothing
	@tools/setup library binary tests dev
	@tools/lint

.PHONY: clean
clean: ## removes build/
	rm -rf build

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Presets are read only when configuring by hand, so a changed preset must configure again.
build/%/build.ninja: CMakePresets.json
	@cmake --preset $*
	@touch $@

.PRECIOUS: build/%/build.ninja
build-%: build/%/build.ninja
	@cmake --build build/$* --parallel $(JOBS)
tests-%: build/%/build.ninja
	@cmake --build build/$* --parallel $(JOBS) --target tests
