package shared

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"exoshift/state/lease"
)

// commandStream is the stream of all that runs of a cluster were told from elsewhere.
const commandStream = "commands.jsonl"

// commandEach is how often a run looks for commands.
const commandEach = 6 * time.Second

// Command is what somebody elsewhere asks of a run.
type Command struct {
	Time   time.Time    `json:"time"`
	By     lease.Holder `json:"by"`
	Action string       `json:"action"` // one of the constants
	Rule   string       `json:"rule,omitempty"`
	Reply  string       `json:"reply,omitempty"` // to the finding of a rule
}

// What can be asked of a run.
const (
	CommandStop           = "stop"
	CommandDecide         = "decide"
	CommandApproveNewKeys = "approve-new-keys"
)

// ReceiveCommands calls handle with each command that is sent from now on, until ctx ends.
func (w *Workspace) ReceiveCommands(ctx context.Context, handle func(Command)) {
	r, id := &w.place.repository, w.id
	count, err := r.listSegments(ctx, id, commandStream, Stream{})
	if err != nil {
		return // without commands a run goes on
	}
	follower := Follower{repository: r, id: id, stream: commandStream, fixed: true, next: count + 1}
	ticker := time.NewTicker(commandEach)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		lines, err := follower.Poll(ctx)
		if err != nil {
			continue // the next one tries again
		}
		for line := range bytes.Lines(lines) {
			var command Command
			if json.Unmarshal(line, &command) == nil {
				handle(command)
			}
		}
	}
}
