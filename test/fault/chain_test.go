package fault_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/simcloud"
	"exoshift/provisioner/install"
	"exoshift/provisioner/openshift"
	"exoshift/provisioner/openshift/release"
	"exoshift/provisioner/openshift/release/download"
	"exoshift/state"
)

// withCluster gives a process openshift-install and the cluster that comes alive in the zone.
func withCluster(l *lab, world *install.Clients) {
	installer := release.New(l.net, release.Choice{
		Distribution: "ocp", Version: l.spec.OpenShift.Version, Cache: l.folder.Path(state.BinDir),
	}, func(string) {})
	cluster := openshift.NewCluster(l.net, func() ([]byte, error) { return l.folder.Read(state.InstallDir + "/auth/kubeconfig") })
	l.Cleanup(cluster.Close)
	world.Installer, world.Images, world.Cluster = installer, download.New(l.net, func(string) {}), cluster
}

// openWholeLab is a lab in which everything is simulated and nothing left out.
func openWholeLab(t *testing.T, dir, scenario string, strike *striker) *lab {
	t.Helper()
	l := openLab(t, filepath.Join(dir, "cluster"), simcloud.Options{
		Scenario: scenario, Installer: []string{os.Args[0], installerVerb, "--now", time.Now().Format(time.RFC3339)},
	}, strike)
	l.inside = withCluster
	return l
}

// A whole installation, cluster and all, is struck at each call that it makes for the first time, by one blow after the
// other. Every process dies or fails soon after the one before, and the last one finishes.
func TestInstall_FaultAtEveryStep(t *testing.T) {
	long(t)
	dir := fastDir(t)
	var want []string
	synctest.Test(t, func(t *testing.T) {
		l := openWholeLab(t, filepath.Join(dir, "undisturbed"), "", newStriker("", ""))
		defer l.close()
		l.must(l.install())
		want = l.picture()
	})
	synctest.Test(t, func(t *testing.T) {
		chain := newStriker("", "")
		chain.every = blows()
		l := openWholeLab(t, filepath.Join(dir, "struck"), "", chain)
		defer l.close()
		before := l.picture()
		processes, err := l.persist(2 * len(want) * len(blows()))
		l.must(err)
		struck := len(chain.told())
		t.Logf("%d processes, %d calls struck", processes, struck)
		if struck < 80 || processes < struck/2 {
			t.Errorf("only %d calls were struck, and %d processes ended: %v", struck, processes, chain.told())
		}
		chain.every = nil
		l.settle()
		l.same("after the last process", want, l.picture())
		if pending := l.pending(); len(pending) > 0 {
			t.Errorf("another run would change %+v", pending)
		}
		l.must(l.destroy())
		l.same("after destroy", before, l.picture())
	})
}

// persist runs the installation until it ends well, and returns how often.
func (l *lab) persist(most int) (processes int, err error) {
	for processes = 1; processes <= most; processes++ {
		if err = l.install(); err == nil {
			return processes, nil
		}
	}
	return most, err
}

// chained strikes each call when it comes for the first time, by one blow after the other.
func (s *striker) chained(call string) blow {
	if slices.Contains(s.calls, call) {
		return ""
	}
	s.calls = append(s.calls, call)
	next := s.every[len(s.calls)%len(s.every)]
	switch next {
	case killedBefore:
		s.dead = true
		s.kill()
	case burst:
		s.left = burstLength - 1
	}
	return next
}
