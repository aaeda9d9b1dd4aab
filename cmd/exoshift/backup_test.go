package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"exoshift/cmd/exoshift/cli"
	appbackup "exoshift/internal/app/backup"
	"exoshift/internal/app/exit"
	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/objects"
	"exoshift/state"
	vocabulary "exoshift/state/backup"
	"exoshift/state/controlplane"
)

// backupOutput shows how a backup is made as lines of text.
type backupOutput struct {
	cli.Display
	out *bytes.Buffer
}

func (backupOutput) ShowPlan(appbackup.Plan) error { return nil }
func (backupOutput) Confirm(context.Context) error { return nil }
func (o backupOutput) Close(_ appbackup.Plan, _ *backup.Backup, failure error, _ string) {
	fmt.Fprintln(o.out, "closed:", failure, fault.HintOf(failure))
}

// newBackupKeys returns keys of one recipient, whose identity is at hand.
func newBackupKeys(t *testing.T) backup.Keys {
	t.Helper()
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return backup.Keys{Recipients: []string{identity.Recipient().String()}, Parsed: []age.Recipient{identity.Recipient()}, Identities: []age.Identity{identity}}
}

func createBackup(ctx context.Context, t *testing.T, s run.Run, keys backup.Keys, alter func(*backup.Clients)) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cluster := appbackup.Cluster{Cluster: clusterOf(t, s), Alter: alter}
	err := cluster.Create(ctx, appbackup.Request{Keys: keys, Retry: "exoshift backup create"}, backupOutput{jsonDisplay(cli.Streams{Out: &out, Err: io.Discard}), &out})
	return out.String(), err
}

// listBackups requires that all of them can be used, and that nothing is left beside them: neither in the bucket nor in the cluster.
func listBackups(t *testing.T, s run.Run) []backup.Backup {
	t.Helper()
	all, leftovers, err := appbackup.Cluster{Cluster: clusterOf(t, s)}.List(t.Context())
	if err != nil || leftovers > 0 {
		t.Errorf("%d objects belong to no backup; %v", leftovers, err)
	}
	for _, one := range all {
		if !one.IsVerified() || !one.Verified.Decrypted || one.Etcd.Revision == 0 || one.Etcd.TotalKeys == 0 || one.Objects.Count < 100 || len(one.Objects.Missing) > 0 {
			t.Errorf("%+v", one)
		}
	}
	var namespace map[string]any
	if requestCluster(t, s, http.MethodGet, "/api/v1/namespaces/exoshift-etcd-backup", "", &namespace); namespace["kind"] != "Status" {
		t.Errorf("the pod's namespace is still there: %v", namespace)
	}
	return all
}

