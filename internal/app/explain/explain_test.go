package explain

import (
	"slices"
	"strings"
	"testing"

	"exoshift/assets"
	"exoshift/internal/app/exit"
	"exoshift/provisioner/diagnosis"
	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/wizard/reach"
)

func TestFind_EveryKindHasItsPages(t *testing.T) {
	catalogue, err := assets.ReadEndpoints()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{KindCheck: reach.ListIDs(catalogue, nil), KindCode: {"0", "2", "12", "130"}, KindClass: {string(reach.TCPTimeout)}}
	for _, rule := range diagnosis.Rules() {
		want[KindRule] = append(want[KindRule], rule.ID)
	}
	for _, step := range install.Steps(state.Default()) {
		want[KindStep] = append(want[KindStep], step.ID)
	}
	pages := List()
	for kind, ids := range want {
		for _, id := range ids {
			n := slices.IndexFunc(pages, func(p Page) bool { return p.Kind == kind && p.ID == id })
			if n < 0 || pages[n].Title == "" || len(pages[n].Rows) == 0 {
				t.Errorf("%s %s has no page", kind, id)
			}
		}
	}
}

func TestFind_IgnoresCaseAndKnowsNamesOfCodes(t *testing.T) {
	if pages := Find("net-exo-001"); len(pages) != 1 || pages[0].ID != "NET-EXO-001" || pages[0].Rows[0] != (Row{"address", "api-{zone}.exoscale.com:443"}) {
		t.Errorf("%+v", pages)
	}
	if pages := Find("control-plane"); len(pages) != 1 || pages[0].ID != "12" || exit.ControlPlane != 12 {
		t.Errorf("%+v", pages)
	}
	if pages := Find(""); len(pages) > 0 {
		t.Errorf("the empty ID has %d pages", len(pages))
	}
}

func TestFindNearest_IsOfAnyKind(t *testing.T) {
	for typed, want := range map[string]string{
		"machine-silnt": "machine-silent", "NET-EXO-0O1": "NET-EXO-001", "bootstrap-complte": "bootstrap-complete",
		"control-plan": "control-plane", "network.podCDIR": "network.podCIDR", "entirely-unknown-words": "",
	} {
		if got := FindNearest(typed); got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
}

// A page is plain text: nothing of Markdown or HTML is left in it.
func TestList_IsPlainText(t *testing.T) {
	for _, page := range List() {
		if page.Kind == KindRule {
			continue // whose commands have signs of their own
		}
		for _, row := range append(page.Rows, Row{"title", page.Title}) {
			if strings.Contains(row.Text, "](") || strings.ContainsAny(row.Text, "`\x00") || strings.Contains(row.Text, "<a ") {
				t.Errorf("%s, %s: %s", page.ID, row.Name, row.Text)
			}
		}
	}
}
