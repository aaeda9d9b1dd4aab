package openshift

import (
	"context"
	"errors"

	"exoshift/internal/network"
	"exoshift/state"
)

// steadyAnswers is how many times in a row the temporary API must be ready before it counts: it flaps while its pods
// restart.
const steadyAnswers = 2

// progress is what has been seen of the bootstrap. What was seen once stays seen.
type progress struct {
	reached map[string]bool
	answers int // of the API, in a row
}

func newProgress() progress { return progress{reached: map[string]bool{}} }

// Bootstrap looks how far the bootstrap is. Phases that were reached in an earlier call stay reached, also when the
// API does not answer: the status is valid beside an error.
func (c *Cluster) Bootstrap(ctx context.Context) (state.BootstrapStatus, error) {
	api, err := c.connect(ctx)
	if err == nil {
		err = api.ready(ctx)
	}
	if steady := c.count(err); err != nil || !steady {
		return c.status(evidence{}, err), err
	}
	found, err := api.look(ctx, c.has)
	c.note(found)
	return c.status(found, err), err
}

// count counts the answers in a row and tells whether they are enough to rely on the API.
func (c *Cluster) count(failure error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if failure != nil {
		c.progress.answers = 0
		return false
	}
	c.progress.answers++
	if c.progress.answers >= steadyAnswers {
		c.progress.reach(state.PhaseTemporaryAPI)
	}
	return c.progress.reached[state.PhaseTemporaryAPI]
}

func (c *Cluster) has(phase string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.progress.reached[phase]
}

func (c *Cluster) note(found evidence) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, phase := range found.phases() {
		c.progress.reach(phase)
	}
}

// status lists what was reached, in order, and says what the first missing phase waits for.
func (c *Cluster) status(found evidence, failure error) state.BootstrapStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	var status state.BootstrapStatus
	for _, phase := range state.Phases() {
		switch {
		case c.progress.reached[phase]:
			status.Reached = append(status.Reached, phase)
		case status.Waiting == "" && failure != nil:
			status.Waiting = sentence(failure)
		case status.Waiting == "":
			status.Waiting = found.waiting(phase)
		}
	}
	return status
}

// reach notes a phase and all phases that must have been before it.
func (p progress) reach(phase string) {
	if p.reached[phase] {
		return
	}
	p.reached[phase] = true
	for _, earlier := range impliedBy(phase) {
		p.reach(earlier)
	}
}

// sentence says why the API did not answer.
func sentence(failure error) string {
	var short network.Brief
	if errors.As(failure, &short) {
		return "the API does not answer: " + short.Sentence
	}
	return failure.Error()
}
