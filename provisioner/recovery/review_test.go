package recovery

import (
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/state"
	"exoshift/state/recovery"
)

// left is a master with the data of etcd and a member that runs without a leader.
func left(name string, index uint64) recovery.Host {
	return recovery.Host{Name: name, Address: "198.51.100.1", Machine: "running", Running: true, Data: true, Index: index, Scripts: true}
}

func off(name string) recovery.Host {
	return recovery.Host{Name: name, Machine: "stopped", Failure: "its machine is stopped"}
}

func TestRecovery_RefusesWhatWouldLoseData(t *testing.T) {
	changed := func(host recovery.Host, change func(*recovery.Host)) recovery.Host { change(&host); return host }
	wiped := changed(left("master-1", 0), func(h *recovery.Host) { h.Data, h.Running = false, false })
	silent := recovery.Host{Name: "master-2", Machine: "running", Failure: "connection timed out"}
	for name, c := range map[string]struct {
		hosts  []recovery.Host
		begun  *recovery.Change
		want   string // of the refusal and its hint; "": none
		advice string
	}{
		"two whose machines are off": {[]recovery.Host{left("master-0", 7), off("master-1"), off("master-2")}, nil, "", ""},
		"two without machines":       {[]recovery.Host{left("master-0", 7), {Name: "master-1"}, {Name: "master-2"}}, nil, "", ""},
		"two without data":           {[]recovery.Host{left("master-0", 7), wiped, off("master-2")}, nil, "", ""},
		"one that had less":          {[]recovery.Host{left("master-0", 7), changed(left("master-1", 6), func(h *recovery.Host) { h.Running = false }), off("master-2")}, nil, "", ""},
		"a leader":                   {[]recovery.Host{changed(left("master-0", 7), func(h *recovery.Host) { h.Leader = true }), left("master-1", 7), off("master-2")}, nil, "master-0 follows a leader", "nodes replace"},
		"a leader of the recovery":   {[]recovery.Host{changed(left("master-0", 7), func(h *recovery.Host) { h.Leader = true }), wiped, off("master-2")}, &recovery.Change{From: "master-0", Restoring: true}, "", ""},
		"one that does not answer":   {[]recovery.Host{left("master-0", 7), wiped, silent}, nil, "nothing is known of etcd on master-2", "exo compute instance stop master-2"},
		"one that has come further":  {[]recovery.Host{left("master-0", 7), left("master-1", 8), off("master-2")}, nil, "has come further than that on master-0: 8, not 7", "--from-member master-1"},
		"a learner":                  {[]recovery.Host{changed(left("master-0", 7), func(h *recovery.Host) { h.Learner = true }), left("master-1", 6), off("master-2")}, nil, "is a learner", "--from-member master-1"},
		"no data":                    {[]recovery.Host{changed(left("master-0", 7), func(h *recovery.Host) { h.Data = false }), wiped, off("master-2")}, nil, "master-0 has no data of etcd", "only a backup is left"},
		"one that does not run":      {[]recovery.Host{changed(left("master-0", 7), func(h *recovery.Host) { h.Running = false }), wiped, off("master-2")}, nil, "does not run", "crictl"},
		"an older release":           {[]recovery.Host{changed(left("master-0", 7), func(h *recovery.Host) { h.Scripts = false }), wiped, off("master-2")}, nil, "has no quorum-restore.sh", "by hand"},
		"no machine of that master":  {[]recovery.Host{off("master-0"), left("master-1", 7), off("master-2")}, nil, "master-0: its machine is stopped", "--from-member master-1"},
		"no machine of any master":   {[]recovery.Host{off("master-0"), off("master-1"), off("master-2")}, nil, "no master has a machine that runs", "exoshift start"},
		"its own script ended it":    {[]recovery.Host{changed(left("master-0", 7), func(h *recovery.Host) { h.Running = false }), wiped, off("master-2")}, &recovery.Change{From: "master-0", Restoring: true}, "", ""},
		"an index that is not known": {[]recovery.Host{left("master-0", 0), changed(left("master-1", 3), func(h *recovery.Host) { h.Running = false }), off("master-2")}, nil, "has come further", "master-1"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Recovery{spec: state.Default(), facts: state.NewFactsStore(state.Facts{Recovery: c.begun}, nil), options: Options{From: "master-0"}}
			err := r.check(c.hosts)
			if c.want == "" {
				if err != nil {
					t.Fatalf("%v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(fault.HintOf(err), c.advice) || !fault.Is(err, fault.Conflict) {
				t.Errorf("%v; %s", err, fault.HintOf(err))
			}
		})
	}
}
