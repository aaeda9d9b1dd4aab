package main

import (
	"encoding/base64"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/state"
)

// Tests of an installed example cluster share one installation. Tests that change it get a copy of the zone and of the
// cluster's folder.
func TestInstall_Finished(t *testing.T) {
	whole(t)
	t.Parallel()
	dir := t.TempDir()
	var finished time.Time
	virtuallyIn(t, circumstances{dir: dir, spec: external}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		allPlanned(t, s)
		backdoor{t, s}.ask(http.MethodPost, "/ssh-key", map[string]any{"name": "laptop", "public-key": s.Spec.OpenShift.SSHKey})
		before := zone.Mutations()
		installed(t, s)
		if made := zone.Mutations() - before; made < 50 {
			t.Errorf("the installation made only %d mutating calls: the counter counts nothing", made)
		}
		nodesToldInTime(t, s)
		journalWithoutAgent(t, s)
		registryInBucket(t, s)
		keyByUserData(t, s)
		labelsBeginWithLetters(t, s)
		finished = time.Now()
	})
	tests := map[string]func(*testing.T, run.Run, *simcloud.Zone){
		"changes nothing when it is repeated":                     repeated,
		"changes the way of its nodes to the API":                 internalChanged,
		"is handed over without a secret":                         handedOverWithoutASecret,
		"keeps its machines when certificates are to be renewed":  machinesKept,
		"is one of a fleet":                                       oneOfFleet,
		"gets new API keys":                                       keysRotated,
		"is backed up":                                            clusterBackedUp,
		"has a plan that names what another installation repairs": driftRepaired,
	}
	t.Run("the scenario key-revoked-early", func(t *testing.T) {
		t.Parallel()
		copied := t.TempDir()
		copyTree(t, dir, copied)
		virtuallyIn(t, circumstances{dir: copied, begin: finished, spec: external, scenario: "key-revoked-early"}, keyRevokedEarly)
	})
	for first, how := range []injectedFault{killedBefore, killedAfter, answerLost, refusedBurst} {
		t.Run("new credentials with a fault at every call: "+string(how), func(t *testing.T) {
			long(t)
			t.Parallel()
			copied, by := t.TempDir(), &faultInjector{how: how}
			copyTree(t, dir, copied)
			virtuallyIn(t, circumstances{dir: copied, begin: finished, spec: external, middleware: by.before}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
				keysWithFaults(t, s, by, first)
				kubeconfigWithFaults(t, s, by, first)
			})
		})
	}
	if !testing.Short() { // make faults runs these
		tests["is stopped for days and started again"] = clusterHibernates
		tests["gets a new kubeconfig"] = kubeconfigRotated
		tests["has keys that must not be replaced now"] = rotationsRefused
		tests["is updated to another release"] = clusterUpdated
		tests["changes its routers to another protocol"] = protocolChanged
		tests["is switched off by hand, and its certificates end"] = certificatesRepaired
		tests["loses a load balancer, with nodes at the addresses"] = loadBalancerLost(state.InternalAddresses)
		tests["loses a load balancer, with nodes at the elastic IP"] = loadBalancerLost(state.InternalElasticIP)
	}
	with := func(name, scenario string, test func(*testing.T, run.Run, *simcloud.Zone)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			copied := t.TempDir()
			copyTree(t, dir, copied)
			virtuallyIn(t, circumstances{dir: copied, begin: finished, spec: external, scenario: scenario}, test)
		})
	}
	for name, test := range tests {
		with(name, "", test)
	}
	with("has a backup that cannot be read", "backup-unreadable", backupUnreadable)
	if !testing.Short() {
		with("is off for longer than its certificates are valid", "expired-while-off", expiredWhileOff)
		for scenario, test := range upgradeScenarios() {
			with("the scenario "+scenario, scenario, test)
		}
		with("is updated to another minor version, the masters first", "", minorUpdated)
		for name, how := range listFaultyUpdates() {
			t.Run(name, func(t *testing.T) {
				exhaustive(t)
				t.Parallel()
				copied := t.TempDir()
				copyTree(t, dir, copied)
				virtuallyIn(t, circumstances{dir: copied, begin: finished, spec: external}, how)
			})
		}
	}
}

// keyByUserData requires that the operator's key, which the organization has already, opens the load balancers, and that it
// was not registered again.
func keyByUserData(t *testing.T, s run.Run) {
	t.Helper()
	b := backdoor{t, s}
	if keys := b.list("/ssh-key", "ssh-keys"); len(keys) != 1 || keys[0]["name"] != "laptop" {
		t.Errorf("SSH keys are registered: %v", keys)
	}
	machine := b.ask(http.MethodGet, "/instance/"+b.id("/instance", "instances", "name", "lb-0"), nil)
	userData, err := base64.StdEncoding.DecodeString(machine["user-data"].(string))
	if err != nil || !strings.Contains(string(userData), "ssh_authorized_keys:\n  - \""+s.Spec.OpenShift.SSHKey+"\"\n") {
		t.Errorf("the key is not in the user data of lb-0: %v\n%s", err, userData)
	}
}

func labelsBeginWithLetters(t *testing.T, s run.Run) {
	t.Helper()
	labelled := 0
	for _, o := range everything(t, s) {
		for key, value := range o.Labels {
			labelled++
			if value == "" || !strings.Contains("abcdefghijklmnopqrstuvwxyz", value[:1]) {
				t.Errorf("the label %s of %s %s is %q", key, o.Kind, o.Name, value)
			}
		}
	}
	if labelled == 0 {
		t.Error("nothing has a label")
	}
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == from {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		if entry.IsDir() {
			return os.Mkdir(target, info.Mode().Perm())
		}
		content, err := os.ReadFile(path) //nolint:gosec // a file of the test's own folder
		if err != nil {
			return err
		}
		return os.WriteFile(target, content, info.Mode().Perm())
	})
	if err != nil {
		t.Fatal(err)
	}
}

func repeated(t *testing.T, s run.Run, zone *simcloud.Zone) {
	before := zone.Mutations()
	installed(t, s)
	if made := zone.Mutations() - before; made != 0 {
		t.Errorf("the second run made %d mutating calls", made)
	}
}

// toldEvents returns the events of all runs in the folder.
func toldEvents(t *testing.T, s run.Run) []provisioner.Event {
	t.Helper()
	lines, err := s.Folder.Read(state.EventsFile)
	if err != nil {
		t.Fatal(err)
	}
	return eventsOf(t, string(lines))
}
