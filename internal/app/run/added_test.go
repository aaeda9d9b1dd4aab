package run

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/provisioner"
)

func TestAddedNodes_FollowsThoseThatAreAdded(t *testing.T) {
	var texts []string
	added := addedNodes{names: []string{"worker-3", "worker-4"}, emit: func(e provisioner.Event) {
		if e.Type == provisioner.TypeTarget {
			texts = append(texts, e.Name+": "+e.State+": "+e.Text)
		}
	}}
	added.begin()
	for _, e := range []provisioner.Event{
		{Type: provisioner.TypeNode, Name: "worker-0", State: provisioner.NodeReady},
		{Type: provisioner.TypeNode, Name: "worker-3", State: provisioner.NodeBooting},
		{Type: provisioner.TypeNode, Name: "worker-3", State: provisioner.NodeBooting, Client: "approved"},
		{Type: provisioner.TypeStep, Name: "worker-4", State: provisioner.Started},
		{Type: provisioner.TypeNode, Name: "worker-3", State: provisioner.NodeReady},
	} {
		added.follow(e)
	}
	want := []string{"worker-3: waiting: waiting", "worker-4: waiting: waiting", "worker-3: adding: adding, Booting", "worker-3: added: added"}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
