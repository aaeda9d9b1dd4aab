package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/run"
	"exoshift/internal/app/teardown"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/syn/lieutenant"
	"exoshift/provisioner/syn/vault"
	"exoshift/state"
)

// enrolled registers the cluster in Project Syn without cloud objects, as after an interrupted teardown or installation.
func enrolled(t *testing.T, s run.Run) (*lieutenant.Client, *vault.Client) {
	t.Helper()
	there, secrets := s.Access.NewLieutenantClient(s.Net, lieutenantURL), s.Access.OpenVaultClient(s.Net, s.Spec.Syn)
	err := there.SignIn(t.Context(), nil)
	if err == nil {
		_, _, err = there.EnsureCluster(t.Context(), state.SynCluster{
			ID: s.Spec.Cluster.ID, Tenant: harbour, Facts: map[string]string{"cloud": "exoscale", "distribution": "openshift4", "region": s.Spec.Exoscale.Zone},
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
		err = s.Folder.SaveFacts(state.Facts{ClusterID: s.Spec.Cluster.ID, Syn: state.SynFacts{Lieutenant: lieutenantURL, Tenant: harbour}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return there, secrets
}

func tornDown(t *testing.T, s run.Run, d destroyFlags, kept bool) string {
	t.Helper()
	noted := facts(t, s)
	if !kept {
		noted = state.Facts{}
	}
	place := teardown.Cluster{Spec: s.Spec, Secrets: s.Secrets, Net: s.Net, Access: s.Access, Folder: s.Folder, HasFolder: kept, Facts: noted}
	var out bytes.Buffer
	d.Output = cli.OutputPlain
	if err := d.destroy(t.Context(), cli.Streams{Out: &out, Err: os.Stderr}, place); err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out.String()))
	}
	return out.String()
}

func TestDestroy_RemovesSynClusterLast(t *testing.T) {
	t.Parallel()
	virtuallyIn(t, circumstances{spec: connectedSpec}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		there, secrets := enrolled(t, s)
		if shown := tornDown(t, s, destroyFlags{dryRun: true}, true); !strings.Contains(shown, "Lieutenant deletes c-demo-1 of the tenant "+harbour) {
			t.Errorf("the dry run shows\n%s", shown)
		}
		if _, err := there.GetCluster(t.Context(), "c-demo-1"); err != nil {
			t.Fatalf("the dry run touched it: %v", err)
		}
		shown := tornDown(t, s, destroyFlags{confirmID: "c-demo-1"}, true)
		for _, want := range []string{"disable the heartbeat c-demo-1", "delete the service for logging in", "NS records of c-demo-1.example.net", "Passbolt"} {
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

func TestTeardown_KeepsPasswords(t *testing.T) {
	t.Parallel()
	virtuallyIn(t, circumstances{spec: connectedSpec, scenario: "secrets-deleted"}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		_, secrets := enrolled(t, s)
		tornDown(t, s, destroyFlags{confirmID: "c-demo-1"}, true)
		if got, err := secrets.GetSecret(t.Context(), harbour+"/c-demo-1/cluster-backup"); err != nil || got["password"] != "x" {
			t.Errorf("the backups cannot be read any more: %v, %v", got, err)
		}
		if _, err := secrets.Restore(t.Context(), harbour+"/c-demo-1/exoscale/ccm"); !fault.Is(err, fault.NotFound) {
			t.Errorf("the simulated Lieutenant left metadata: %v", err)
		}
		if _, err := s.Folder.Read(state.PasswordsFile); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the copies stay: %v", err)
		}
	})
}

func TestDestroy_KeepsNewRegistration(t *testing.T) {
	t.Parallel()
	virtuallyIn(t, circumstances{spec: connectedSpec}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		there, _ := enrolled(t, s)
		noted := facts(t, s)
		noted.Destroyed = s.Net.Clock.Now()
		if err := s.Folder.SaveFacts(noted); err != nil {
			t.Fatal(err)
		}
		tornDown(t, s, destroyFlags{confirmID: "c-demo-1", deleteBackups: true}, true)
		if _, err := there.GetCluster(t.Context(), "c-demo-1"); err != nil {
			t.Errorf("someone else's cluster is gone: %v", err)
		}
	})
}

func TestDestroy_WithoutFolderKeepsSyn(t *testing.T) {
	t.Parallel()
	virtuallyIn(t, circumstances{spec: connectedSpec}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		there, _ := enrolled(t, s)
		if shown := tornDown(t, s, destroyFlags{confirmID: "c-demo-1"}, false); !strings.Contains(shown, "Lieutenant and Vault are not changed;") {
			t.Error(shown)
		}
		if _, err := there.GetCluster(t.Context(), "c-demo-1"); err != nil {
			t.Error(err)
		}
	})
}
