package wizard_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

func TestReadDraft_KeepsOrigins(t *testing.T) {
	want := wizard.NewAnswers()
	for key, text := range map[string]string{
		"cluster.id": "c-1", "cluster.displayName": `a "b" # c`, "exoscale.apiKey": "env:OTHER_KEY", "network.customerNetworks": "192.0.2.0/24",
		"syn.facts": "a=b, c=d", "sizing.workers.count": "5",
	} {
		if err := want.Set(key, text, wizard.Typed); err != nil {
			t.Fatal(err)
		}
	}
	want.Origins["exoscale.apiKey"] = "detected: ~/.config/exoscale"
	want.Spec.Sizing.ExtraGroups = []state.GroupSpec{{Name: "gpu", MachineSpec: state.MachineSpec{Type: "gpu3.small", Count: 2, RootDisk: 100}}}
	want.Origins["sizing.extraGroups"] = wizard.Typed
	delete(want.Origins, "cluster.displayName") // a comment could be a part of it
	got := answersfile.ReadDraft("draft.yaml", answersfile.Export(want.Spec, want.Origins))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadDraft_EmptyOrTruncated(t *testing.T) {
	for _, content := range []string{"", "cluster:\n  id: c-1 # typed\nexosc", "\x00\xff", "cluster: [1]"} {
		if got := answersfile.ReadDraft("draft.yaml", []byte(content)); got.Origins == nil || got.Spec.Sizing.Workers.Count == 0 {
			t.Errorf("%q is read as %+v", content, got)
		}
	}
}
