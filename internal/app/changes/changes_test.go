package changes_test

import (
	"testing"

	"exoshift/internal/app/changes"
	"exoshift/internal/app/exit"
	"exoshift/internal/fault"
	"exoshift/provisioner/install"
	"exoshift/provisioner/install/preflight"
	"exoshift/state"
)

func TestCheckHash(t *testing.T) {
	planned := install.Preview{Changes: []install.Change{{Action: state.Created, Kind: "instance", Name: "master-0"}}}
	approved := changes.Hash(nil, planned)
	same := planned
	same.Cost = preflight.Cost{Hour: 9}
	same.Quotas = []preflight.QuotaCheck{{Need: 1}}
	if err := changes.CheckHash(approved, nil, same); err != nil {
		t.Errorf("refused, although only cost and quotas differ: %v", err)
	}
	for name, moved := range map[string]install.Preview{
		"another object": {Changes: append([]install.Change{{Action: state.Created, Kind: "instance", Name: "master-1"}}, planned.Changes...)},
		"another action": {Changes: []install.Change{{Action: state.Deleted, Kind: "instance", Name: "master-0"}}},
		"a surplus":      {Changes: planned.Changes, Surplus: []install.Change{{Kind: "instance", Name: "worker-9"}}},
		"a refusal":      {Changes: planned.Changes, Refusal: fault.Newf(fault.Invalid, "check", "no")},
	} {
		if err := changes.CheckHash(approved, nil, moved); exit.Code(err) != exit.Checks {
			t.Errorf("%s: error %v with exit code %d, want %d", name, err, exit.Code(err), exit.Checks)
		}
	}
}
