package cluster

import "testing"

// What concerns different objects goes on side by side in one cluster, which takes long to start.
func TestCluster_SharedControlPlane(t *testing.T) {
	t.Parallel()
	s := begin(t)
	for name, test := range map[string]func(*testing.T){
		"the registry comes up, and what others decide of it stays": s.registryComesUp,
		"routers are placed, and what others decide of them stays":  s.routersArePlaced,
		"a taint gives way to the wanted one of its kind alone":     s.taintGivesWay,
		"a request that changes meanwhile is looked at again":       s.requestChanges,
		"a change that a rival makes meanwhile is kept":             s.rivalChangesANode,
		"an API server that is too busy is transient":               s.serverIsTooBusy,
	} {
		t.Run(name, test)
	}
}
