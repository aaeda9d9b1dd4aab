package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/syn/lieutenant"
	"exoshift/provisioner/syn/vault"
	"exoshift/state"
)

// enrolled registers the cluster in Project Syn without cloud objects, as after an interrupted teardown or installation.
func enrolled(t *testing.T, s session) (*lieutenant.Client, *vault.Client) {
	t.Helper()
	there, secrets := s.access.NewLieutenantClient(s.net, lieutenantURL), s.access.OpenVaultClient(s.net, s.spec.Syn)
	err := there.SignIn(t.Context(), nil)
	if err == nil {
		_, _, err = there.EnsureCluster(t.Context(), state.SynCluster{
			ID: s.spec.Cluster.ID, Tenant: harbour, Facts: map[string]string{"cloud": "exoscale", "distribution": "openshift4", "region": s.spec.Exoscale.Zone},
		})
	}
	if err == nil {
		err = secrets.SignIn(t.Context(), nil)
	}
	for _, name := range []string{"cluster-backup", "exoscale/ccm"} {
		if err == nil {
			_, err = secrets.EnsureSecret(t.Context(), harbour+"/c-demo-1/"+name, map[string]string{"password": "x"})
		}
	}
	if err == nil {
		err = s.folder.SaveFacts(state.Facts{ClusterID: s.spec.Cluster.ID, Syn: state.SynFacts{Lieutenant: lieutenantURL, Tenant: harbour}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return there, secrets
}

func tornDown(t *testing.T, s session, d destroyFlags, kept bool) string {
	t.Helper()
	noted := facts(t, s)
	if !kept {
		noted = state.Facts{}
	}
	place := teardownContext{spec: s.spec, secrets: s.secrets, net: s.net, access: s.access, folder: s.folder, hasFolder: kept, facts: noted}
	var out bytes.Buffer
	d.output = outputPlain
	if err := d.clear(t.Context(), streams{out: &out, err: os.Stderr}, place); err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out.String()))
	}
	return out.String()
}

func TestATeardownTakesAClusterOutOfProjectSynWhenNothingElseIsLeft(t *testing.T) {
	t.Parallel()
	virtuallyIn(t, circumstances{spec: connectedSpec}, func(t *testing.T, s session, _ *simcloud.Zone) {
		there, secrets := enrolled(t, s)
		if shown := tornDown(t, s, destroyFlags{dryRun: true}, true); !strings.Contains(shown, "Lieutenant forgets c-demo-1 of the tenant "+harbour) {
			t.Errorf("the dry run shows\n%s", shown)
		}
		if _, err := there.GetCluster(t.Context(), "c-demo-1"); err != nil {
			t.Fatalf("the dry run touched it: %v", err)
		}
		shown := tornDown(t, s, destroyFlags{confirmID: "c-demo-1"}, true)
		for _, want := range []string{"switch off the heartbeat c-demo-1", "delete the service for logging in", "NS records of c-demo-1.example.net", "Passbolt"} {
			if summary := shown[strings.LastIndex(shown, "Nothing is left"):]; !strings.Contains(strings.Join(strings.Fields(summary), " "), want) {
				t.Errorf("%q is missing in\n%s", want, summary)
			}
		}
		if _, err := there.GetCluster(t.Context(), "c-demo-1"); !fault.Is(err, fault.NotFound) {
			t.Errorf("Lieutenant still has it: %v", err)
		}
		if _, err := secrets.GetSecret(t.Context(), harbour+"/c-demo-1/cluster-backup"); err != nil {
			t.Errorf("the backups cannot be read any more: %v", err)
		}
		if _, err := secrets.GetSecret(t.Context(), harbour+"/c-demo-1/exoscale/ccm"); !fault.Is(err, fault.NotFound) {
			t.Errorf("the key is still there: %v", err)
		}
	})
}

func TestATeardownThatIsOverTouchesNobodysNewRegistration(t *testing.T) {
	t.Parallel()
	virtuallyIn(t, circumstances{spec: connectedSpec}, func(t *testing.T, s session, _ *simcloud.Zone) {
		there, _ := enrolled(t, s)
		noted := facts(t, s)
		noted.Destroyed = s.net.Clock.Now()
		if err := s.folder.SaveFacts(noted); err != nil {
			t.Fatal(err)
		}
		tornDown(t, s, destroyFlags{confirmID: "c-demo-1", deleteBackups: true}, true)
		if _, err := there.GetCluster(t.Context(), "c-demo-1"); err != nil {
			t.Errorf("somebody else's cluster is gone: %v", err)
		}
	})
}

func TestATeardownWithoutTheFolderSaysThatProjectSynStays(t *testing.T) {
	t.Parallel()
	virtuallyIn(t, circumstances{spec: connectedSpec}, func(t *testing.T, s session, _ *simcloud.Zone) {
		there, _ := enrolled(t, s)
		if shown := tornDown(t, s, destroyFlags{confirmID: "c-demo-1"}, false); !strings.Contains(shown, "Lieutenant and Vault are left as they are") {
			t.Error(shown)
		}
		if _, err := there.GetCluster(t.Context(), "c-demo-1"); err != nil {
			t.Error(err)
		}
	})
}
