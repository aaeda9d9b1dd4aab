package destroy

import (
	"cmp"
	"fmt"
	"strings"

	"exoshift/internal/fault"
	"exoshift/state"
)

// LeftoverError reports objects that could not be deleted.
type LeftoverError struct{ Left []Leftover }

// Leftover is an object that still exists, with the cause.
type Leftover struct {
	Found
	Cause error // nil if its deletion was accepted, but the object still exists
}

// Reason returns the cause in words.
func (l Leftover) Reason() string {
	if l.Cause == nil {
		return "it was deleted and is there all the same"
	}
	return l.Cause.Error()
}

func (e *LeftoverError) Error() string {
	left := make([]string, len(e.Left))
	for n, one := range e.Left {
		left[n] = Describe(one.Object) + ": " + one.Reason()
	}
	return strings.Join(left, "; ")
}

func (t *Teardown) newLeftoverError(objects []Found) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	left := &LeftoverError{}
	hint := ""
	for _, o := range objects {
		cause := t.failures[newKey(o.Object)]
		left.Left = append(left.Left, Leftover{Found: o, Cause: cause})
		hint = cmp.Or(hint, fault.HintOf(cause))
	}
	op := fmt.Sprintf("delete the cluster: objects left: %d", len(objects))
	hint = cmp.Or(hint, "look at them in the Exoscale portal")
	return fault.New(fault.Conflict, op, left).WithHint("%s; then run the same command again", hint)
}

// Describe returns an object's description for humans.
func Describe(o state.Object) string {
	text := FormatKind(o.Kind) + " " + cmp.Or(o.Name, o.ID)
	if o.ID != "" && o.ID != o.Name && o.Name != "" {
		text += " (" + o.ID + ")"
	}
	return text
}

// FormatKind returns the display name of a kind.
func FormatKind(kind string) string {
	switch kind {
	case state.KindSSHKey:
		return "SSH key"
	case state.KindAntiAffinityGroup:
		return "anti-affinity group"
	case state.KindElasticIP:
		return "elastic IP"
	case state.KindRecord:
		return "DNS record"
	case state.KindZone:
		return "DNS zone"
	case state.KindRole:
		return "IAM role"
	case state.KindAPIKey:
		return "API key"
	case state.KindVolumeSnapshot:
		return "volume snapshot"
	}
	return strings.ReplaceAll(kind, "-", " ")
}
