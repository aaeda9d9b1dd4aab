package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
)

// clusterFault is a scenario of a cluster, and the rule that finds it.
type clusterFault struct {
	scenario, rule string
	seen           int // stage in which it shows
	blocks         int // stage that does not end because of it
}

// Stages of an installation, as far as faults go.
const (
	atStart = iota
	atBoot  // of the bootstrap machine
	atBootstrap
	atMasters
	atEtcd
	atTeardown // of the bootstrap
	atNodes
	atOperators
)

func listClusterFaults() []clusterFault {
	return []clusterFault{
		{"load-balancer-blocked", "load-balancer-blocked", atStart, atBootstrap},
		{"elastic-ip-detached", "elastic-ip-detached", atStart, atBootstrap},
		{"api-name-missing", "api-name-missing", atStart, atBootstrap},
		{"wrong-boot-image", "wrong-boot-image", atStart, atBoot},
		{"image-pull-failed", "image-pull-failed", atBoot, atBootstrap},
		{"bootstrap-silent", "bootstrap-silent", atBoot, atBoot},
		{"certificate-expired", "certificate-expired", atBootstrap, atBootstrap},
		{"foreign-authority", "foreign-authority", atBootstrap, atBootstrap},
		{"mcs-blocked", "machine-config-blocked", atStart, atMasters},
		{"rules-missing", "rules-missing", atStart, atEtcd},
		{"masters-silent", "no-master", atMasters, atMasters},
		{"master-never-joins", "machine-silent", atMasters, atEtcd},
		{"wrong-node-address", "wrong-node-address", atMasters, atEtcd},
		{"no-cloud-controller", "no-cloud-controller", atMasters, atEtcd},
		{"machine-config-mismatch", "machine-config-mismatch", atMasters, atTeardown},
		{"etcd-incomplete", "etcd-incomplete", atEtcd, atEtcd},
		{"bootstrap-member-stays", "bootstrap-member-stays", atTeardown, atTeardown},
		{"worker-config-unserved", "worker-config-unserved", atNodes, atNodes},
		{"requests-left", "requests-left", atNodes, atNodes},
		{"machine-stopped", "machine-stopped", atNodes, atNodes},
		{"no-hostname", "no-hostname", atNodes, atNodes},
		{"routes-unreachable", "routes-unreachable", atNodes, atOperators},
		{"routers-on-masters", "routers-on-masters", atOperators, atOperators},
		{"operators-stalled", "operators-stalled", atOperators, atOperators},
		{"address-clash", "address-clash", atStart, atOperators},
		{"etcd-slow-disk", "etcd-slow-disk", atOperators, atOperators},
	}
}

// faultPair is two faults at once.
type faultPair [2]clusterFault

func (p faultPair) String() string { return p[0].scenario + "," + p[1].scenario }

// first returns the faults that may be first: those that block the earliest stage.
func (p faultPair) first() []string {
	one, other := max(p[0].blocks, atBootstrap), max(p[1].blocks, atBootstrap)
	switch {
	case one < other:
		return []string{p[0].rule}
	case one > other:
		return []string{p[1].rule}
	}
	return []string{p[0].rule, p[1].rule}
}

// expected returns the rules that have to be found: a fault shows only if the stage in which it does is reached.
func (p faultPair) expected() []string {
	var rules []string
	for n, fault := range p {
		if fault.seen == atStart || fault.seen < p[1-n].blocks {
			rules = append(rules, fault.rule)
		}
	}
	return rules
}

func listFaultPairs() []faultPair {
	var pairs []faultPair
	faults := listClusterFaults()
	for n, one := range faults {
		for _, other := range faults[n+1:] {
			pairs = append(pairs, faultPair{one, other})
		}
	}
	return pairs
}

// sampledPairs: of so many pairs one runs; with EXOSHIFT_PAIRS=all, as by make pairs, each does, which takes a quarter of an hour.
const sampledPairs = 27

// TestFaultPairs_BothFound runs two faults at once, without repairs: both are found, if the stage is reached in which they show, and
// what blocks is first. It prints the table.
func TestFaultPairs_BothFound(t *testing.T) {
	long(t)
	table := &pairTable{}
	t.Run("pairs", func(t *testing.T) {
		for n, pair := range listFaultPairs() {
			if os.Getenv("EXOSHIFT_PAIRS") != "all" && n%sampledPairs != 0 {
				continue
			}
			t.Run(pair.String(), func(t *testing.T) {
				t.Parallel()
				found, first := findPair(t, pair)
				problem := checkPair(pair, found, first)
				table.add(pair, found, first, problem)
				t.Logf("found %s, first %s", found, first)
				if problem != "" {
					t.Error(problem)
				}
			})
		}
	})
	table.print()
}

func checkPair(pair faultPair, found []string, first string) string {
	for _, rule := range pair.expected() {
		if !slices.Contains(found, rule) {
			return fmt.Sprintf("%s is not found, but %s", rule, found)
		}
	}
	for _, rule := range found {
		if rule != pair[0].rule && rule != pair[1].rule {
			return fmt.Sprintf("%s is found, and is not there", rule)
		}
	}
	if !slices.Contains(pair.first(), first) {
		return fmt.Sprintf("%s is first, want one of %s", first, pair.first())
	}
	return ""
}

// findPair returns the rules that were found, and which was the first at the end.
func findPair(t *testing.T, pair faultPair) (found []string, first string) {
	t.Helper()
	world := circumstances{scenario: pair.String(), spec: smallCluster(pair.String())}
	virtuallyIn(t, world, func(t *testing.T, r run.Run, _ *simcloud.Zone) {
		r.Options.NoRepair, r.Options.WaitOnFailure = true, true
		ctx, stop := context.WithTimeout(t.Context(), 100*time.Minute)
		defer stop()
		watched := &pairWatcher{board: provisioner.NewBoard(nil)}
		_ = playedTo(ctx, t, r, watched, nil)
		for _, e := range eventsOf(t, watched.lines.String()) {
			watched.fold(e)
		}
		found, first = watched.found, watched.first
	})
	return found, first
}

// pairWatcher notes what was found, and what was first of it last.
type pairWatcher struct {
	lines strings.Builder
	board *provisioner.Board
	found []string
	first string
}

func (w *pairWatcher) Write(content []byte) (int, error) { return w.lines.Write(content) }

func (w *pairWatcher) fold(e provisioner.Event) {
	w.board.Fold(e)
	if e.Type != provisioner.TypeDiagnosis {
		return
	}
	if e.State == provisioner.Present && !slices.Contains(w.found, e.Name) {
		w.found = append(w.found, e.Name)
	}
	if sorted := provisioner.SortFindings(w.board.Findings); len(sorted) > 0 {
		w.first = sorted[0].Name
	}
}

// pairTable is the table of the pairs that ran.
type pairTable struct {
	mu   sync.Mutex
	rows []string
}

func (p *pairTable) add(pair faultPair, found []string, first, problem string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	verdict := "ok"
	if problem != "" {
		verdict = "WRONG: " + problem
	}
	p.rows = append(p.rows, fmt.Sprintf("%s\t%s\t%s\t%s", pair, strings.Join(found, " "), first, verdict))
}

func (p *pairTable) print() {
	slices.Sort(p.rows)
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PAIR\tFOUND\tFIRST\tVERDICT")
	for _, row := range p.rows {
		fmt.Fprintln(table, row)
	}
	_ = table.Flush()
}
