package provisioner

import "context"

// Report tells what happens inside a step. The run adds the step and its phase.
type Report func(Event)

// EmitProgress tells a sentence about a running step.
func (r Report) EmitProgress(text string) { r(Event{Type: TypeStep, State: Progress, Text: text}) }

// EmitActionNeeded tells what a running step waits for somebody to do, or with "" that it no longer does.
func (r Report) EmitActionNeeded(errand string) {
	text := "waiting for you"
	if errand == "" {
		text = "no longer waiting for you"
	}
	r(Event{Type: TypeStep, State: Progress, Text: text, Hint: errand})
}

// SignIn signs in by a function that leads a person to a page if it has to, and tells that as an errand. show nil: nobody is
// there.
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

// EmitObject tells what became of an object: of the cloud, of the cluster, or of what keeps them. The action is as in Event.
func (r Report) EmitObject(kind, name, id, action string) {
	r(Event{Type: TypeObject, Kind: kind, Name: name, ID: id, Action: action})
}
