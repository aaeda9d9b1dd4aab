package wizard

import (
	"testing"

	"exoshift/wizard"
)

func TestFormatError_UsesTitles(t *testing.T) {
	o := openWizard(t, newInterview(), 80, 24, nil)
	fault := wizard.Problem{Message: "10.0.0.0/8 overlaps network.podCIDR, which is 10.128.0.0/14", Allowed: "another network.podCIDR", Suggestion: "10.200.0.0/14"}
	want := "10.0.0.0/8 overlaps Pod network, which is 10.128.0.0/14; allowed: another Pod network. Did you mean 10.200.0.0/14? ctrl+y accepts"
	if got := o.session.FormatError(fault); got != want {
		t.Errorf("said is %q, want %q", got, want)
	}
}

func TestFormatWarning_EveryWarning(t *testing.T) {
	o := openWizard(t, newInterview(), 80, 24, nil)
	got := o.session.FormatWarning(wizard.Problem{Message: "the group has no nodes", Allowed: "1 or more", Suggestion: "1"})
	if want := "the group has no nodes; better: 1 or more, such as 1: ctrl+y accepts"; got != want {
		t.Errorf("said is %q, want %q", got, want)
	}
	if got := o.session.FormatWarning(wizard.Problem{Message: "somebody serves it", Hint: "go on if you know them"}); got != "somebody serves it; fix: go on if you know them" {
		t.Errorf("said is %q", got)
	}
}

func TestForm_UnsetVariable(t *testing.T) {
	d := newInterview()
	d.LookupEnv = func(string) (string, bool) { return "", false }
	o := openWizard(t, d, 80, 24, nil)
	o.Shows(t, "EXOSCALE_API_KEY is not set: press space to enter it")
	o.Hides(t, "export EXO")
}

func TestForm_MissingHiddenWhileTyping(t *testing.T) {
	o := openCluster(t)
	o.Press("enter").Shows(t, "required, e.g. c-demo-1")
	o.Press("up").Type("c").Hides(t, "required, e.g. c-demo-1")
	o.Press("backspace").Shows(t, "required, e.g. c-demo-1")
}
