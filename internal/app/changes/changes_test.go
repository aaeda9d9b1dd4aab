package changes

import (
	"slices"
	"testing"
	"time"

	"exoshift/state"
)

func TestChange_PrivateNetwork(t *testing.T) {
	with := state.Spec{Cluster: state.ClusterSpec{ID: "c-1"}, Exoscale: state.ExoscaleSpec{Zone: "ch-gva-2"}, Network: state.NetworkSpec{PrivateNetwork: "172.18.0.0/24"}}
	installed := state.Facts{IgnitionCreated: time.Unix(1, 0)}
	if added := (changeRule{after: with, facts: installed}).listManualSteps("network.privateNetwork"); added != nil {
		t.Errorf("added to a cluster: %v", added)
	}
	gone := (changeRule{before: with, facts: installed}).listManualSteps("network.privateNetwork")
	if !slices.Contains(gone, "exo compute private-network delete c-1_private --zone ch-gva-2") {
		t.Errorf("taken away: %v", gone)
	}
}
