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

// Repeater is a Prober that can probe a service again, when nothing else is probed at the same time, more thoroughly.
type Repeater interface {
	Repeat(ctx context.Context, check Check) Finding
}

// Bounds of a run. This concurrency finishes the catalogue, and as many checks again, within twice the longest probe,
// even if every probe takes its whole limit, as behind a closed firewall.
const (
	concurrency = 160
	probeLimit  = 30 * time.Second // of one probe, whatever its own limits are
	totalLimit  = 60 * time.Second
	probeGrace  = 250 * time.Millisecond // for a probe to return its finding after its time is up
)

// Reasons for an unfinished probe.
var (
	errStopped = errors.New("the run was stopped")
	errTimeUp  = errors.New("the run timed out")
)

// Run runs all checks of a task concurrently, and emits each result once, and those again that all results together show in
// another light. A check is skipped if one that it needs failed.
// What may have failed only because of the other probes, or of packets that were lost, is repeated by a Repeater.
// It ends with ctx at the latest; then the checks that were not probed have a result, too.
func Run(parent context.Context, task Task, prober Prober, emit func(Result)) Report {
	started := time.Now()
	ctx, cancel := context.WithTimeoutCause(parent, totalLimit, errTimeUp)
	defer cancel()
	run := newProgress(task, started, emit)
	ended := make(chan outcome, len(task.Checks)) // buffered for all: a probe never waits for the receiver
	wanted := run.listWanted()
	go runProbes(ctx, wanted, task.Checks, prober, ended)
	later := newPostponed(task.Checks, prober)
	for range wanted {
		if o := <-ended; !later.take(o) {
			run.record(o)
		}
	}
	later.finish(parent, run.record)
	run.close()
	run.markSharedIssuer()
	return Report{
		V: Version, Started: started.UTC().Truncate(time.Millisecond), TookMS: time.Since(started).Milliseconds(), Results: run.results,
	}
}

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

// runProbe returns in time even if the prober does not.
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
		return Finding{}, getEndReason(ctx) // the failure may be the end of the run
	}
	if late {
		finding.Evidence = map[string]string{EvidenceError: "no result within " + probeLimit.String()}
	}
	return withDuration(finding, time.Since(began)), nil
}

// If nothing is found soon after ctx has ended, it returns a finding of its own.
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

// One hostile answer that causes a panic must not lose the other results.
func recoverProbe(ctx context.Context, check Check, prober Prober) (finding Finding) {
	defer func() {
		if cause := recover(); cause != nil {
			finding = Finding{Class: Malformed, Evidence: map[string]string{EvidenceError: Sanitize(fmt.Sprintf("the probe failed: %v", cause))}}
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
