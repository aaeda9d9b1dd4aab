package reach

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
)

// Prober probes one service. It is called from many goroutines, and returns soon after ctx has ended.
type Prober interface {
	Probe(ctx context.Context, check Check) Finding
}

// Bounds of a run. So many probes at a time finish the catalogue and as many checks again within two of the slowest
// probe, even where every single one waits for its whole limit, which is what a closed firewall looks like.
const (
	concurrency = 160
	probeLimit  = 30 * time.Second // of one probe, whatever limits it sets itself
	totalLimit  = 60 * time.Second
	probeGrace  = 250 * time.Millisecond // for a probe to say what it knows when its time is up
)

// Why a probe is not finished.
var (
	errStopped = errors.New("the run was stopped")
	errTimeUp  = errors.New("the time of the run was up")
)

// Run makes all checks of a task, as many at a time as are useful, and tells each result once. What needs a check that
// failed is skipped because of it. It ends with ctx at the latest, and then what was not probed is a result, too.
func Run(ctx context.Context, task Task, prober Prober, tell func(Result)) Report {
	started := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, totalLimit, errTimeUp)
	defer cancel()
	run := newProgress(task, started, tell)
	ended := make(chan outcome, len(task.Checks)) // nobody who probes ever waits for those who listen
	go runProbes(ctx, run.listWanted(), task.Checks, prober, ended)
	for range run.listWanted() {
		run.record(<-ended)
	}
	run.close()
	return Report{
		V: Version, Started: started.UTC().Truncate(time.Millisecond), TookMS: time.Since(started).Milliseconds(), Results: run.results,
	}
}

// outcome is how the probe of one check ended.
type outcome struct {
	index   int // of the check
	finding Finding
	err     error // why there is no finding
}

func runProbes(ctx context.Context, wanted []int, checks []Check, prober Prober, ended chan<- outcome) {
	var probes errgroup.Group
	probes.SetLimit(concurrency)
	for _, i := range wanted {
		probes.Go(func() error {
			finding, missed := runProbe(ctx, checks[i], prober)
			ended <- outcome{i, finding, missed}
			return nil
		})
	}
}

// runProbe probes one check. It returns in time even if the prober does not.
func runProbe(ctx context.Context, check Check, prober Prober) (Finding, error) {
	if ctx.Err() != nil {
		return Finding{}, getEndReason(ctx)
	}
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	found := make(chan Finding, 1)
	go func() { found <- recoverProbe(limited, check, prober) }()
	finding, late := awaitFinding(limited, found)
	if ctx.Err() != nil && (finding.Degraded || !finding.IsReached()) {
		return Finding{}, getEndReason(ctx) // what is wrong may be the end of the run
	}
	if late {
		finding.Evidence = map[string]string{EvidenceError: "no result within " + probeLimit.String()}
	}
	return withDuration(finding, time.Since(began)), nil
}

// awaitFinding returns what was found, or a finding of its own if nothing is found soon after ctx has ended.
func awaitFinding(ctx context.Context, found <-chan Finding) (finding Finding, late bool) {
	select {
	case finding = <-found:
		return finding, false
	case <-ctx.Done():
	}
	last := time.NewTimer(probeGrace)
	defer last.Stop()
	select {
	case finding = <-found:
		return finding, false
	case <-last.C:
		return Finding{Class: HTTPTimeout}, true
	}
}

// recoverProbe makes a finding out of a panic: one hostile answer must not take the others' results along.
func recoverProbe(ctx context.Context, check Check, prober Prober) (finding Finding) {
	defer func() {
		if cause := recover(); cause != nil {
			finding = Finding{Class: Malformed, Evidence: map[string]string{EvidenceError: Sanitize(fmt.Sprintf("the probe broke down: %v", cause))}}
		}
	}()
	return prober.Probe(ctx, check)
}

func getEndReason(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), errTimeUp) || errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return errTimeUp
	}
	return errStopped
}
