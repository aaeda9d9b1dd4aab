package nodes

import (
	"slices"
	"testing"

	"exoshift/state"
)

func TestCheckOperators_TogetherByTrouble(t *testing.T) {
	operators := []state.OperatorStatus{
		{Name: "console", Message: "no router"},
		{Name: "dns", Available: true, Degraded: true, Message: "no master"},
		{Name: "etcd", Available: true},
		{Name: "ingress", Message: "no router"},
	}
	want := []string{"the operators console, ingress are waiting: no router", "the operator dns is degraded: no master"}
	if got := CheckOperators(operators); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got := CheckOperators(nil); len(got) != 1 {
		t.Errorf("of no operators: %q", got)
	}
}
