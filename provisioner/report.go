package provisioner

import "context"

// Report emits an event of a running step. The run adds the step and its phase.
type Report func(Event)

// EmitProgress emits a sentence about a running step.
func (r Report) EmitProgress(text string) { r(Event{Type: TypeStep, State: Progress, Text: text}) }

// EmitActionNeeded emits the action that a running step waits for; "" ends it.
func (r Report) EmitActionNeeded(action string) {
	text := "waiting for you"
	if action == "" {
		text = "no longer waiting for you"
	}
	r(Event{Type: TypeStep, State: Progress, Text: text, Hint: action})
}

// SignIn signs in with a function that opens a page for the user if it has to, and emits that as an action needed. show
// nil: there is no user.
func (r Report) SignIn(ctx context.Context, by func(context.Context, func(context.Context, string) error) error, show func(context.Context, string) error) error {
	if show == nil {
		return by(ctx, nil)
	}
	asked := false
	err := by(ctx, func(ctx context.Context, url string) error {
		asked = true
		r.EmitActionNeeded("sign in in a browser: " + url)
		return show(ctx, url)
	})
	if asked {
		r.EmitActionNeeded("")
	}
	return err
}

// EmitObject emits what was done with an object: of the cloud, of the cluster, or of the stores of both. The action is as
// in Event.
func (r Report) EmitObject(kind, name, id, action string) {
	r(Event{Type: TypeObject, Kind: kind, Name: name, ID: id, Action: action})
}
