// Package recording reads recorded runs, and replays them at any speed.
package recording

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"exoshift/internal/stable"
	"exoshift/provisioner"
	"exoshift/state"
)

// longestEvent is the maximum length of an event, in bytes: longer lines are foreign.
const longestEvent = 1 << 20

// Run is the events of one run in order, with monotonic times.
type Run []provisioner.Event

// Read returns the runs of an events file in order. It skips what is not an event: torn lines, other JSON, unknown types and fields of other versions.
func Read(r io.Reader) ([]Run, error) {
	var runs []Run
	lines := bufio.NewReader(r)
	for {
		line, err := readWholeLine(lines)
		if e, ok := parseEvent(line); ok {
			if last := len(runs) - 1; last < 0 || runs[last].isEndedBy(e) {
				runs = append(runs, nil)
			}
			runs[len(runs)-1] = append(runs[len(runs)-1], e)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read the events: %w", err)
		}
	}
	for _, run := range runs {
		run.order()
	}
	return runs, nil
}

// readWholeLine returns an empty line in place of one that is too long.
func readWholeLine(lines *bufio.Reader) (line []byte, err error) {
	for {
		part, err := lines.ReadSlice('\n')
		if len(line) <= longestEvent {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(line) > longestEvent {
			line = nil
		}
		return bytes.TrimSpace(line), err
	}
}

// parseEvent ignores fields of a different type.
func parseEvent(line []byte) (provisioner.Event, bool) {
	var e provisioner.Event
	var differs *json.UnmarshalTypeError
	if err := json.Unmarshal(line, &e); err != nil && !errors.As(err, &differs) {
		return e, false
	}
	return e, e.V > 0 && e.Type != ""
}

// isEndedBy reports whether an event belongs to another run: it is later than the last event of this run, or the first one of
// the next. Earlier events were only delayed.
func (r Run) isEndedBy(e provisioner.Event) bool {
	const late = 16 // maximum number of delayed events
	last := r[len(r)-1]
	for _, near := range r[max(0, len(r)-late):] {
		if near.Type == provisioner.TypeRun && near.State == provisioner.Finished && e.Time.After(near.Time) {
			return true
		}
	}
	return isFirstEvent(e) && (isFirstEvent(r[0]) || e.Time.After(last.Time))
}

func isFirstEvent(e provisioner.Event) bool {
	return e.Seq == 1 || e.Type == provisioner.TypeRun && e.State == provisioner.Started
}

// order sorts by sequence number, if all events have one, and makes times monotonic.
func (r Run) order() {
	if !slices.ContainsFunc(r, func(e provisioner.Event) bool { return e.Seq <= 0 }) {
		stable.Sort(r, func(a, b provisioner.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	}
	var last time.Time
	for _, e := range r {
		if last = e.Time; !last.IsZero() {
			break
		}
	}
	for i := range r {
		if r[i].Time.Before(last) {
			r[i].Time = last
		}
		last = r[i].Time
	}
}

// BuildPlan returns the steps of the run in the order of their start; their titles may come from any of the runs.
func (r Run) BuildPlan(all []Run) provisioner.Plan {
	titles := map[string]string{}
	for _, run := range all {
		for _, e := range run {
			if e.Type == provisioner.TypeStep && e.State == provisioner.Started && e.Text != "" {
				titles[e.Step] = e.Text
			}
		}
	}
	var plan provisioner.Plan
	known := map[string]bool{}
	for _, e := range r {
		if e.Type == provisioner.TypeStep && !known[e.Step] {
			known[e.Step] = true
			plan = append(plan, provisioner.Step{ID: e.Step, Phase: e.Phase, Title: cmp.Or(titles[e.Step], e.Step)})
		}
	}
	return plan
}

// ListNodes returns the machines that the run has named.
func (r Run) ListNodes() []state.Machine {
	var machines []state.Machine
	known := map[string]bool{}
	for _, e := range r {
		if e.Type == provisioner.TypeNode && !known[e.Name] {
			known[e.Name] = true
			machines = append(machines, state.Machine{Name: e.Name, Role: state.Role(e.Role)})
		}
	}
	return machines
}

// FindNewerFormat returns the newest format of its events if this program does not know it, else 0.
func (r Run) FindNewerFormat() int {
	newest := 0
	for _, e := range r {
		newest = max(newest, e.V)
	}
	if newest > provisioner.Version {
		return newest
	}
	return 0
}

// Title returns what was run, and when.
func (r Run) Title() string {
	what := r[0].Time.Format("2006-01-02 15:04")
	if r[0].Type == provisioner.TypeRun && r[0].Text != "" {
		what = r[0].Text + " · " + what
	}
	return what
}
