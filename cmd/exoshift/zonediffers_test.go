package main

import (
	"bytes"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/interview"
	"exoshift/internal/app/run"
	"exoshift/internal/console"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/install"
	"exoshift/state"
)

const planNeed = "needs a DNS plan with a free zone"

func TestNoDNSPlan_StopsBeforeCreation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	virtuallyIn(t, circumstances{scenario: "no-dns-plan", dir: dir}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		before := belongings(t, s)
		preview, err := s.Preview(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		wantZoneChange(t, preview)
		err = installWith(t.Context(), s, cli.Streams{Out: new(bytes.Buffer), Err: os.Stderr})
		if exit.Code(err) != exit.Quota || !strings.Contains(fault.HintOf(err), planNeed) {
			t.Errorf("exit code %d: %v (%s)", exit.Code(err), err, fault.HintOf(err))
		}
		if diff := cmp.Diff(before, belongings(t, s)); diff != "" || zone.Mutations() != 0 {
			t.Errorf("%d mutations:\n%s", zone.Mutations(), diff)
		}
	})
	// The plan is bought, and the same folder goes on.
	virtuallyIn(t, circumstances{dir: dir}, func(t *testing.T, s run.Run, _ *simcloud.Zone) { untilStep(t, s, "security-groups") })
}

func wantZoneChange(t *testing.T, preview install.Preview) {
	t.Helper()
	var output bytes.Buffer
	for _, change := range preview.Changes {
		if change.Kind == state.KindZone && (change.Action != state.Created || change.Details != planNeed) {
			t.Errorf("the plan has %+v", change)
		}
	}
	console.PrintPlan(&output, state.Spec{}, preview)
	if !strings.Contains(output.String(), planNeed) {
		t.Errorf("the plan is\n%s", output.String())
	}
	if actions := interview.ListZoneNeeds(preview); len(actions) != 1 || !strings.Contains(actions[0], planNeed) {
		t.Errorf("the review asks for %q", actions)
	}
	for i := range preview.Changes {
		preview.Changes[i].Action = state.Found
	}
	if actions := interview.ListZoneNeeds(preview); len(actions) > 0 {
		t.Errorf("for a zone that is there, the review asks for %q", actions)
	}
}

// An installation does without block storage, and uses a template of which the API returns little: again and to the end.
func TestAZoneThatDiffers_IsInstalledKeptAndDestroyed(t *testing.T) {
	whole(t)
	t.Parallel()
	virtually(t, "no-block-storage,template-echoes-little", func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		b := backdoor{t, s}
		if status, answer := b.try(http.MethodGet, "/block-storage", nil); status != http.StatusBadRequest {
			t.Fatalf("the zone has block storage: %d %v", status, answer)
		}
		before := belongings(t, s)
		preview, err := s.Preview(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var plan bytes.Buffer
		console.PrintPlan(&plan, s.Spec, preview)
		if !strings.Contains(plan.String(), "MISSING: zone ch-gva-2 has no block storage") || !strings.Contains(strings.Join(interview.ListZoneNeeds(preview), "\n"), "no block storage") {
			t.Errorf("the plan does not say that there is no block storage:\n%s", plan.String())
		}
		count := 0
		for _, e := range installed(t, s) {
			if e.Step == "permissions" && strings.Contains(e.Text, "has no block storage") {
				count++
			}
		}
		if count != 1 {
			t.Errorf("that the zone has no block storage was told %d times", count)
		}
		var classes struct{ Items []any }
		requestCluster(t, s, http.MethodGet, "/apis/storage.k8s.io/v1/storageclasses", "", &classes)
		if len(classes.Items) > 0 {
			t.Errorf("without block storage the cluster has the storage classes %v", classes.Items)
		}
		for _, template := range b.list("/template?visibility=private", "templates") {
			if template["description"] != nil || template["checksum"] == "" {
				t.Errorf("the template is %v", template)
			}
		}
		keptAndDestroyed(t, s, zone, before)
	})
}
