package state_test

import (
	"errors"
	"testing"

	"exoshift/state"
)

func TestFactsStore_SavesChangesOnly(t *testing.T) {
	saved, full := []state.Facts{}, error(nil)
	store := state.NewFactsStore(state.Facts{ClusterID: "c-1"}, func(facts state.Facts) error {
		saved = append(saved, facts)
		return full
	})
	for _, zone := range []string{"ch-gva-2", "ch-gva-2"} {
		if err := store.Update(func(facts *state.Facts) { facts.Zone = zone }); err != nil {
			t.Fatal(err)
		}
	}
	if got := store.Get(); len(saved) != 1 || saved[0].Zone != "ch-gva-2" || got.ClusterID != "c-1" || got.Zone != "ch-gva-2" {
		t.Errorf("saved %+v, has %+v", saved, got)
	}
	full = errors.New("the disk is full")
	if err := store.UpdateSyn(func(facts *state.SynFacts) { facts.Tenant = "t-1" }); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
}

func TestFactsStore_WithoutSaveIsInMemory(t *testing.T) {
	var store state.FactsStore
	if err := store.Update(func(facts *state.Facts) { facts.Zone = "ch-gva-2" }); err != nil || store.Get().Zone != "ch-gva-2" {
		t.Errorf("%+v, %v", store.Get(), err)
	}
}
