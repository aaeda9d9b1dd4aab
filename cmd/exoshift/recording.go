package main

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

	"exoshift/provisioner"
	"exoshift/state"
)

// longestEvent is how long a line of a recording may be, in bytes: longer ones are none of ours.
const longestEvent = 1 << 20

// recording is one run as it was recorded: in order, and with times that never go back.
type recording []provisioner.Event

// readRecordings reads runs from the lines that they left. Whatever is no event is passed over: torn lines, other JSON, types
// and fields of other versions.
func readRecordings(r io.Reader) ([]recording, error) {
	var runs []recording
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

// readWholeLine returns the next line, or nothing of one that is too long.
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

// parseEvent reads an event, also if a field has another form than it has now.
func parseEvent(line []byte) (provisioner.Event, bool) {
	var e provisioner.Event
	var differs *json.UnmarshalTypeError
	if err := json.Unmarshal(line, &e); err != nil && !errors.As(err, &differs) {
		return e, false
	}
	return e, e.V > 0 && e.Type != ""
}

// isEndedBy tells whether an event is of another run: it happened after the last one of this, or it is the first one of
// the next. What is not later only came too late.
func (r recording) isEndedBy(e provisioner.Event) bool {
	const late = 16 // events that may come too late
	last := r[len(r)-1]
	for _, near := range r[max(0, len(r)-late):] {
		if near.Type == provisioner.TypeRun && near.State == provisioner.Finished && e.Time.After(near.Time) {
			return true
		}
	}
	return isFirstEvent(e) && (isFirstEvent(r[0]) || e.Time.After(last.Time))
}

// isFirstEvent tells whether an event is the first one of its run.
func isFirstEvent(e provisioner.Event) bool {
	return e.Seq == 1 || e.Type == provisioner.TypeRun && e.State == provisioner.Started
}

// order sorts by the numbers, if all events have one, and gives each event a time that is not before the last one's.
func (r recording) order() {
	if !slices.ContainsFunc(r, func(e provisioner.Event) bool { return e.Seq <= 0 }) {
		slices.SortStableFunc(r, func(a, b provisioner.Event) int { return cmp.Compare(a.Seq, b.Seq) })
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

// buildPlan returns the steps that the run has come to, in the order in which it came to them; the titles are told by any of
// the runs.
func (r recording) buildPlan(all []recording) provisioner.Plan {
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

// listNodes returns the nodes that the run tells of.
func (r recording) listNodes() []state.Machine {
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
