package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/simcloud"
	"exoshift/state"
)

// The certificates of an installation that is resumed after a day have expired. They are replaced together with the machines
// that contain them, and nothing else is.
func TestRenewal_ReplacesExpiredCertificates(t *testing.T) {
	long(t)
	t.Parallel()
	dir := t.TempDir()
	virtuallyIn(t, circumstances{dir: dir}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		untilStep(t, s, "temporary-api")
		before, old := identified(t, s), facts(t, s)
		if err := zone.Close(); err != nil {
			t.Fatal(err)
		}
		if err := (network.Clock{}).Sleep(t.Context(), 25*time.Hour); err != nil {
			t.Fatal(err)
		}
		s, _ = aDayLater(t, s, filepath.Join(dir, "zone"))

		_, err := finish(t, s)
		if exit.Code(err) != exit.Bootstrap || !strings.Contains(err.Error(), "25h") || !strings.Contains(fault.HintOf(err), "--renew-certificates") {
			t.Fatalf("old certificates: %v\n%s", err, fault.HintOf(err))
		}
		s.Options.Renew = true
		if out, err := finish(t, s); err != nil {
			t.Fatalf("%v\n%s", err, lastLines(out))
		}
		after, renewed := identified(t, s), facts(t, s)
		for _, name := range []string{"instance lb-0", "instance lb-1", "template " + old.Template, "elastic-ip c-demo-1_api"} {
			if before[name] == "" || before[name] != after[name] {
				t.Errorf("%s was %q and is %q", name, before[name], after[name])
			}
		}
		for _, name := range []string{"instance master-0", "instance master-1", "instance master-2", "instance worker-0"} {
			if before[name] == "" || after[name] == "" || before[name] == after[name] {
				t.Errorf("%s was %q and is %q", name, before[name], after[name])
			}
		}
		if old.RootCAHash == renewed.RootCAHash || !renewed.IgnitionExpires.After(old.IgnitionExpires) {
			t.Errorf("the certificates are the old ones: %+v", renewed)
		}
		if aside, err := s.Folder.ListOldGenerations(); err != nil || len(aside) != 0 {
			t.Errorf("the keys that were put aside are left: %v, %v", aside, err)
		}
		// The same command again has nothing to renew.
		if out, err := finish(t, s); err != nil || strings.Contains(out, `"action":"created"`) || strings.Contains(out, `"action":"deleted"`) {
			t.Errorf("%v\n%s", err, lastLines(out))
		}
	})
}

// aDayLater opens the zone again, with an openshift-install that uses the zone's time.
func aDayLater(t *testing.T, s run.Run, dir string) (run.Run, *simcloud.Zone) {
	t.Helper()
	zone, err := simcloud.Open(t.Context(), simcloud.Options{
		Dir: dir, Zone: s.Spec.Exoscale.Zone, Key: s.Secrets.APIKey, Secret: s.Secrets.APISecret,
		Installer: installerOfNow(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := zone.Close(); err != nil {
			t.Error(err)
		}
	})
	s.Net = zone.Network()
	if err := os.RemoveAll(s.Cache); err != nil {
		t.Fatal(err)
	}
	return s, zone
}

func finish(t *testing.T, s run.Run) (output string, err error) {
	t.Helper()
	var out bytes.Buffer
	err = installWith(t.Context(), s, cli.Streams{Out: &out, Err: os.Stderr})
	return out.String(), err
}

func facts(t *testing.T, s run.Run) state.Facts {
	t.Helper()
	facts, err := s.Folder.LoadFacts()
	if err != nil {
		t.Fatal(err)
	}
	return facts
}

func identified(t *testing.T, s run.Run) map[string]string {
	t.Helper()
	ids := map[string]string{}
	for _, o := range everything(t, s) {
		ids[o.Kind+" "+o.Name] = o.ID
	}
	return ids
}