// clusterBackedUp is backed up, and never in plain text; what it does not keep is deleted.
func clusterBackedUp(t *testing.T, s run.Run, zone *simcloud.Zone) {
	keys := newBackupKeys(t)
	before := zone.Mutations()
	waitForBackups(t, s, keys)
	if made := zone.Mutations() - before; made != 0 {
		t.Errorf("a dry run made %d changes", made)
	}
	backupsRefused(t, s, keys)
	fillShop(t, s)
	out, err := createBackup(t.Context(), t, s, keys, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	if !strings.Contains(out, `"voters":3,"quorum":2`) {
		t.Errorf("no event has etcd's voters and quorum:\n%s", lastLines(out))
	}
	nothingInPlainText(t, s, out)
	shopRestored(t, s, keys)
	passTime(t, s, time.Hour)
	foreign := keys
	foreign.Identities = newBackupKeys(t).Identities
	if out, err := createBackup(t.Context(), t, s, foreign, nil); err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	backupsPruned(t, s, keys)
	destroyedShown(t, s)
}

// destroyedShown requires that the backups of a cluster that was destroyed are still seen, while other verbs refuse it.
func destroyedShown(t *testing.T, s run.Run) {
	t.Helper()
	known := facts(t, s)
	known.Destroyed = time.Now()
	if err := s.Folder.SaveFacts(known); err != nil {
		t.Fatal(err)
	}
	if _, err := appnodes.Read(s.Folder); exit.Code(err) != exit.Usage || !strings.Contains(fmt.Sprint(err), "was destroyed") {
		t.Errorf("a verb about nodes: %v", err)
	}
	if kept, err := appnodes.ReadKept(s.Folder); err != nil || kept.Spec.Cluster.ID != s.Spec.Cluster.ID {
		t.Errorf("what is kept: %v", err)
	}
}

// waitForBackups waits until a zone that was opened again is as it was: a dry run says that a backup can be made.
func waitForBackups(t *testing.T, s run.Run, keys backup.Keys) {
	t.Helper()
	var err error
	for range 60 {
		shown := backupOutput{jsonDisplay(cli.Streams{Out: io.Discard, Err: io.Discard}), new(bytes.Buffer)}
		if err = (appbackup.Cluster{Cluster: clusterOf(t, s)}).Create(t.Context(), appbackup.Request{DryRun: true, Keys: keys}, shown); err == nil {
			return
		}
		passTime(t, s, 20*time.Second)
	}
	t.Fatal(err)
}

// backupsRefused requires that none is made while the control plane is not at rest.
func backupsRefused(t *testing.T, s run.Run, keys backup.Keys) {
	t.Helper()
	refuse := func(alter func(clients *backup.Clients), code int, reason string) {
		t.Helper()
		if _, err := createBackup(t.Context(), t, s, keys, alter); exit.Code(err) != code || !strings.Contains(fmt.Sprint(err), reason) {
			t.Errorf("exit code %d: %v", exit.Code(err), err)
		}
	}
	refuse(func(clients *backup.Clients) { clients.Cluster = movingCluster{clients.Cluster} }, exit.Operators, "kube-scheduler is progressing")
	refuse(func(clients *backup.Clients) { clients.Cluster = lesserCluster{clients.Cluster} }, exit.ControlPlane, "etcd has no member on master-1")
	refuse(func(clients *backup.Clients) {
		clients.Cluster = refusingCluster{clients.Cluster, func() { setProgressing(t, s, "kube-scheduler") }}
	}, exit.Operators, "Currently the kube-scheduler operator is progressing")
	passTime(t, s, time.Minute)
	if found := listBackups(t, s); len(found) > 0 {
		t.Errorf("there are backups: %+v", found)
	}
}

// setProgressing has an operator say that it progresses, until it says something else.
func setProgressing(t *testing.T, s run.Run, name string) {
	t.Helper()
	path := "/apis/config.openshift.io/v1/clusteroperators/" + name
	var operator map[string]any
	requestCluster(t, s, http.MethodGet, path, "", &operator)
	for _, condition := range operator["status"].(map[string]any)["conditions"].([]any) {
		if one := condition.(map[string]any); one["type"] == "Progressing" {
			one["status"], one["message"] = "True", "2 nodes are at revision 4"
		}
	}
	changed, err := json.Marshal(operator)
	if err != nil {
		t.Fatal(err)
	}
	requestCluster(t, s, http.MethodPut, path+"/status", string(changed), nil)
}

// movingCluster has an operator that progresses.
type movingCluster struct{ backup.Cluster }

func (c movingCluster) Poll(ctx context.Context, bootstrap netip.Addr, expected []state.ExpectedNode) (state.Snapshot, error) {
	seen, err := c.Cluster.Poll(ctx, bootstrap, expected)
	seen.Operators = slices.Clone(seen.Operators)
	for i := range seen.Operators {
		seen.Operators[i].Progressing = seen.Operators[i].Name == "kube-scheduler"
	}
	return seen, err
}

// lesserCluster lacks a member of etcd.
type lesserCluster struct{ backup.Cluster }

func (c lesserCluster) InspectControlPlane(ctx context.Context) (controlplane.State, error) {
	seen, err := c.Cluster.InspectControlPlane(ctx)
	seen.Peers = slices.DeleteFunc(slices.Clone(seen.Peers), func(p controlplane.Peer) bool { return p.Name == "master-1" })
	return seen, err
}

// refusingCluster begins a roll-out just before the script runs.
type refusingCluster struct {
	backup.Cluster
	begin func()
}

func (c refusingCluster) MakeSnapshot(ctx context.Context, node string) (vocabulary.Snapshot, error) {
	c.begin()
	return c.Cluster.MakeSnapshot(ctx, node)
}

// nothingInPlainText looks for secrets of the cluster in what is stored and printed, and in the archive that is encrypted.
func nothingInPlainText(t *testing.T, s run.Run, printed string) {
	t.Helper()
	var secrets struct {
		Items []struct {
			Data map[string]string `json:"data"`
		} `json:"items"`
	}
	requestCluster(t, s, http.MethodGet, "/api/v1/namespaces/openshift-etcd/secrets", "", &secrets)
	var words []string
	for _, secret := range secrets.Items {
		for _, encoded := range secret.Data {
			if plain, err := base64.StdEncoding.DecodeString(encoded); err == nil && len(plain) > 8 {
				words = append(words, encoded, string(plain))
			}
		}
	}
	storage := openStorage(t, s)
	stored, err := storage.ListObjects(t.Context(), s.Spec.Bucket(state.BucketBackups), "exoshift-backup/")
	if err != nil || len(stored) != 4 {
		t.Fatalf("%d objects, %v", len(stored), err)
	}
	all := printed
	for _, object := range stored {
		content, err := storage.GetObject(t.Context(), s.Spec.Bucket(state.BucketBackups), object.Key, 1<<24)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(object.Key, ".json") && !bytes.HasPrefix(content, []byte("age-encryption.org/v1")) {
			t.Errorf("%s is not encrypted", object.Key)
		}
		all += string(content)
	}
	for _, word := range append(words, "EncryptionConfiguration", "c2ltdWxhdGVkIGtleQ") {
		if strings.Contains(all, word) {
			t.Errorf("a secret is in plain text: %.8s...", word)
		}
	}
}

func openStorage(t *testing.T, s run.Run) *objects.Client {
	t.Helper()
	storage, err := objects.New(s.Net, s.Spec.Exoscale.Zone, s.Secrets.APIKey, s.Secrets.APISecret, state.NoJournal{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(storage.Close)
	return storage
}

// pruneOutput agrees to everything.
type pruneOutput struct{ done []string }

func (*pruneOutput) ShowPlan(appbackup.PrunePlan) error { return nil }
func (*pruneOutput) Confirm(context.Context) error      { return nil }
func (o *pruneOutput) Done(name string)                 { o.done = append(o.done, name) }
func (o *pruneOutput) Warn(text string)                 { o.done = append(o.done, text) }

// backupsPruned has two backups, of which the older one was decrypted.
func backupsPruned(t *testing.T, s run.Run, keys backup.Keys) {
	t.Helper()
	cluster := appbackup.Cluster{Cluster: clusterOf(t, s)}
	all, _, err := cluster.List(t.Context())
	if err != nil || len(all) != 2 || all[0].Verified.Decrypted || !all[0].IsVerified() || all[0].Created.Before(all[1].Created) {
		t.Fatalf("%v: %+v", err, all)
	}
	if decrypted, err := cluster.Verify(t.Context(), all[1], keys.Identities, func(provisioner.Event) {}); err != nil || !decrypted {
		t.Errorf("read back: %t, %v", decrypted, err)
	}
	storage, bucket := openStorage(t, s), s.Spec.Bucket(state.BucketBackups)
	if _, err := storage.EnsureObject(t.Context(), bucket, "exoshift-backup/20000101T000000Z/snapshot.db.age", []byte("half")); err != nil {
		t.Fatal(err)
	}
	var shown pruneOutput
	if err := cluster.Prune(t.Context(), appbackup.Deletion{Retention: backup.Retention{Count: 1}}, &shown); err != nil || len(shown.done) != 2 || shown.done[0] != all[1].Name {
		t.Errorf("%v, %q", err, shown.done)
	}
	if left, err := storage.ListObjects(t.Context(), bucket, "exoshift-backup/"); err != nil || len(left) != 4 || !strings.Contains(left[0].Key, all[0].Name) {
		t.Errorf("%v: %v", err, left)
	}
	missing := all[0].FindPart(vocabulary.PartObjects).Object
	if _, err := storage.DeleteObject(t.Context(), bucket, missing); err != nil {
		t.Fatal(err)
	}
	if found, err := cluster.Show(t.Context(), "latest"); err != nil || found.Problem != "objects.tar.gz is gone" || found.IsVerified() {
		t.Errorf("%v: %q", err, found.Problem)
	}
}

// backupUnreadable is a zone whose storage returns something else than was stored.
func backupUnreadable(t *testing.T, s run.Run, _ *simcloud.Zone) {
	keys := newBackupKeys(t)
	waitForBackups(t, s, keys)
	out, err := createBackup(t.Context(), t, s, keys, nil)
	if exit.Code(err) != exit.ControlPlane || !strings.Contains(out, `"type":"diagnosis"`) || !strings.Contains(out, `"name":"backup-unreadable"`) {
		t.Errorf("exit code %d: %v\n%s", exit.Code(err), err, lastLines(out))
	}
	all, leftovers, err := appbackup.Cluster{Cluster: clusterOf(t, s)}.List(t.Context())
	if err != nil || len(all) > 0 || leftovers != 3 {
		t.Errorf("%+v, %d, %v", all, leftovers, err)
	}
}

// faultyBackup is the cluster for what makes backups; the storage is behind the injector anyway.
type faultyBackup struct {
	backup.Cluster
	by *faultInjector
}

func (s *faultInjector) injectIntoBackup(clients *backup.Clients) {
	clients.Cluster = faultyBackup{clients.Cluster, s}
}

func (c faultyBackup) PrepareSnapshot(ctx context.Context, node string) error {
	return c.by.change(func() error { return c.Cluster.PrepareSnapshot(ctx, node) })
}

func (c faultyBackup) MakeSnapshot(ctx context.Context, node string) (made vocabulary.Snapshot, err error) {
	err = c.by.change(func() (err error) {
		made, err = c.Cluster.MakeSnapshot(ctx, node)
		return err
	})
	return made, err
}

func (c faultyBackup) EndSnapshot(ctx context.Context) (action state.Action, err error) {
	err = c.by.change(func() (err error) {
		action, err = c.Cluster.EndSnapshot(ctx)
		return err
	})
	return action, err
}

// backupWithFaults makes a backup for each call that has a fault, in one cluster. Whatever happens, the same command makes one more, and
// leaves nothing else.
func backupWithFaults(t *testing.T, s run.Run, by *faultInjector, first int) {
	keys := newBackupKeys(t)
	made := 0
	verb := faultyVerb{
		name:  "backup",
		run:   func(ctx context.Context) (string, error) { return createBackup(ctx, t, s, keys, by.injectIntoBackup) },
		again: func() (string, error) { return createBackup(t.Context(), t, s, keys, nil) },
		check: func() {
			all := listBackups(t, s)
			if made++; len(all) < made || len(all) > 2*made {
				t.Errorf("there are %d backups after %d", len(all), made)
			}
		},
	}
	more := true
	for at := range listFaultyCalls(first, 4, 9, &more) {
		calls := verb.runWithFault(t, s, by, at)
		if more = calls >= at; !more && calls < 9 {
			t.Errorf("there were only %d calls", calls)
		}
	}
}
