package recovery

import (
	"strings"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"
	"exoshift/state/backup"
	"exoshift/state/recovery"
)

func TestCheckBackup_RefusesWhatIsNotOfThisCluster(t *testing.T) {
	spec := state.Default()
	spec.Cluster.ID = "c-1"
	good := backup.Manifest{Name: "20270309T220000Z", Cluster: "c-1", InfraID: "c-1-x"}
	if err := CheckBackup(spec, "c-1-x", good); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*backup.Manifest){
		"is of the cluster c-2":              func(m *backup.Manifest) { m.Cluster = "c-2" },
		"is of an earlier installation":      func(m *backup.Manifest) { m.InfraID = "c-1-w" },
		"made while the control plane chang": func(m *backup.Manifest) { m.Dirty = true },
	} {
		bad := good
		change(&bad)
		if err := CheckBackup(spec, "c-1-x", bad); err == nil || !strings.Contains(err.Error(), want) || !fault.Is(err, fault.Conflict) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestRecovery_RefusesHostsForABackup(t *testing.T) {
	host := left("master-0", 7)
	host.Running, host.Data, host.Release = false, false, "4.20.5"
	other := host
	other.Release = "4.20.6"
	old := host
	old.Scripts = false
	leader := left("master-1", 7)
	leader.Leader = true
	silent := recovery.Host{Name: "master-1", Machine: "running", Failure: "connection timed out"}
	for name, c := range map[string]struct {
		hosts []recovery.Host
		want  string // of the refusal; "": none
	}{
		"without data":                 {[]recovery.Host{host, off("master-1"), off("master-2")}, ""},
		"with newer data":              {[]recovery.Host{left("master-0", 7), left("master-1", 9), off("master-2")}, ""},
		"of another release":           {[]recovery.Host{other, off("master-1"), off("master-2")}, "is of OpenShift 4.20.5, and master-0 has 4.20.6"},
		"of a release before 4.18":     {[]recovery.Host{old, off("master-1"), off("master-2")}, "has no disable-etcd.sh"},
		"beside a leader":              {[]recovery.Host{host, leader, off("master-2")}, "etcd has a quorum"},
		"beside one that is not known": {[]recovery.Host{host, silent, off("master-2")}, "nothing is known of etcd on master-1"},
		"whose machine is off":         {[]recovery.Host{off("master-0"), host, off("master-2")}, "master-0: its machine is stopped"},
		"without any machine":          {[]recovery.Host{off("master-0"), off("master-1"), off("master-2")}, "no master has a machine that runs"},
	} {
		t.Run(name, func(t *testing.T) {
			options := Options{From: "master-0", Backup: &Backup{Manifest: backup.Manifest{Name: "b", OpenShift: "4.20.5"}}}
			r := &Recovery{spec: state.Default(), facts: state.NewFactsStore(state.Facts{}, nil), options: options}
			err := r.check(c.hosts)
			if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || !fault.Is(err, fault.Conflict)) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestCheckBegun_ABackupReplacesWhatHasNotBecomeACluster(t *testing.T) {
	member, of := Options{From: "master-0"}, Options{From: "master-0", Backup: &Backup{Manifest: backup.Manifest{Name: "b"}}}
	begun := func(change recovery.Change) recovery.Change { change.Started = time.Now(); return change }
	for name, c := range map[string]struct {
		begun  recovery.Change
		wanted Options
		want   string // of the refusal; "": none
	}{
		"nothing":                            {recovery.Change{}, of, ""},
		"the same":                           {begun(recovery.Change{From: "master-0", Backup: "b", Restoring: true, Restored: true}), of, ""},
		"a member that was not a cluster":    {begun(recovery.Change{From: "master-0", Restoring: true}), of, ""},
		"a member that is a cluster":         {begun(recovery.Change{From: "master-0", Restoring: true, Restored: true}), of, "was made the only member"},
		"another backup that failed":         {begun(recovery.Change{From: "master-1", Backup: "a", Restoring: true}), of, ""},
		"a backup, and now a member":         {begun(recovery.Change{From: "master-0", Backup: "b"}), member, "a recovery from master-0 was begun"},
		"a restored one, and now a member":   {begun(recovery.Change{From: "master-0", Backup: "b", Restoring: true}), member, "was made the only member"},
		"another member that is not stopped": {begun(recovery.Change{From: "master-1"}), member, "a recovery from master-1 was begun"},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkBegun(c.begun, c.wanted)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
}
