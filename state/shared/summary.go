package shared

import (
	"bytes"
	"time"

	"exoshift/state/lease"
)

// Summary is what an overview of many clusters shows of one. The run that works on a cluster keeps it in the head, so that it can be
// read, and trusted, without the folder.
type Summary struct {
	Labels      map[string]string `json:"labels,omitempty"`
	Zone        string            `json:"zone,omitempty"`
	Version     string            `json:"version,omitempty"` // of OpenShift
	Phase       string            `json:"phase,omitempty"`   // of the recipe, or where the cluster is after it
	Run         RunSummary        `json:"run,omitzero"`
	Nodes       int               `json:"nodes,omitempty"` // of the answers
	NodesReady  int               `json:"nodes_ready,omitempty"`
	Degraded    []string          `json:"degraded,omitempty"`   // operators
	Findings    []string          `json:"findings,omitempty"`   // a sentence each
	CostMonth   float64           `json:"cost_month,omitempty"` // by the prices of the program
	Expires     time.Time         `json:"expires,omitzero"`     // of the certificates to start the cluster with; zero: it has started
	LastSuccess time.Time         `json:"last_success,omitzero"`
	Lieutenant  string            `json:"lieutenant,omitempty"` // URL of the Lieutenant that it is registered at
	Tenant      string            `json:"tenant,omitempty"`
}

// RunSummary is the last run that changed, or changes, a cluster.
type RunSummary struct {
	State  string        `json:"state,omitempty"` // one of the constants
	Holder *lease.Holder `json:"holder,omitempty"`
}

// States of a run.
const (
	RunRunning     = "running"
	RunOK          = "ok"
	RunFailed      = "failed"
	RunInterrupted = "interrupted"
	RunLost        = "lost" // it neither ended nor renews its lock
)

// LastRun returns the run that worked on the cluster before this one, as the head has it.
func (w *Workspace) LastRun() RunSummary {
	if w.before == nil {
		return RunSummary{}
	}
	return w.before.Run
}

// SetSummarizer has the run's summary kept in the head: summarize is called by one goroutine at a time, and its result is stored if it
// has changed.
func (w *Workspace) SetSummarizer(summarize func() Summary) {
	w.summaries.mu.Lock()
	defer w.summaries.mu.Unlock()
	w.summaries.summarize = summarize
}

// updateSummary puts the current summary into the next head.
func (w *Workspace) updateSummary() {
	w.summaries.mu.Lock()
	defer w.summaries.mu.Unlock()
	if w.summaries.summarize != nil {
		current := w.summaries.summarize()
		w.summaries.current = &current
	}
}

// findNewSummary returns the current summary, and whether the head has another one.
func (w *Workspace) findNewSummary(head Head) (*Summary, bool) {
	w.summaries.mu.Lock()
	defer w.summaries.mu.Unlock()
	return w.summaries.current, w.summaries.current != nil && !bytes.Equal(encode(w.summaries.current), encode(head.Summary))
}
