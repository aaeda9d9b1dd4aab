package wizard

import (
	"fmt"
	"maps"

	"exoshift/internal/text/similar"
	"exoshift/state"
	"exoshift/wizard/profile"
)

// Origins of answers. Where an answer is from a file, a variable or a flag, the origin names it: "answers.yaml:12",
// "EXOSHIFT_EXOSCALE_ZONE", "--set". A detected one names its source: "detected: ~/.ssh/id_ed25519.pub".
const (
	ByDefault = "default"
	Typed     = "typed"
	Detected  = "detected"
)

// Answers are the answers given so far, each with its origin.
type Answers struct {
	Spec    state.Spec
	Origins map[string]string // by the keys of Fields; a key that is missing has its default
}

// NewAnswers returns the defaults.
func NewAnswers() *Answers { return &Answers{Spec: state.Default(), Origins: map[string]string{}} }

// Set stores an answer given as text, or changes nothing and returns what is wrong with it. It does not check rules
// across fields.
func (a *Answers) Set(key, text, origin string) error {
	field, ok := Find(ListFieldsOf(a.Spec), key)
	if !ok {
		return Problem{Field: key, Message: "unknown key", Suggestion: similar.FindNearest(key, ListKeys())}
	}
	if err := field.Set(&a.Spec, text); err != nil {
		return err
	}
	a.clearOrigin(key)
	a.Origins[toOriginKey(key)] = origin
	profile.Apply(&a.Spec, a.Origins)
	return nil
}

// Clear removes an answer: the field has its default again.
func (a *Answers) Clear(key string) error {
	field, ok := Find(append(Fields(), FactFields()...), key)
	if !ok {
		return fmt.Errorf("clear %s: not a field", key)
	}
	usual := state.Default()
	if err := field.value.store(&a.Spec, field.Get(usual)); err != nil {
		return err
	}
	a.clearOrigin(key)
	profile.Apply(&a.Spec, a.Origins)
	return nil
}

// Origin returns the origin of a field's answer.
func (a *Answers) Origin(key string) string {
	if fact, is := Find(FactFields(), key); is && fact.Get(a.Spec) == "" {
		return ByDefault // the origin of the other facts
	}
	if origin, given := a.Origins[key]; given {
		return origin
	}
	if origin, given := a.Origins[toOriginKey(key)]; given {
		return origin
	}
	return ByDefault
}

// Copy returns answers that change independently, but for slices and maps, which are replaced and never written to.
func (a *Answers) Copy() *Answers { return &Answers{Spec: a.Spec, Origins: maps.Clone(a.Origins)} }

// Fields of an additional group share the origin of all groups.
func toOriginKey(key string) string {
	fields := Fields()
	for whole := key; whole != ""; whole = ParentOf(whole) {
		if _, ok := Find(fields, whole); ok {
			return whole
		}
	}
	return key
}

// ListKeys returns the keys of all fields, in the order of the file.
func ListKeys() []string {
	var all []string
	for _, field := range Fields() {
		all = append(all, field.Key)
	}
	return all
}

// Effect is what a changed answer means for an existing cluster.
type Effect string

// The effects. A refused change ends an installation before it changes anything.
const (
	NoEffect Effect = "no effect"                            // accepted, and existing objects stay as they are
	Applied  Effect = "install carries it out"               //
	Adds     Effect = "install adds; the rest is refused"    // more machines, another fact; existing ones are changed by hand
	ByHand   Effect = "refused until it is changed manually" // the error of the installation describes how
	Rebuild  Effect = "needs rebuild"                        // refused: a new cluster only
)
