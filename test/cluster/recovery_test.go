package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// etcd with three members loses two of them for good: what quorum-restore.sh does with the one that is left, and the masters that are
// replaced then, give all data back. So does a snapshot, in a new cluster.
func TestRecovery_RealEtcd(t *testing.T) {
	t.Parallel()
	r := newRing(t)
	for _, name := range []string{"master-1", "master-2"} {
		m := r.add(t, name)
		r.join(t, m)
		r.promote(t, m)
	}
	const snapshot = "before"
	r.put(t, snapshot)
	saved := filepath.Join(t.TempDir(), "snapshot.db")
	r.etcdctl(t, r.members[0], "snapshot", "save", saved)
	r.put(t, "after")
	left := r.members[0]
	for _, lost := range r.members[1:] {
		lost.process.stop(os.Kill)
		lost.process = nil
		must(t, os.RemoveAll(r.dataDir(lost)))
	}
	until(t, func() error {
		if hasLeader, learner := r.status(t, left); hasLeader || learner {
			return errors.New("the member that is left still has a leader")
		}
		return nil
	})
	left.process.stop(os.Interrupt)
	r.start(t, left, "existing", "", "--force-new-cluster")
	r.requireMembers(t, 1, "before", "after")
	if hasLeader, learner := r.status(t, left); !hasLeader || learner {
		t.Error("the member has no leader after the recovery")
	}
	left.process.stop(os.Interrupt)
	r.start(t, left, "existing", "") // by the next revision of its pod
	for i, name := range []string{"master-1", "master-2"} {
		m := r.add(t, name)
		r.join(t, m)
		r.promote(t, m)
		r.requireMembers(t, 2+i, "before", "after")
	}
	r.requireRestored(t, saved)
}

// requireRestored makes a new cluster of a snapshot, as cluster-restore.sh does, which has what was written before it and nothing else. It gets
// other members one by one, which have it, too.
func (r *ring) requireRestored(t *testing.T, saved string) {
	t.Helper()
	alone := &ring{dir: r.dir, authority: r.authority, members: r.members}
	m := alone.place(t, "restored")
	alone.members = []*member{m}
	r.etcdctl(t, r.members[0], "snapshot", "restore", saved, "--data-dir", r.dataDir(m), "--name", m.name,
		"--initial-cluster", m.name+"="+m.peer, "--initial-advertise-peer-urls", m.peer,
		"--bump-revision", "1000000", "--mark-compacted")
	alone.start(t, m, "existing", "")
	alone.requireMembers(t, 1, "before")
	if now, then := alone.revision(t), r.revision(t); now <= then {
		t.Errorf("the revision is %d and was %d: who watches takes it for an earlier one", now, then)
	}
	for i, name := range []string{"restored-1", "restored-2"} {
		added := alone.add(t, name)
		alone.join(t, added)
		alone.promote(t, added)
		alone.requireMembers(t, 2+i, "before")
	}
	alone.put(t, "since")
	m.process.stop(os.Kill)
	m.process = nil
	if !alone.has(t, "before") || !alone.has(t, "since") || alone.has(t, "after") {
		t.Error("without the restored member, the others have something else than the snapshot and what was written since")
	}
}

func (r *ring) revision(t *testing.T) (revision int64) {
	t.Helper()
	must(t, r.ask(t, func(ctx context.Context, client *clientv3.Client) error {
		answer, err := client.Get(ctx, "before")
		if err == nil {
			revision = answer.Header.Revision
		}
		return err
	}))
	return revision
}

func (r *ring) dataDir(m *member) string { return filepath.Join(r.dir, m.name+"-"+m.address) }

func (r *ring) put(t *testing.T, key string) {
	t.Helper()
	until(t, func() error {
		return r.ask(t, func(ctx context.Context, client *clientv3.Client) error {
			_, err := client.Put(ctx, key, "1")
			return err
		})
	})
}

func (r *ring) has(t *testing.T, key string) (found bool) {
	t.Helper()
	until(t, func() error {
		return r.ask(t, func(ctx context.Context, client *clientv3.Client) error {
			answer, err := client.Get(ctx, key)
			found = err == nil && answer.Count > 0
			return err
		})
	})
	return found
}

// requireMembers waits for so many members, and requires the keys.
func (r *ring) requireMembers(t *testing.T, count int, keys ...string) {
	t.Helper()
	until(t, func() error {
		members, err := r.list(t)
		if err == nil && len(members) != count {
			err = errors.New("other members than expected are listed")
		}
		return err
	})
	for _, key := range keys {
		if !r.has(t, key) {
			t.Errorf("with %d members, %q is lost", count, key)
		}
	}
}

// status asks a member itself, as the program does on a master.
func (r *ring) status(t *testing.T, m *member) (hasLeader, learner bool) {
	t.Helper()
	var all []struct {
		Status struct {
			Leader    uint64 `json:"leader"`
			IsLearner bool   `json:"isLearner"`
		}
	}
	until(t, func() error {
		printed, err := r.runEtcdctl(t, m, "endpoint", "status", "--write-out", "json")
		if err == nil {
			err = json.Unmarshal(printed, &all)
		}
		if err == nil && len(all) != 1 {
			err = errors.New("etcdctl prints no status")
		}
		return err
	})
	return all[0].Status.Leader != 0, all[0].Status.IsLearner
}

func (r *ring) etcdctl(t *testing.T, m *member, arguments ...string) {
	t.Helper()
	if printed, err := r.runEtcdctl(t, m, arguments...); err != nil {
		t.Fatalf("etcdctl %s: %v: %s", strings.Join(arguments, " "), err, printed)
	}
}

func (r *ring) runEtcdctl(t *testing.T, m *member, arguments ...string) ([]byte, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, etcdctl(t), append([]string{"--endpoints", m.clients, "--cacert", filepath.Join(r.dir, "ca.crt"),
		"--cert", filepath.Join(r.dir, "server.crt"), "--key", filepath.Join(r.dir, "server.key")}, arguments...)...)
	command.Stderr = nil
	return command.Output()
}
