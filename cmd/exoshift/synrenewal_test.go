package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
)

// An installation resumed a day later needs another bootstrap token and other certificates. The identity that depends on these
// replaces the previous one, and nothing else.
func TestRenewal_ConnectedCluster(t *testing.T) {
	long(t)
	t.Parallel()
	dir := t.TempDir()
	virtuallyIn(t, circumstances{dir: dir, spec: connectedSpec}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		interruptedAt(t, s, func(e provisioner.Event) bool { return e.Step == "identity" && e.State == provisioner.Done })
		old := facts(t, s)
		if old.Syn.ClusterUUID == "" || old.InfraID == "" {
			t.Fatalf("the facts: %+v", old)
		}
		err := errors.Join(zone.Close(), (network.Clock{}).Sleep(t.Context(), 25*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		s, zone = aDayLater(t, s, filepath.Join(dir, "zone"))
		s.Access = tokensOf(zone)

		out, err := finish(t, s)
		if exit.Code(err) != exit.Bootstrap || !strings.Contains(fault.HintOf(err), "--renew-certificates") {
			t.Fatalf("exit code %d: %v\n%s", exit.Code(err), err, fault.HintOf(err))
		}
		if !strings.Contains(out, "ask the operator of Lieutenant to reset it") {
			t.Error("nobody is told that the bootstrap token ended")
		}
		if err := zone.ResetToken("c-demo-1"); err != nil {
			t.Fatal(err)
		}
		s.Options.Renew = true
		installed(t, s)
		renewed := facts(t, s)
		if renewed.InfraID == old.InfraID || renewed.Syn.Synthesized.IsZero() {
			t.Errorf("the facts: %+v", renewed)
		}
		written := configurationOf(t, zone)
		if !strings.Contains(written, renewed.InfraID) || strings.Contains(written, old.InfraID) {
			t.Errorf("infraID was %s and is %s:\n%s", old.InfraID, renewed.InfraID, written)
		}
	})
}

func configurationOf(t *testing.T, zone *simcloud.Zone) string {
	t.Helper()
	host, err := zone.OpenGit()
	if err != nil {
		t.Fatal(err)
	}
	files, _, err := host.ReadFiles(harbourRepository)
	if err != nil {
		t.Fatal(err)
	}
	return string(files["c-demo-1.yml"])
}
