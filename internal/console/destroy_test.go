package console_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/console"
	"exoshift/internal/fault"
	"exoshift/provisioner/destroy"
	"exoshift/state"
)

// printObjects is an inventory with objects of every kind and proof.
func printObjects() console.Teardown {
	found := func(kind, name, id, detail, proof string) destroy.Found {
		return destroy.Found{Object: state.Object{Kind: kind, Name: name, ID: id, Detail: detail}, Proof: proof}
	}
	backups := found(state.KindBucket, "c-demo-1-cluster-backup", "c-demo-1-cluster-backup", "", destroy.ByName)
	return console.Teardown{
		Cluster: "c-demo-1", Zone: "ch-gva-2",
		Inventory: destroy.Inventory{
			Objects: []destroy.Found{
				found(state.KindLoadBalancer, "k8s-a1", "nlb-id", "192.0.2.7", destroy.ByBothSides),
				found(state.KindInstance, "master-0", "id-0", "standard.extra-large running", destroy.ByLabel),
				found(state.KindInstance, "master-1\x1b[31m", "id-1", "standard.extra-large running", destroy.ByLabel),
				found(state.KindSSHKey, "c-demo-1-admin", "c-demo-1-admin", "", destroy.ByName),
				{Object: state.Object{Kind: state.KindSnapshot, Name: "before", ID: "snapshot-id"}, Proof: destroy.ByLabel, Through: "instance master-0 (id-0)"},
			},
			Kept: []destroy.Kept{
				{Found: backups, Why: "it contains backups; --delete-backups deletes it, too"},
				{Found: found(state.KindVolume, "pvc-b2", "volume-id", "", ""), Why: "not proven: persistent volume b2 claims it, but it is older"},
			},
			Notes: []string{"the cluster does not respond (no route to host): look yourself"},
		},
		Price: func(o state.Object) (float64, bool) { return 0.18667, o.Kind == state.KindInstance }, PricesOf: "2025-08-22",
	}
}

func TestDestroyPlan_GroupsAndKept(t *testing.T) {
	var out bytes.Buffer
	console.PrintDestroyPlan(&out, printObjects())
	golden(t, "destroy.plan.golden", out.Bytes())
}

func TestDestroyPlan_FitsScreen(t *testing.T) {
	teardown := printObjects()
	for i := range 80 {
		teardown.Inventory.Objects = append(teardown.Inventory.Objects, destroy.Found{Object: state.Object{Kind: state.KindBucket, Name: fmt.Sprintf("record-%d", i)}})
	}
	for i := range 20 {
		record := destroy.Found{Object: state.Object{Kind: state.KindRecord, Name: fmt.Sprintf("www-%d A 192.0.2.1", i)}}
		teardown.Inventory.Kept = append(teardown.Inventory.Kept, destroy.Kept{Found: record, Why: "not proven: not created by an installation"})
	}
	teardown.Inventory.Syn = []string{"Lieutenant deletes c-demo-1."}
	teardown.ListCommand = "exoshift destroy --dry-run"
	var out bytes.Buffer
	console.PrintDestroyPlan(&out, teardown)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) > 23 || !strings.HasPrefix(out.String(), "\nIn Project Syn\n") {
		t.Errorf("%d lines, or what goes is not at the end:\n%s", len(lines), out.String())
	}
	for _, line := range lines {
		if len(line) > 80 {
			t.Errorf("wider than a terminal: %s", line)
		}
	}
	for _, want := range []string{"  2 instances      master-0, master-1\n", "  80 buckets       record-0, ", "more\n", "kept: 19 more objects, each with its reason in that list\n", "with their IDs:\n  exoshift destroy --dry-run\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing:\n%s", want, out.String())
		}
	}
}

func TestDestroyPlan_SynAndManualSteps(t *testing.T) {
	teardown := printObjects()
	teardown.Inventory.Syn = []string{"Lieutenant deletes c-demo-1 of the tenant t-demo; the protection against that is lifted first."}
	teardown.Inventory.Actions = []string{"In the portal, delete the service c-demo-1: the portal has no interface for \x1b[31mprograms."}
	var plan, summary, line bytes.Buffer
	console.PrintDestroyPlan(&plan, teardown)
	console.PrintDestroySummary(&summary, teardown, nil, "")
	if err := console.WriteInventoryJSON(&line, teardown.Inventory, nil); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		out  string
		want []string
	}{
		"plan":    {plan.String(), []string{"In Project Syn\n  - Lieutenant deletes", "Manual steps\n  - In the portal"}},
		"summary": {summary.String(), []string{"Manual steps\n  - In the portal"}},
		"json":    {line.String(), []string{`"project_syn":["Lieutenant deletes`, `"people":["In the portal`}},
	} {
		for _, want := range c.want {
			if !strings.Contains(c.out, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, c.out)
			}
		}
		if strings.Contains(c.out, "\x1b") {
			t.Errorf("%s holds an escape", name)
		}
	}
}

func TestDestroySummary_LeftoversWithReason(t *testing.T) {
	teardown := printObjects()
	left := &destroy.LeftoverError{Left: []destroy.Leftover{
		{Found: teardown.Inventory.Objects[1], Cause: errors.New("delete instance master-0: 403 Forbidden: Locked by snapshot 1")},
		{Found: teardown.Inventory.Objects[3]},
	}}
	var out bytes.Buffer
	for _, failure := range []error{
		nil,
		fault.New(fault.Conflict, "delete the cluster", left).WithHint("unlock it; then run the same command again"),
		fmt.Errorf("run: %w", context.Canceled),
		fault.New(fault.Denied, "list instances", errors.New("403 Forbidden")).WithHint("check the key"),
	} {
		console.PrintDestroySummary(&out, teardown, failure, "exoshift destroy --confirm-destroy c-demo-1")
	}
	golden(t, "destroy.summary.golden", out.Bytes())
}

func TestInventoryJSON_OneObjectPerLine(t *testing.T) {
	var out bytes.Buffer
	if err := errors.Join(
		console.WriteInventoryJSON(&out, printObjects().Inventory, nil),
		console.WriteInventoryJSON(&out, destroy.Inventory{}, nil),
	); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || lines[1] != `{"type":"inventory","objects":[]}` {
		t.Fatalf("wrote %q", lines)
	}
	var line struct {
		Type    string
		Objects []map[string]any
		Kept    []map[string]any
	}
	if err := json.Unmarshal([]byte(lines[0]), &line); err != nil || line.Type != "inventory" || len(line.Objects) != 5 {
		t.Fatalf("%v: %s", err, lines[0])
	}
	want := map[string]any{"kind": "instance", "name": "master-0", "id": "id-0", "proof": "label", "found_by": []any{"label"}}
	if diff := cmp.Diff(want, line.Objects[1]); diff != "" {
		t.Error(diff)
	}
	want = map[string]any{"kind": "snapshot", "name": "before", "id": "snapshot-id", "proof": "label", "through": "instance master-0 (id-0)",
		"found_by": []any{"attached"}}
	if diff := cmp.Diff(want, line.Objects[4]); diff != "" {
		t.Error(diff)
	}
	unproven := map[string]any{
		"kind": "block-volume", "name": "pvc-b2", "id": "volume-id", "found_by": []any{}, "reason": "not proven: persistent volume b2 claims it, but it is older",
	}
	if len(line.Kept) != 2 || !cmp.Equal(unproven, line.Kept[1]) {
		t.Errorf("kept %v", line.Kept)
	}
}
