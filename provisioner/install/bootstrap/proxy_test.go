package bootstrap

import (
	"context"
	"strings"
	"testing"

	"exoshift/provisioner/install/generation"
	"exoshift/provisioner/install/machines"
	"exoshift/state"
)

// started is a fake of a cloud with machines.
type started struct {
	Cloud
	machines []state.Instance
}

func (s started) ListInstances(_ context.Context, labels map[string]string) ([]state.Instance, error) {
	var found []state.Instance
	for _, machine := range s.machines {
		if role := labels[state.LabelRole]; role == "" || role == machine.Labels[state.LabelRole] {
			found = append(found, machine)
		}
	}
	return found, nil
}

func (s started) DeleteInstance(context.Context, string) (state.Action, error) {
	panic("a machine is deleted")
}

func machine(name string, role state.Role, address string) state.Instance {
	return state.Instance{Name: name, Address: address, Labels: map[string]string{state.LabelRole: string(role)}}
}

func behindProxy(t *testing.T, facts *state.FactsStore, there ...state.Instance) *Machine {
	t.Helper()
	s := spec()
	s.OpenShift.Proxy.HTTPS = "http://proxy:3128"
	known := machines.New(machines.Deps{Spec: s})
	for _, instance := range there {
		known.Record(instance)
	}
	m := New(Deps{Spec: s, Facts: facts, Cloud: started{machines: there}, Machines: known})
	m.document = []byte(`{"storage":{"files":[{"path":"/opt/openshift/manifests/cluster-proxy-01-config.yaml",` +
		`"contents":{"source":"data:,spec:%20%7BnoProxy:%20a%7D%0Astatus:%20%7BnoProxy:%20a%7D"}}]}}`)
	return m
}

func TestBootstrapMachine_DocumentKeepsItsAddresses(t *testing.T) {
	facts := &state.FactsStore{}
	master := machine("master-0", state.RoleMaster, "198.18.0.11")
	first := behindProxy(t, facts, master)
	if err := first.exceptFromProxy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := facts.Get().NodeAddresses; len(got) != 1 || got[0] != "198.18.0.11" {
		t.Errorf("recorded: %v", got)
	}
	// The pointer of a bootstrap machine that exists has the hash of the first document.
	master.Address = "198.18.0.99"
	again := behindProxy(t, facts, master, machine("bootstrap", state.RoleBootstrap, "198.18.0.10"))
	if err := again.exceptFromProxy(t.Context()); err != nil || string(again.document) != string(first.document) {
		t.Errorf("%v, another document: %s", err, again.document)
	}
	// One that was never created gets the addresses that are.
	if err := behindProxy(t, facts, master).exceptFromProxy(t.Context()); err != nil || strings.Join(facts.Get().NodeAddresses, " ") != "198.18.0.99" {
		t.Errorf("%v, %v", facts.Get().NodeAddresses, err)
	}
}

func TestBootstrapMachine_MastersBeforeItProveNothing(t *testing.T) {
	facts := &state.FactsStore{}
	ask := func(m *Machine) bool {
		only, err := generation.HasOnlyMasters(t.Context(), m.Spec, facts.Get(), m.Cloud)
		if err != nil {
			t.Fatal(err)
		}
		return only
	}
	master := machine("master-0", state.RoleMaster, "198.18.0.11")
	if m := behindProxy(t, facts, master); m.RecordNodesFirst(t.Context()) != nil || !ask(m) {
		t.Error("masters of an earlier run without a record are taken for ones that had no bootstrap machine")
	}
	if m := behindProxy(t, facts); m.RecordNodesFirst(t.Context()) != nil || !facts.Get().NodesFirst {
		t.Error("nothing is recorded before the first master")
	}
	m := behindProxy(t, facts, master)
	if m.RecordNodesFirst(t.Context()) != nil || ask(m) {
		t.Error("masters that came first are taken for the end of the bootstrap")
	}
	if m.recordStart() != nil || !ask(m) {
		t.Error("the bootstrap machine was started, and masters without it prove nothing")
	}
}
