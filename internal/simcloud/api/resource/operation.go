package resource

import (
	"hash/fnv"
	"time"

	"exoshift/internal/simcloud/api/rest"
)

// Operation is a pending mutation; it completes at Due.
type Operation struct {
	Row
	Wire WireOperation
	Due  time.Time
	// Template is the ID of the registration whose outcome is the operation's.
	Template string
	// Forget removes the reference on completion, as the live service does for deleted anti-affinity groups.
	Forget bool
}

// WireOperation is an operation in the wire format.
type WireOperation struct {
	ID        string     `json:"id"`
	State     string     `json:"state"`
	Reason    string     `json:"reason,omitempty"`
	Message   string     `json:"message,omitempty"`
	Reference *Reference `json:"reference,omitempty"`
	Resource  *Affected  `json:"resource,omitempty"`
}

// Reference is the resource that an operation changes.
type Reference struct {
	ID      string `json:"id"`
	Link    string `json:"link"`
	Command string `json:"command"`
}

// Affected replaces the reference in operations that start or stop an instance; undeclared but recorded.
type Affected struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

const operationNoun = "operation"

// The states of an operation, and of a health check.
const (
	pending = "pending"
	Success = "success"
	Failure = "failure"
)

// RegisterRoutes adds the routes of operations.
func (s *Store) RegisterRoutes(register rest.Register) {
	register("GET /operation/{id}", func(req *rest.Request) (any, error) {
		op, err := s.operations.Get(req.Zone, req.ID())
		return op.Wire, err
	})
}

// NewReference returns a reference with the command "get-<noun>".
func NewReference(noun, id string) *Reference {
	return &Reference{ID: id, Link: "/v2/" + noun + "/" + id, Command: "get-" + noun}
}

// Begin starts an operation and returns its wire format.
func (s *Store) Begin(zone string, delay time.Duration, op Operation) (any, error) {
	head, err := s.NewRow(zone)
	if err != nil {
		return nil, err
	}
	op.Row, op.Due = head, head.Created.Add(delay)
	op.Wire.ID, op.Wire.State = head.ID, pending
	if err := s.operations.Put(op); err != nil {
		return nil, err
	}
	s.schedule(op.Due, operationNoun, op.ID)
	return op.Wire, nil
}

// StartOperation begins an operation with the default duration, which refers to a resource.
func (s *Store) StartOperation(head Row, noun string) (any, error) {
	return s.Begin(head.Zone, Duration(head.ID), Operation{Wire: WireOperation{Reference: NewReference(noun, head.ID)}})
}

// CompleteOperation returns an operation that is complete at once, without a reference, as those of SSH keys are.
func (s *Store) CompleteOperation() (any, error) {
	head, err := s.NewRow("")
	if err != nil {
		return nil, err
	}
	op := Operation{Row: head, Wire: WireOperation{ID: head.ID, State: Success}}
	return op.Wire, s.operations.Put(op)
}

// Duration returns 3 to 8 seconds, derived from the name so that two runs differ by their IDs only.
func Duration(name string) time.Duration {
	return SpreadDuration(name, 3*time.Second, 8*time.Second)
}

// SpreadDuration is Duration with other limits.
func SpreadDuration(name string, least, most time.Duration) time.Duration {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name)) // a hash never fails
	return least + time.Duration(hash.Sum64()%uint64(most-least))
}

// Outcome is the result of a template's registration.
type Outcome struct {
	Pending         bool // the image is still being fetched
	Reason, Failure string
}

// OnTemplate sets the function that returns, once, the outcome of the registration that an operation refers to by Operation.Template.
func (s *Store) OnTemplate(outcome func(template string) (Outcome, error)) { s.outcome = outcome }

// completeOperation ends a due operation. One whose template is still being fetched waits for that.
func (s *Store) completeOperation(id string) error {
	op, ok := s.operations.Lookup(id)
	if !ok {
		return nil
	}
	op.Wire.State = Success
	if op.Template != "" {
		result, err := s.outcome(op.Template)
		switch {
		case err != nil:
			return err
		case result.Pending:
			s.waiting = append(s.waiting, id)
			return nil
		case result.Failure != "":
			op.Wire.State, op.Wire.Reason, op.Wire.Message = Failure, result.Reason, result.Failure
		}
	}
	if op.Forget {
		op.Wire.Reference = nil
	}
	return s.operations.Put(op)
}

// RetryWaiting retries the operations that wait for a template.
func (s *Store) RetryWaiting() {
	for _, id := range s.waiting {
		s.schedule(s.Now(), operationNoun, id)
	}
	s.waiting = nil
}
