package cluster

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
)

// etcd grows from one member to four and shrinks to three, and each step is seen as what it is.
func TestMembers_RealEtcd(t *testing.T) {
	t.Parallel()
	s := begin(t)
	began := time.Now()
	r := newRing(t)
	w := s.plane.watch(t, s.apiPort)
	for n := range 3 {
		name := fmt.Sprintf("master-%d", n)
		s.registerMaster(t, name, fmt.Sprintf("127.0.1.%d", 11+n))
		w.expected = append(w.expected, state.ExpectedNode{Name: name, Role: state.RoleMaster})
	}
	var seen []string
	tell := func(string) {
		s.tell(t, r)
		seen = append(seen, describe(w.poll(t).Etcd))
	}
	tell("begun")
	for n := range 3 {
		s.grow(t, r, fmt.Sprintf("master-%d", n), tell)
	}
	last := r.members[3]
	last.process.stop(os.Kill)
	tell("killed")
	r.start(t, last, "existing", "")
	until(t, func() error {
		members, err := r.list(t)
		if err == nil && !r.healthy(t, members[3]) {
			err = fmt.Errorf("%s is not back", members[3].Name)
		}
		return err
	})
	tell("back")
	r.removeBootstrap(t)
	tell("removed")
	t.Logf("etcd went 1, 2, 3, 4, 3 within %s", time.Since(began).Round(100*time.Millisecond))
	if diff := cmp.Diff(membership(), seen); diff != "" {
		t.Errorf("-want +seen:\n%s", diff)
	}
}

// membership is how etcd is seen after each step.
func membership() []string {
	return []string{
		"bootstrap voter | held: no member yet on master-0, master-1, master-2",
		"bootstrap voter, 0 not started | held: no member yet on master-1, master-2",
		"bootstrap voter, 0 learner | held: no member yet on master-1, master-2",
		"bootstrap voter, 0 voter | held: no member yet on master-1, master-2",
		"bootstrap voter, 0 voter, 1 not started | held: no member yet on master-2",
		"bootstrap voter, 0 voter, 1 learner | held: no member yet on master-2",
		"bootstrap voter, 0 voter, 1 voter | held: no member yet on master-2",
		"bootstrap voter, 0 voter, 1 voter, 2 not started | held: not started: master-2",
		"bootstrap voter, 0 voter, 1 voter, 2 learner | held: still learning: master-2",
		"bootstrap voter, 0 voter, 1 voter, 2 voter | held: the bootstrap machine has not reported completion yet | in cluster",
		"bootstrap voter, 0 voter, 1 voter, 2 unhealthy | held: unhealthy: master-2",
		"bootstrap voter, 0 voter, 1 voter, 2 voter | held: the bootstrap machine has not reported completion yet | in cluster",
		"0 voter, 1 voter, 2 voter | in cluster | removed",
	}
}

func describe(status state.EtcdStatus) string {
	var members []string
	for _, m := range status.Members {
		name := strings.TrimPrefix(strings.TrimPrefix(m.Name, "master-"), "etcd-")
		members = append(members, name+" "+m.State)
	}
	said := []string{strings.Join(members, ", ")}
	if status.BlockedReason != "" {
		said = append(said, "held: "+status.BlockedReason)
	}
	if status.InCluster {
		said = append(said, "in cluster")
	}
	if status.BootstrapRemoved {
		said = append(said, "removed")
	}
	return strings.Join(said, " | ")
}
