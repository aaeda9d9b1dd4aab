# One line a target; what is longer lives in test/scripts. Go and make are all that is needed.
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# What `exoshift version --output json` says: the commit, the time of that, and whether files differ from it.
BUILD   := -X main.version=$(VERSION) -X main.commit=$(shell git rev-parse HEAD 2>/dev/null) -X main.dirty=$(if $(shell git status --porcelain 2>/dev/null),true) \
	-X main.date=$(shell TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd 2>/dev/null)
# Without the clone's path in what is compiled, another clone finds it in the cache; the suites and the program share it.
export GOFLAGS := $(strip $(shell go env GOFLAGS 2>/dev/null) -trimpath)
# Functions are not inlined: the program would have 6 MB more. docs/explanation/binary.md has what that costs.
COMPILE := -trimpath -buildvcs=false -gcflags=all=-l
PLATFORM := $(or $(GOOS),$(shell go env GOOS))/$(or $(GOARCH),$(shell go env GOARCH))
PROGRAM ?= bin/exoshift
# Replaced in one step: tests that compile meanwhile embed the folder that it is in.
PROBE   := internal/app/probeprogram/program/exoshift-probe.gz
LINT    := CGO_ENABLED=0 go tool -modfile=tools/lint/go.mod golangci-lint

.DEFAULT_GOAL := help
.PHONY: help build probe image packages release-check demo record casts test race faults pairs e2e contract lint fmt bench check pages patches clean

help: ## Show this list
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

build: $(if $(filter-out linux/amd64,$(PLATFORM)),probe) ## Build bin/exoshift, one static binary
	CGO_ENABLED=0 go build $(COMPILE) -ldflags "-s -w -buildid= $(BUILD)" -o $(PROGRAM) ./cmd/exoshift

probe: ## Build the small program for checks on other machines, which a program that cannot run there carries along
	CGO_ENABLED=0 GOOS=linux GOARCH=amd64 go build $(COMPILE) -ldflags "-s -w" -o bin/exoshift-probe ./cmd/exoshift-probe
	gzip -9nf bin/exoshift-probe
	cmp -s bin/exoshift-probe.gz $(PROBE) || mv bin/exoshift-probe.gz $(PROBE)

image: ## Build bin/exoshift-image.tar, a container image, without a daemon: the same bytes from the same sources
	CGO_ENABLED=0 GOOS=linux GOARCH=amd64 go build $(COMPILE) -ldflags "-s -w -buildid= $(BUILD)" -o bin/image/exoshift ./cmd/exoshift
	test/scripts/image bin/image/exoshift linux/amd64 bin/exoshift-image.tar

packages: ## Build bin/release: archive, deb, rpm, image and SBOM of this platform, or of those of PLATFORMS="linux/amd64 darwin/arm64", with checksums
	test/scripts/packages

release-check: ## Prove a release without publishing it: every platform, checksums, SBOM, the same bytes twice, GoReleaser's snapshot
	test/scripts/release-check

demo: build ## Rehearse a whole installation on a simulated zone, 60 times as fast as life
	bin/exoshift rehearse --speed 60

record: ## Record the pictures of the documentation from a session; what is missing is installed
	test/scripts/record

casts: ## Record sessions on a terminal into docs/casts, as asciicasts of version 2: they are tests
	go test -vet=off -count=1 -timeout 30m -run '^TestRecordCast_' ./test/session -record $(CURDIR)/docs/casts

test: ## Run the tests, without those that take many installations or hours of virtual time: make check has them
	test/scripts/test

race: ## Run the same tests, with the race detector where there is something to detect and a C compiler
	test/scripts/race

faults: ## Run the tests that make test leaves out: every variant, every call that changes something interrupted
	test/scripts/faults

pairs: ## Run each pair of faults of a cluster at once, and print the table: both are found, what blocks is first; an installation and the verbs of nodes, rotate and recover with every fault at every call; make faults runs samples
	EXOSHIFT_PAIRS=all CGO_ENABLED=0 GOGC=800 go test -vet=off -count=1 -timeout 2h -run '^TestFaultPairs' ./cmd/exoshift
	EXOSHIFT_NODE_FAULTS=all CGO_ENABLED=0 GOGC=800 go test -vet=off -count=1 -timeout 1h -run '^TestInstall_(FaultAtEveryCall|GoesOnOnAnotherMachine)$$' ./test/fault
	EXOSHIFT_NODE_FAULTS=all CGO_ENABLED=0 GOGC=800 go test -vet=off -count=1 -timeout 1h -run '^Test((Storage)?Nodes_OfAnInstalledCluster|Pool_Verbs|Install_Finished|Recover_Etcd)$$/(fault|update|upgrade)' ./cmd/exoshift

e2e: ## Test with programs by others: HAProxy, squid, bind, Ignition, qemu, Terraform, Kubernetes; fuzz every parser; what is missing is installed
	test/scripts/e2e

contract: ## Hold a live zone to the contract of the adapters, for a little money; EXOSHIFT_E2E_ZONE and credentials name it
	test/scripts/contract

lint: ## Run the linters of .golangci.yml, and look for known vulnerabilities where their database can be had
	$(LINT) run
	test/scripts/vulncheck

pages: ## Write the generated pages of the documentation, and NOTICE, anew
	go test -vet=off ./wizard ./wizard/reach ./internal/app/explain ./internal/simcloud/scenario ./test/notice -run 'Pages?_|SchemaFile|Notice' -update
	go test -vet=off ./cmd/exoshift -run CommandsPage -update

patches: ## Raise the dependencies to their newest patch release
	test/scripts/patches

fmt: ## Format the code
	$(LINT) fmt

bench: build ## Measure what is promised: start-up, size, memory, the way of an image, a frame, the time of a rehearsal, Terraform beside an installation
	go test -run '^$$' -bench . -skip 'Scale|Makespan|SharedState|Attach' -benchtime 3x ./cmd/exoshift
	go test -run '^$$' -bench . -benchtime 1x ./ignition
	go test -run '^$$' -bench Fold ./provisioner
	go test -run '^$$' -bench FleetStatus -benchtime 3x ./internal/app/fleet
	go test -run '^$$' -bench WholeCatalogue -benchtime 1x ./wizard/reach
	go test -run TestVerdict_IsNeverFalse -v ./internal/app/connectivity
	go test -run '^$$' -bench . ./provisioner/diagnosis ./provisioner/openshift ./provisioner/openshift/csr
	go test -run '^$$' -bench Frame1000 -benchtime 1000x ./tui/dashboard
	go test -run '^$$' -bench Idle -benchtime 2x ./tui/dashboard
	go test -run '^$$' -bench EventToScreen -benchtime 50x ./tui/dashboard
	go test -run '^$$' -bench FirstFrame -benchtime 50x ./test/session
	go test -run '^$$' -bench KeyToFrame -benchtime 400x ./test/session
	go test -run '^$$' -bench Still -benchtime 1x ./test/session
	go test -run '^$$' -bench 'Scale|Makespan|SharedState|Attach' -benchtime 1x ./cmd/exoshift
	go -C test/foreign test -v -run '^$$' -bench Terraform -benchtime 1x .
	EXOSHIFT_JOBS=20 go -C test/cluster test -v -count=1 -timeout 90m -run TestJobs .
	test/scripts/faults

check: lint race faults build ## Everything that has to pass before a change is done
	test/scripts/clean-tree

clean: ## Remove what was built
	rm -rf bin $(PROBE)
