// Package fleet is about all clusters of a team's shared state at once: what a run keeps of its cluster for the others, how the
// clusters are, and whether they are as their answers say.
package fleet

import (
	"bytes"
	"os"
	"sync"
	"time"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/exit"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/provisioner/install/preflight"
	"exoshift/state"
	"exoshift/state/lease"
	"exoshift/state/shared"
	"exoshift/wizard/answersfile"
)

// Phases of a cluster beyond those of the recipe.
const (
	PhaseNew       = "new"       // nothing was created
	PhaseInstalled = "installed" // an installation has succeeded, and no run has been on it since that failed
	PhaseTeardown  = "teardown"
	PhaseDestroyed = "destroyed"
)

// Verbs of runs.
const (
	VerbInstall  = "install"
	VerbDestroy  = "destroy"
	VerbAddNodes = "nodes add"
)

// Summarizer makes the summary of a cluster from its folder, again and again while a run works on it.
type Summarizer struct {
	folder   state.Folder
	before   shared.RunSummary // the run before
	recorded int64             // bytes of records that there were before the run

	mu      sync.Mutex
	holder  *lease.Holder // of the run; nil: none is known
	state   string        // of the run; "": as the events say
	answers []byte
	spec    state.Spec
	events  clusterdir.EventReader
	board   *provisioner.Board
	success time.Time // of the last run that succeeded
}

// NewSummarizer returns one for a folder that no run works on: the last run is what the events say.
func NewSummarizer(folder state.Folder) *Summarizer {
	return &Summarizer{folder: folder, events: clusterdir.EventReader{Folder: folder}, board: provisioner.NewBoard(nil)}
}

// NewRunSummarizer returns one for the folder that a run works on. before is the run before it.
func NewRunSummarizer(folder state.Folder, holder lease.Holder, before shared.RunSummary) *Summarizer {
	s := NewSummarizer(folder)
	s.before, s.holder, s.state, s.recorded = before, &holder, shared.RunRunning, measureRecords(folder)
	return s
}

// measureRecords returns how many bytes the records of changes and of runs have together.
func measureRecords(folder state.Folder) (bytes int64) {
	for _, name := range []string{state.JournalFile, state.EventsFile, state.TeardownFile, state.NodesFile} {
		if info, err := os.Stat(folder.Path(name)); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}

// End says that the run has ended, with an exit code. One that was refused, and recorded nothing, is not the cluster's last run.
func (s *Summarizer) End(code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case code == exit.OK:
		s.state = shared.RunOK
	case measureRecords(s.folder) == s.recorded:
		s.state, s.holder = s.before.State, s.before.Holder
	case code == exit.Interrupted:
		s.state = shared.RunInterrupted
	default:
		s.state = shared.RunFailed
	}
}

// Summarize returns the summary as of now. What cannot be read yet is missing in it.
func (s *Summarizer) Summarize() shared.Summary {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readAnswers()
	_ = s.events.Read(s.fold) // what was not read is read next time
	facts, _ := s.folder.LoadFacts()
	summary := shared.Summary{
		Labels: s.spec.Cluster.Labels, Zone: s.spec.Exoscale.Zone, Version: s.spec.OpenShift.Version,
		Run: shared.RunSummary{State: s.state, Holder: s.holder}, Phase: s.findPhase(facts),
		Lieutenant: s.spec.Syn.LieutenantURL, Tenant: s.spec.Syn.Tenant, LastSuccess: s.success.UTC().Truncate(time.Second),
	}
	if facts.Version() != "" {
		summary.Version = facts.Version()
	}
	if s.state == "" {
		summary.Run.State = toRunState(s.board.Run)
	}
	if !facts.Destroyed.IsZero() {
		return summary
	}
	s.addCluster(&summary, facts)
	return summary
}

func (s *Summarizer) addCluster(summary *shared.Summary, facts state.Facts) {
	summary.Nodes = len(s.spec.Nodes())
	for _, node := range s.board.Nodes {
		if node.State == provisioner.NodeReady {
			summary.NodesReady++
		}
	}
	for _, operator := range s.board.Operators {
		if operator.State == "degraded" {
			summary.Degraded = append(summary.Degraded, operator.Name)
		}
	}
	for _, finding := range s.board.Findings {
		summary.Findings = append(summary.Findings, finding.Name+": "+finding.Text)
	}
	if cost, err := preflight.Estimate(s.spec); err == nil && s.answers != nil {
		summary.CostMonth = cost.Month
	}
	if !facts.IsBootstrapped() {
		summary.Expires = facts.IgnitionExpires.UTC().Truncate(time.Second)
	}
}

// readAnswers begins anew with the events if the answers have changed: the plan, by which they are understood, may be another one.
func (s *Summarizer) readAnswers() {
	content, err := s.folder.Read(state.AnswersFile)
	if err != nil || bytes.Equal(content, s.answers) {
		return
	}
	spec, faults := answersfile.Parse(state.AnswersFile, content)
	if len(faults) > 0 {
		return
	}
	s.answers, s.spec = content, spec
	s.events, s.board, s.success = clusterdir.EventReader{Folder: s.folder}, provisioner.NewBoard(install.Steps(spec)), time.Time{}
}

func (s *Summarizer) fold(event provisioner.Event) {
	s.board.Fold(event)
	if event.Type == provisioner.TypeRun && event.State == provisioner.Finished && event.Result == "ok" {
		s.success = event.Time
	}
}

func (s *Summarizer) findPhase(facts state.Facts) string {
	switch {
	case !facts.Destroyed.IsZero():
		return PhaseDestroyed
	case s.holder != nil && s.holder.Verb == VerbDestroy:
		return PhaseTeardown
	case s.board.Run.Type == "":
		return PhaseNew
	case s.board.Run.State == provisioner.Finished && s.board.Run.Result == "ok":
		return PhaseInstalled
	}
	for _, step := range s.board.Steps {
		if step.State != provisioner.Done && (step.State != provisioner.Skipped || step.Unreached) {
			return step.Phase
		}
	}
	return PhaseInstalled
}

// toRunState is for runs that are only known by their last event.
func toRunState(last provisioner.Event) string {
	switch {
	case last.Type == "":
		return ""
	case last.State == provisioner.Started:
		return shared.RunLost
	case last.Result == "ok":
		return shared.RunOK
	case last.Result == "interrupted":
		return shared.RunInterrupted
	}
	return shared.RunFailed
}
