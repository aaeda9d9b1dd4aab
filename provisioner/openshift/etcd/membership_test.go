package etcd

import (
	"testing"

	"exoshift/state"

	"github.com/google/go-cmp/cmp"
)

func TestParseMembership_OperatorMessage(t *testing.T) {
	for message, want := range map[string]membership{
		"1 members are available": {available: 1, total: 1},
		"4 members are available": {available: 4, total: 4},
		"1 of 2 members are available, NAME-PENDING-192.0.2.1 has not started": {
			available: 1, total: 2, unavailable: []unavailableMember{{"NAME-PENDING-192.0.2.1", notStarted}},
		},
		"2 of 4 members are available, master-0 has not started, etcd-bootstrap is unhealthy": {
			available: 2, total: 4, unavailable: []unavailableMember{{"master-0", notStarted}, {"etcd-bootstrap", unhealthy}},
		},
	} {
		got, ok := parseMembership(message)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(membership{}, unavailableMember{})); !ok || diff != "" {
			t.Errorf("%q: %v\n%s", message, ok, diff)
		}
	}
	for _, message := range []string{
		"", "No unhealthy members found", "members are available", "5 of 4 members are available",
		"999999 members are available", "33 members are available", "-1 members are available",
	} {
		if got, ok := parseMembership(message); ok {
			t.Errorf("%q was read as %v", message, got)
		}
	}
}

func FuzzMembership(f *testing.F) {
	f.Add("2 of 4 members are available, master-0 has not started, etcd-bootstrap is unhealthy", true)
	f.Add("1 of 32 members are available, ,,  is unhealthy, has not started", false)
	f.Fuzz(func(t *testing.T, message string, removed bool) {
		counted, ok := parseMembership(message)
		if !ok {
			return
		}
		members := hints().listMembers(counted, removed)
		if len(members) != counted.total {
			t.Errorf("%d members, counted %d", len(members), counted.total)
		}
	})
}

func hints() *memberHints {
	c := &memberHints{nodeOf: map[string]string{}, voting: map[string]bool{}, added: map[string]bool{}}
	for address, name := range map[string]string{"192.0.2.10": "master-0", "192.0.2.11": "master-1", "192.0.2.12": "master-2"} {
		c.addMaster(name)
		c.nodeOf[address] = name
	}
	return c
}

func TestListMembers_WhileGrowing(t *testing.T) {
	bootstrap := state.EtcdMember{Name: "etcd-bootstrap", State: "voter"}
	for _, stage := range []struct {
		name    string
		message string
		removed bool
		voting  []string
		added   []string
		want    []state.EtcdMember
	}{
		{name: "only the bootstrap member", message: "1 members are available", want: []state.EtcdMember{bootstrap}},
		{
			name: "a learner that has not started", message: "1 of 2 members are available, NAME-PENDING-192.0.2.11 has not started",
			want: []state.EtcdMember{bootstrap, {Name: "master-1", State: "not started"}},
		},
		{
			name: "a learner", message: "2 members are available", added: []string{"master-1"},
			want: []state.EtcdMember{bootstrap, {Name: "master-1", State: "learner"}},
		},
		{
			name: "a voter and a learner", message: "3 members are available", voting: []string{"master-1"}, added: []string{"master-2"},
			want: []state.EtcdMember{bootstrap, {Name: "master-1", State: "voter"}, {Name: "master-2", State: "learner"}},
		},
		{
			name: "whole, the bootstrap member fading", message: "3 of 4 members are available, etcd-bootstrap is unhealthy",
			voting: []string{"master-0", "master-1", "master-2"},
			want: []state.EtcdMember{
				{Name: "etcd-bootstrap", State: "unhealthy"}, {Name: "master-0", State: "voter"},
				{Name: "master-1", State: "voter"}, {Name: "master-2", State: "voter"},
			},
		},
		{
			name: "removed, the condition not yet set", message: "3 members are available", voting: []string{"master-0", "master-1", "master-2"},
			want: []state.EtcdMember{{Name: "master-0", State: "voter"}, {Name: "master-1", State: "voter"}, {Name: "master-2", State: "voter"}},
		},
		{
			name: "a master that broke later", message: "2 of 3 members are available, master-1 is unhealthy", removed: true,
			voting: []string{"master-0", "master-1", "master-2"},
			want:   []state.EtcdMember{{Name: "master-0", State: "voter"}, {Name: "master-1", State: "unhealthy"}, {Name: "master-2", State: "voter"}},
		},
		{
			name: "more members than are known", message: "5 members are available", removed: true, voting: []string{"master-0", "master-1", "master-2"},
			want: []state.EtcdMember{
				{Name: "master-0", State: "voter"}, {Name: "master-1", State: "voter"}, {Name: "master-2", State: "voter"},
				{Name: "unknown", State: "learner"}, {Name: "unknown", State: "learner"},
			},
		},
	} {
		c := hints()
		for _, name := range stage.voting {
			c.voting[name] = true
		}
		for _, name := range stage.added {
			c.added[name] = true
		}
		counted, _ := parseMembership(stage.message)
		if diff := cmp.Diff(stage.want, c.listMembers(counted, stage.removed)); diff != "" {
			t.Errorf("%s:\n%s", stage.name, diff)
		}
	}
}

func TestParsePeer_FromEvents(t *testing.T) {
	for message, want := range map[string]string{
		"successfully added new member https://192.0.2.1:2380":            "192.0.2.1",
		"successfully promoted learner member https://[2001:db8::1]:2380": "2001:db8::1",
		`added "https://master-1:2380".`:                                  "master-1",
		"nothing of the kind":                                             "",
	} {
		if got := parsePeer(message); got != want {
			t.Errorf("%q names %q, want %q", message, got, want)
		}
	}
}
