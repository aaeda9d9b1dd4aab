package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"exoshift/provisioner"
	"exoshift/state"
)

// checkDay2Events requires that the record of a replacement shows it whole, to whoever has nothing but the record: its plan, the way of
// the node, its successor, and the cluster meanwhile.
func checkDay2Events(t *testing.T, folder state.Folder, node, successor string) {
	t.Helper()
	content, err := folder.Read(state.NodesFile)
	if err != nil {
		t.Fatal(err)
	}
	board := provisioner.NewBoard(nil)
	var states []string
	for line := range bytes.Lines(content) {
		var e provisioner.Event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		board.Fold(e)
		if e.Type == provisioner.TypeTarget && e.Name == node && !slices.Contains(states, e.State) {
			states = append(states, e.State)
		}
	}
	want := []string{
		provisioner.TargetWaiting, provisioner.TargetAdding, provisioner.TargetCordoned, provisioner.TargetDraining, provisioner.TargetDrained,
		provisioner.TargetStopped, provisioner.TargetRemoved,
	}
	if !slices.Equal(states, want) {
		t.Errorf("%s was %v", node, states)
	}
	if board.Verb != "nodes replace" || len(board.Steps) != 9 || board.Steps[0].ID != "add-"+successor || board.Steps[0].State != provisioner.Done {
		t.Errorf("the verb is %q with the steps %+v", board.Verb, board.Steps)
	}
	nodes := map[string]string{}
	for _, one := range board.Nodes {
		nodes[one.Name] = one.State
	}
	if nodes[node] != provisioner.NodeRemoved || nodes[successor] != provisioner.NodeReady || nodes["master-0"] != provisioner.NodeReady {
		t.Errorf("at the end the nodes were %v", nodes)
	}
	if len(board.Etcd) != 3 || len(board.Pools) != 2 || len(board.Operators) < 20 || board.Version.State != "installed" {
		t.Errorf("of the cluster were seen %d members of etcd, %d pools, %d operators, the version %q", len(board.Etcd), len(board.Pools), len(board.Operators), board.Version.State)
	}
}
