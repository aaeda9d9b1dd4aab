package cluster

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1 "k8s.io/api/core/v1"

	"exoshift/internal/fault"
	"exoshift/state"
	"exoshift/state/controlplane"
)

// The member of a dead master is removed from a real etcd by exec through a real API server, another one learns and votes in its place, and
// etcd refuses to lose its quorum.
func TestMembers_ReplacedInRealEtcd(t *testing.T) {
	t.Parallel()
	program := etcdctl(t)
	s := begin(t)
	began := time.Now()
	r := newRing(t)
	kubelets := memberKubelets{ring: r, program: program}
	for n := range 3 {
		name := fmt.Sprintf("master-%d", n)
		m := r.add(t, name)
		r.join(t, m)
		r.promote(t, m)
		kubelets.placeMember(t, s, name, m.address)
	}
	r.removeBootstrap(t)
	w := s.plane.watch(t, s.apiPort)
	requirePeers := func(when string, want ...string) controlplane.State {
		t.Helper()
		var seen controlplane.State
		until(t, func() (err error) { // etcd may choose a leader
			if seen, err = w.InspectControlPlane(t.Context()); err != nil {
				return err
			}
			var peers []string
			for _, peer := range seen.Peers {
				peers = append(peers, describePeer(peer))
			}
			if slices.Sort(peers); !slices.Equal(peers, want) {
				return fmt.Errorf("%s, etcd has %q, not %q", when, peers, want)
			}
			return nil
		})
		return seen
	}
	requirePeers("at first", "master-0 healthy", "master-1 healthy", "master-2 healthy")

	lost := r.members[2]
	lost.process.stop(os.Kill)
	seen := requirePeers("with a dead master", "master-0 healthy", "master-1", "master-2 healthy")
	healthy, dead := seen.FindPeer("master-0"), seen.FindPeer("master-1")
	if _, err := w.RemoveMember(t.Context(), *healthy); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "etcdserver: unhealthy cluster") {
		t.Errorf("a healthy member beside a dead one: %v", err)
	}
	for i, want := range []state.Action{state.Deleted, state.Found} { // the second time it is gone
		if action, err := w.RemoveMember(t.Context(), *dead); err != nil || action != want {
			t.Fatalf("removal %d of the dead one: %q, %v", i, action, err)
		}
	}
	lost.process = nil
	requirePeers("without it", "master-0 healthy", "master-2 healthy")

	fresh := r.add(t, "master-1")
	r.join(t, fresh)
	requirePeers("with a learner", "master-0 healthy", "master-1 learner", "master-2 healthy")
	r.promote(t, fresh)
	if again := requirePeers("afterwards", "master-0 healthy", "master-1 healthy", "master-2 healthy").FindPeer("master-1"); again.ID == dead.ID || again.Address != fresh.address {
		t.Errorf("the new member is %+v, and the old one was %+v", again, dead)
	}
	t.Logf("etcd went 3, 2, 3 within %s", time.Since(began).Round(100*time.Millisecond))

	for _, name := range []string{"etcd-peer-master-1", "etcd-serving-master-1", "etcd-peer-master-10"} {
		_, err := s.typed.CoreV1().Secrets("openshift-etcd").Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		must(t, err)
	}
	if deleted, err := w.DeleteMemberSecrets(t.Context(), "master-1"); err != nil || !slices.Equal(deleted, []string{"etcd-peer-master-1", "etcd-serving-master-1"}) {
		t.Errorf("the Secrets %q were deleted: %v", deleted, err)
	}
}

func describePeer(peer controlplane.Peer) string {
	switch {
	case peer.Learner:
		return peer.Name + " learner"
	case peer.Healthy:
		return peer.Name + " healthy"
	}
	return peer.Name
}
