package api

import (
	"hash/fnv"
	"time"
)

// operation is a pending mutation; it completes at Due.
type operation struct {
	row
	Wire wireOperation
	Due  time.Time
	// Template is the ID of the registration whose outcome is the operation's.
	Template string
	// Forget removes the reference on completion, as the live service does for deleted anti-affinity groups.
	Forget bool
}

type wireOperation struct {
	ID        string     `json:"id"`
	State     string     `json:"state"`
	Reason    string     `json:"reason,omitempty"`
	Message   string     `json:"message,omitempty"`
	Reference *reference `json:"reference,omitempty"`
	Resource  *resource  `json:"resource,omitempty"`
}

type reference struct {
	ID      string `json:"id"`
	Link    string `json:"link"`
	Command string `json:"command"`
}

// resource replaces the reference in operations that start or stop an instance; undeclared but recorded.
type resource struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

const operationNoun = "operation"

const (
	pending = "pending"
	success = "success"
	failure = "failure"
)

func (a *API) registerOperationRoutes(register func(string, handler)) {
	register("GET /operation/{id}", func(c *call) (any, error) {
		op, err := a.tables.operations.get(c.zone, c.id())
		return op.Wire, err
	})
}

// newReference returns a reference with the command "get-<noun>".
func newReference(noun, id string) *reference {
	return &reference{ID: id, Link: "/v2/" + noun + "/" + id, Command: "get-" + noun}
}

// begin starts an operation and returns its wire format.
func (a *API) begin(zone string, delay time.Duration, op operation) (any, error) {
	head, err := a.newRow(zone)
	if err != nil {
		return nil, err
	}
	op.row, op.Due = head, head.Created.Add(delay)
	op.Wire.ID, op.Wire.State = head.ID, pending
	if err := a.tables.operations.put(op); err != nil {
		return nil, err
	}
	a.schedule(op.Due, operationNoun, op.ID)
	return op.Wire, nil
}

// startOperation begins an operation with the default duration.
func (a *API) startOperation(head row, noun string) (any, error) {
	return a.begin(head.Zone, computeDuration(head.ID), operation{Wire: wireOperation{Reference: newReference(noun, head.ID)}})
}

// computeDuration returns 3 to 8 seconds, derived from the name so that two runs differ by their IDs only.
func computeDuration(name string) time.Duration {
	return spreadDuration(name, 3*time.Second, 8*time.Second)
}

func spreadDuration(name string, least, most time.Duration) time.Duration {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name)) // a hash never fails
	return least + time.Duration(hash.Sum64()%uint64(most-least))
}

// complete ends a due operation. One whose template is still being fetched waits for that.
func (a *API) complete(id string) error {
	op, ok := a.tables.operations.table.Get(id)
	if !ok {
		return nil
	}
	op.Wire.State = success
	if op.Template != "" {
		outcome, ok := a.tables.templates.table.Get(op.Template)
		if ok && !outcome.Fetched {
			a.waiting = append(a.waiting, id)
			return nil
		}
		if outcome.Failure != "" {
			op.Wire.State, op.Wire.Reason, op.Wire.Message = failure, outcome.Reason, outcome.Failure
			if err := a.tables.templates.delete(op.Template); err != nil {
				return err
			}
		}
	}
	if op.Forget {
		op.Wire.Reference = nil
	}
	return a.tables.operations.put(op)
}

// resumeOperations retries the operations that wait for a template.
func (a *API) resumeOperations() {
	for _, id := range a.waiting {
		a.schedule(a.now(), operationNoun, id)
	}
	a.waiting = nil
}
