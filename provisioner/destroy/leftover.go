package destroy

import (
	"cmp"
	"strings"

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
		return "it was deleted, but still exists"
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
