package run

import (
	"context"
	"time"

	"exoshift/internal/app/changes"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/state"
)

// Display shows a run to a person or a program.
type Display interface {
	// ShowAnswers shows answers that differ from those in force.
	ShowAnswers(answers []changes.Answer)
	// Warn shows a line beside the run.
	Warn(line string)
	// Open decouples a run from its readers, and begins to show it.
	Open(ctx context.Context, shown View) Renderer
	// Close shows how the run ended, and waits for readers.
	Close(end Outcome)
}

// Renderer passes on the events of a run while RunWith runs its body.
type Renderer struct {
	Emit    func(provisioner.Event)
	RunWith func(body func()) error // an error is that of the Display, never that of the body
	// IsAttended reports whether a person can be asked now; nil: nobody can.
	IsAttended func() bool
}

// View is what a display may know of a run.
type View struct {
	Spec   state.Spec
	Folder state.Folder
	Kept   bool   // the folder, after a run that went well
	Verb   string // what is done with an installed cluster; "": it is being installed
	Plan   provisioner.Plan
	Now    func() time.Time
	Speed  float64 // of a rehearsal's clock; 0 otherwise
	Resume string  // the command that resumes the run
	Events string  // path of the complete record; "" if it is not kept

	Stop           func() // ends the run once current calls have ended
	ApproveNewKeys func() // of machines that wait for a decision
	// Decide answers the question about a finding, by its rule.
	Decide func(rule string, reply provisioner.Reply)
}

// Outcome is how a run ended.
type Outcome struct {
	Board     *provisioner.Board
	Facts     state.Facts
	Locations handover.Locations
	Events    string            // path of the complete record; "" if it was not kept
	Log       func(line string) // writes to the run's log
}
