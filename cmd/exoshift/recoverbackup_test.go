package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/internal/app/exit"
	apprecovery "exoshift/internal/app/recovery"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/install/network"
	"exoshift/provisioner/openshift/masterhost"
	"exoshift/provisioner/recovery"
	"exoshift/state"
	vocabulary "exoshift/state/backup"
	hosts "exoshift/state/recovery"
)

const markersPath = "/api/v1/namespaces/default/configmaps"

// writeMarker writes something that a recovery has to keep, or to lose.
func writeMarker(t *testing.T, s run.Run, name string) {
	t.Helper()
	var made map[string]any
	requestCluster(t, s, http.MethodPost, markersPath, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"`+name+`"}}`, &made)
	if made["kind"] != "ConfigMap" {
		t.Fatalf("%v", made)
	}
}

func hasMarker(t *testing.T, s run.Run, name string) bool {
	t.Helper()
	var found map[string]any
	requestCluster(t, s, http.MethodGet, markersPath+"/"+name, "", &found)
	return found["kind"] == "ConfigMap"
}

// backedUpBetween makes a backup between two writes.
func backedUpBetween(t *testing.T, s run.Run, keys backup.Keys) {
	t.Helper()
	waitForBackups(t, s, keys)
	writeMarker(t, s, "before")
	if out, err := createBackup(t.Context(), t, s, keys, nil); err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	writeMarker(t, s, "after")
}

// restoringHosts are the masters, on which files of a backup are or are not. Before the first restoration, they are given what cannot be restored.
type restoringHosts struct {
	recovery.Hosts
	t      *testing.T
	s      run.Run
	copied map[hosts.File][]byte
	left   int
	tried  bool
}

func (c *restoringHosts) Copy(ctx context.Context, host hosts.Host, file hosts.File, write func(io.Writer) error) error {
	c.left++
	var content bytes.Buffer
	err := c.Hosts.Copy(ctx, host, file, func(to io.Writer) error { return write(io.MultiWriter(&content, to)) })
	c.copied[file] = content.Bytes()
	return err
}

func (c *restoringHosts) DeleteCopy(ctx context.Context, host hosts.Host) error {
	c.left = 0
	return c.Hosts.DeleteCopy(ctx, host)
}

func (c *restoringHosts) RestoreSnapshot(ctx context.Context, host hosts.Host) error {
	if !c.tried {
		c.tried = true
		c.requireRejected(ctx, host)
	}
	return c.Hosts.RestoreSnapshot(ctx, host)
}

// requireRejected requires that the simulated cluster-restore.sh restores no files that are missing, damaged or do not belong together.
func (c *restoringHosts) requireRejected(ctx context.Context, host hosts.Host) {
	c.t.Helper()
	put := func(name, content string) {
		c.t.Helper()
		sum := sha256.Sum256([]byte(content))
		copyFiles(ctx, c.t, c.Hosts, host, map[hosts.File][]byte{{Name: name, SHA256: hex.EncodeToString(sum[:])}: []byte(content)})
	}
	reject := func(reason string) {
		c.t.Helper()
		if err := c.Hosts.RestoreSnapshot(ctx, host); err == nil || !strings.Contains(err.Error(), reason) {
			c.t.Errorf("restored: %v", err)
		}
	}
	put("static_kuberesources_9999-01-01_000000.tar.gz", foreignResources(c.t))
	passTime(c.t, c.s, time.Second)
	if err := c.Hosts.RestoreSnapshot(ctx, host); err != nil {
		c.t.Errorf("resources of another backup: %v", err)
	}
	passTime(c.t, c.s, 10*time.Minute)
	if seen, err := c.Inspect(ctx, host); err != nil || seen.Leader {
		c.t.Errorf("with the resources of another backup: %+v, %v", seen, err)
	}
	if err := c.PrepareCopy(ctx, host); err != nil {
		c.t.Fatal(err)
	}
	reject("does not exist")
	put("snapshot_1.db", "this is no database of etcd, but is long enough to have a checksum")
	put("static_kuberesources_1.tar.gz", "neither is this an archive")
	reject("Backup appears corrupted")
	if err := c.PrepareCopy(ctx, host); err != nil {
		c.t.Fatal(err)
	}
	copyFiles(ctx, c.t, c.Hosts, host, c.copied)
}

func copyFiles(ctx context.Context, t *testing.T, masters recovery.Restorer, host hosts.Host, files map[hosts.File][]byte) {
	t.Helper()
	for file, content := range files {
		err := masters.Copy(ctx, host, file, func(to io.Writer) error {
			_, err := to.Write(content)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// foreignResources returns the resources of static pods of another backup.
func foreignResources(t *testing.T) string {
	t.Helper()
	var content bytes.Buffer
	packed := gzip.NewWriter(&content)
	archive := tar.NewWriter(packed)
	err := archive.WriteHeader(&tar.Header{Name: "static-pod-resources/kube-apiserver-pod-6/secrets/encryption-config/encryption-config", Mode: 0o600, Size: 2})
	if err == nil {
		_, err = archive.Write([]byte("{}"))
	}
	if err := errors.Join(err, archive.Close(), packed.Close()); err != nil {
		t.Fatal(err)
	}
	return content.String()
}

// backupRestored restores the cluster of the scenario quorum-lost from a backup, with the machines of two masters gone: what was written before it is
// there, and nothing else.
func backupRestored(keys backup.Keys) func(*testing.T, run.Run, *simcloud.Zone) {
	return func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		restorationsRefused(t, s, keys)
		for _, name := range []string{"master-1", "master-2"} {
			deleteMachine(backdoor{t, s}, name)
		}
		masters := &restoringHosts{t: t, s: s, copied: map[hosts.File][]byte{}}
		alter := func(clients *recovery.Clients) { masters.Hosts, clients.Hosts = clients.Hosts, masters }
		wanted := apprecovery.Request{Backup: "latest", Identities: keys.Identities}
		plan, out, err := recoverEtcd(t.Context(), t, s, wanted, alter)
		if err != nil || masters.left != 0 || !masters.tried {
			t.Fatalf("%d files are left; %v %s\n%s", masters.left, err, fault.HintOf(err), lastLines(out))
		}
		if plan.From != "master-0" || plan.Backup == nil || !strings.Contains(out, "master-0 still has the data of etcd") {
			t.Errorf("%+v", plan)
		}
		requireSnapshot(t, s)
		requireOneByOne(t, out)
		splitByRestoration(t, s, masters.copied)
	}
}

func deleteMachine(b backdoor, name string) {
	path := "/instance/" + b.id("/instance", "instances", "name", name)
	b.try(http.MethodPut, path+":remove-protection", map[string]any{})
	b.ask(http.MethodDelete, path, nil)
}

// requireOneByOne requires that the machine of the second lost master is made after the first one was replaced.
func requireOneByOne(t *testing.T, out string) {
	t.Helper()
	var order []string
	for _, e := range eventsOf(t, keepJSON(out)) {
		switch {
		case e.Type == provisioner.TypeObject && e.Kind == state.KindInstance && e.Action == string(state.Created):
			order = append(order, e.Name)
		case e.Type == provisioner.TypeStep && e.State == provisioner.Done && strings.HasPrefix(e.Step, "wait-rollout-"):
			order = append(order, e.Step)
		}
	}
	if !slices.Equal(order, []string{"master-1", "wait-rollout-master-1", "master-2", "wait-rollout-master-2"}) {
		t.Errorf("machines are made and masters replaced in the order %v", order)
	}
}

// splitByRestoration restores a backup on one master while the members on the others run: two clusters, and no API any more.
func splitByRestoration(t *testing.T, s run.Run, files map[hosts.File][]byte) {
	t.Helper()
	b, names := backdoor{t, s}, network.ListGroupNames(s.Spec, state.RoleMaster)
	b.ask(http.MethodPost, "/security-group/"+b.id("/security-group", "security-groups", "name", names[len(names)-1])+"/rules",
		map[string]any{"flow-direction": "ingress", "network": "0.0.0.0/0", "protocol": "tcp", "start-port": 22, "end-port": 22})
	masters := masterhost.New(s.Net, s.Spec.OpenShift.SSHKey, recoveryAgent, masterhost.Trust{All: true})
	defer masters.Close()
	var host hosts.Host
	for _, node := range listNodes(t, s) {
		if node.Name == "master-0" {
			host = hosts.Host{Name: node.Name, Address: node.Machine.Address}
		}
	}
	passTime(t, s, time.Minute)
	if err := masters.PrepareCopy(t.Context(), host); err != nil {
		t.Fatal(err)
	}
	copyFiles(t.Context(), t, masters, host, files)
	if err := masters.RestoreSnapshot(t.Context(), host); err != nil {
		t.Fatal(err)
	}
	passTime(t, s, 5*time.Minute)
	if seen, err := masters.Inspect(t.Context(), host); err != nil || seen.Leader {
		t.Errorf("restored beside members that run: %+v, %v", seen, err)
	}
}

func requireSnapshot(t *testing.T, s run.Run) {
	t.Helper()
	requireWholePlane(t, s)
	if !hasMarker(t, s, "before") || hasMarker(t, s, "after") {
		t.Errorf("what was written before the backup is there: %t, what was written after it: %t", hasMarker(t, s, "before"), hasMarker(t, s, "after"))
	}
	var operator map[string]any
	requestCluster(t, s, http.MethodGet, "/apis/operator.openshift.io/v1/etcds/cluster", "", &operator)
	if left, _ := json.Marshal(operator["spec"]); strings.Contains(string(left), "useUnsupported") {
		t.Errorf("etcd's operator is still allowed what is not safe: %s", left)
	}
	if open := listTemporaryRules(t, s); len(open) > 0 || facts(t, s).Recovery != nil {
		t.Errorf("left: %v, %+v", open, facts(t, s).Recovery)
	}
}

// restorationsRefused requires that none of them changes anything.
func restorationsRefused(t *testing.T, s run.Run, keys backup.Keys) {
	t.Helper()
	storage, bucket := openStorage(t, s), s.Spec.Bucket(state.BucketBackups)
	stored, err := storage.ListObjects(t.Context(), bucket, "exoshift-backup/")
	if err != nil || len(stored) != 4 {
		t.Fatalf("%v: %v", err, stored)
	}
	at := slices.IndexFunc(stored, func(o vocabulary.StoredObject) bool { return strings.HasSuffix(o.Key, vocabulary.PartResources+".age") })
	key := stored[at].Key
	content, err := storage.GetObject(t.Context(), bucket, key, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	refuse := func(wanted apprecovery.Request, code int, reason string) {
		t.Helper()
		_, out, err := recoverEtcd(t.Context(), t, s, wanted, nil)
		if exit.Code(err) != code || !strings.Contains(err.Error(), reason) || len(listTemporaryRules(t, s)) > 0 || facts(t, s).Recovery != nil {
			t.Errorf("exit code %d: %v, %v, %+v\n%s", exit.Code(err), err, listTemporaryRules(t, s), facts(t, s).Recovery, lastLines(out))
		}
	}
	refuse(apprecovery.Request{Backup: "20000101T000000Z", Identities: keys.Identities}, exit.Usage, "there is none of that name")
	refuse(apprecovery.Request{Backup: "latest", Identities: newBackupKeys(t).Identities}, exit.Answers, "no identity of a recipient")
	refuse(apprecovery.Request{Backup: "latest", Identities: keys.Identities, From: "worker-0"}, exit.Answers, "worker-0 is no master")
	damaged := slices.Clone(content)
	damaged[len(damaged)/2] ^= 1
	replaceObject(t, s, bucket, key, damaged)
	refuse(apprecovery.Request{Backup: "latest", Identities: keys.Identities}, exit.ControlPlane, "its SHA-256 is another one")
	replaceObject(t, s, bucket, key, content)
	plan, _, err := recoverEtcd(t.Context(), t, s, apprecovery.Request{Backup: "latest", Identities: keys.Identities, DryRun: true}, nil)
	if err != nil || plan.Review.API == "" || len(plan.Steps) < 20 || len(listTemporaryRules(t, s)) > 0 {
		t.Errorf("a dry run: %v, %+v", err, plan)
	}
}

func replaceObject(t *testing.T, s run.Run, bucket, key string, content []byte) {
	t.Helper()
	storage := openStorage(t, s)
	_, err := storage.DeleteObject(t.Context(), bucket, key)
	if err == nil {
		_, err = storage.EnsureObject(t.Context(), bucket, key, content)
	}
	if err != nil {
		t.Fatal(err)
	}
}
