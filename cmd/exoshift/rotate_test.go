package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/rotation"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	engine "exoshift/provisioner/rotation"
	"exoshift/state"
	vocabulary "exoshift/state/rotation"
)

// rotationOutput shows a rotation as lines of text.
type rotationOutput struct {
	cli.Display
	out *bytes.Buffer
}

func (o rotationOutput) ShowPlan(plan rotation.Plan) error {
	for _, key := range plan.Keys {
		fmt.Fprintln(o.out, "planned:", key.Name, key.Old, key.Revoked, key.Holders)
	}
	return nil
}
func (rotationOutput) Confirm(context.Context) error { return nil }
func (o rotationOutput) Close(_ rotation.Plan, failure error, _ string) {
	fmt.Fprintln(o.out, "closed:", failure, fault.HintOf(failure))
}

func rotateKeys(ctx context.Context, t *testing.T, s run.Run, wanted rotation.Request, alter func(*engine.Clients)) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cluster := rotation.Cluster{Cluster: clusterOf(t, s), Alter: alter}
	err := cluster.RotateKeys(ctx, wanted, rotationOutput{jsonDisplay(cli.Streams{Out: &out, Err: io.Discard}), &out})
	return out.String(), err
}

// vaultKeysRotated rotates the keys of a connected cluster: they come from Vault, by Argo CD.
func vaultKeysRotated(t *testing.T, s run.Run) {
	t.Helper()
	before := listClusterKeys(t, s)
	for _, call := range []string{"before", "after", ""} { // when it is killed, as to the restarts
		ctx, kill := context.WithCancel(t.Context())
		var out bytes.Buffer
		cluster := rotation.Cluster{Cluster: clusterOf(t, s), SignIn: s.Access, Alter: func(clients *engine.Clients) {
			if call != "" {
				clients.Cluster = killedRestart{clients.Cluster, call == "after", kill}
			}
		}}
		err := cluster.RotateKeys(ctx, rotation.Request{Kinds: []string{"ccm", "registry"}}, rotationOutput{jsonDisplay(cli.Streams{Out: &out, Err: io.Discard}), &out})
		kill()
		if (err == nil) != (call == "") {
			t.Fatalf("killed %s: %v\n%s", call, err, lastLines(out.String()))
		}
	}
	after := listClusterKeys(t, s)
	for name, old := range before {
		if rotated := !strings.HasSuffix(name, "csi-driver-exoscale"); (after[name] != old) != rotated {
			t.Errorf("the key %s was %s, and is %s", name, old, after[name])
		}
	}
	if names := pending(t, s); len(names) > 0 {
		t.Errorf("an installation would change %v", names)
	}
}

// killedRestart ends the process at the first restart, before or after its effect.
type killedRestart struct {
	engine.Cluster
	after bool
	kill  context.CancelFunc
}

func (k killedRestart) RestartReader(ctx context.Context, namespace, reader, key string, now time.Time) (action state.Action, err error) {
	if k.after {
		action, err = k.Cluster.RestartReader(ctx, namespace, reader, key, now)
	}
	k.kill()
	return action, errors.Join(err, errKilled)
}

func TestRotate_UnknownKey(t *testing.T) {
	atHome(t)
	for _, args := range [][]string{{"nonsense", "--dir", t.TempDir()}, {"ccm", "nonsense", "c-demo-1"}, {"nonsense"}, {"ccm", "nonsense"}} {
		code, _, err := executeCommand(t, append([]string{"rotate", "api-keys"}, args...)...)
		if code != exit.Usage || !strings.Contains(err, "nonsense: not one of the keys ccm, csi, registry, backup, all, ") {
			t.Errorf("%v: exit code %d: %s", args, code, err)
		}
	}
}

func TestRotate_KeyIsNoCluster(t *testing.T) {
	clusters := atHome(t)
	code, _, err := executeCommand(t, "rotate", "api-keys", "ccm", "c-demo-1", "--state", clusters)
	if want := filepath.Join(clusters, "c-demo-1"); code != exit.Usage || !strings.Contains(err, want) {
		t.Errorf("exit code %d: %s, not about %s", code, err, want)
	}
}

// listClusterKeys returns the IDs of the cluster's API keys by their names. There is one of each.
func listClusterKeys(t *testing.T, s run.Run) map[string]string {
	t.Helper()
	keys := map[string]string{}
	for _, key := range (backdoor{t, s}).list("/api-key", "api-keys") {
		name := fmt.Sprint(key["name"])
		if keys[name] != "" {
			t.Errorf("there are two keys %s", name)
		}
		keys[name] = fmt.Sprint(key["key"])
	}
	return keys
}

// checkRotated requires one new key of each of these policies, which is in the folder, and nothing left.
func checkRotated(t *testing.T, s run.Run, before map[string]string, policies ...string) {
	t.Helper()
	after := listClusterKeys(t, s)
	for name, old := range before {
		rotated := slices.ContainsFunc(policies, func(policy string) bool { return s.Spec.ObjectName(policy) == name })
		if (after[name] != old) != rotated || after[name] == "" {
			t.Errorf("the key %s was %s, and is %s", name, old, after[name])
		}
		if kept, err := s.Folder.LoadAPIKey(name); err != nil || kept.Key != after[name] {
			t.Errorf("the folder has %s of %s, not %s: %v", kept.Key, name, after[name], err)
		}
	}
	b := backdoor{t, s}
	if left := b.list("/load-balancer", "load-balancers"); len(left) > 0 {
		t.Errorf("load balancers are left: %v", left)
	}
	if left := b.list("/block-storage", "block-storage-volumes"); len(left) > 0 {
		t.Errorf("volumes are left: %v", left)
	}
	if known := facts(t, s).Rotation; known != nil {
		t.Errorf("the facts know %+v", known)
	}
}

// keysRotated rotates all keys, and requires that an installation changes nothing after it.
func keysRotated(t *testing.T, s run.Run, _ *simcloud.Zone) {
	before := listClusterKeys(t, s)
	out, err := rotateKeys(t.Context(), t, s, rotation.Request{}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	checkRotated(t, s, before, "csi-driver-exoscale", "object_storage", "ccm-exoscale")
	for _, operation := range []string{"create-block-storage-volume with the key", "create-load-balancer with the key"} {
		if !strings.Contains(out, operation) {
			t.Errorf("it does not say that the cloud has seen %s", operation)
		}
	}
	requireSecretless(t, s, out)
	if names := pending(t, s); len(names) > 0 {
		t.Errorf("an installation would change %v", names)
	}
	if again, err := rotateKeys(t.Context(), t, s, rotation.Request{DryRun: true, Kinds: []string{engine.KindBackup}}, nil); exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "no Secret for backups has") {
		t.Errorf("the key of backups: %v\n%s", err, again)
	}
}

// requireSecretless requires that no secret of a key is in the output, in the facts and in the records.
func requireSecretless(t *testing.T, s run.Run, out string) {
	t.Helper()
	var secrets []string
	for _, file := range state.ListAPIKeyFiles(s.Folder) {
		name := strings.TrimSuffix(file[strings.LastIndex(file, "/")+1:], ".json")
		if key, err := s.Folder.LoadAPIKey(name); err == nil {
			secrets = append(secrets, key.Secret)
		}
	}
	if len(secrets) < 2 {
		t.Errorf("the folder has %d keys", len(secrets))
	}
	for _, file := range []string{state.FactsFile, state.JournalFile, state.NodesFile} {
		content, err := s.Folder.Read(file)
		if err != nil {
			t.Error(err)
		}
		out += string(content)
	}
	for _, secret := range secrets {
		if strings.Contains(out, secret) {
			t.Error("a secret is in the output or in a record")
		}
	}
}

func external(spec *state.Spec) { spec.OpenShift.CloudControllerManager = "External" }

// rotationsRefused requires that keys are left alone where something else has to be done first, and that a key is replaced that was revoked.
func rotationsRefused(t *testing.T, s run.Run, _ *simcloud.Zone) {
	before := listClusterKeys(t, s)
	refuse := func(s run.Run, code int, says string, kinds ...string) {
		t.Helper()
		out, err := rotateKeys(t.Context(), t, s, rotation.Request{Kinds: kinds}, nil)
		if exit.Code(err) != code || !strings.Contains(fmt.Sprint(err, fault.HintOf(err)), says) {
			t.Errorf("exit code %d, not %d, %v, %s\n%s", exit.Code(err), code, err, fault.HintOf(err), lastLines(out))
		}
		if after := listClusterKeys(t, s); !maps.Equal(after, before) || facts(t, s).Rotation != nil {
			t.Errorf("the keys were %v, and are %v", before, after)
		}
	}
	owner := backdoor{t, s}
	for _, missing := range []string{"create-api-key", "delete-api-key", "list-events"} {
		allowed := strings.ReplaceAll(`operation in ['list-api-keys', 'list-iam-roles', 'create-api-key', 'delete-api-key', 'list-events', 'list-instances']`, "'"+missing+"', ", "")
		rules := map[string]any{"type": "rules", "rules": []any{map[string]any{"action": "allow", "expression": allowed}}}
		role := owner.ask("POST", "/iam-role", map[string]any{"name": "without " + missing, "policy": map[string]any{
			"default-service-strategy": "deny", "services": map[string]any{"iam": rules, "compute": rules}}})
		key := owner.ask("POST", "/api-key", map[string]any{"name": "without " + missing, "role-id": role["reference"].(map[string]any)["id"]})
		before = listClusterKeys(t, s)
		restricted := s
		restricted.Secrets.APIKey, restricted.Secrets.APISecret = key["key"].(string), key["secret"].(string)
		refuse(restricted, exit.Denied, "whose IAM role allows list-api-keys, create-api-key, delete-api-key and list-events", "ccm")
		owner.ask("DELETE", "/api-key/"+key["key"].(string), nil)
		before = listClusterKeys(t, s)
	}
	const secret = "/api/v1/namespaces/exoscale-csi-driver/secrets/exoscale-credentials"
	holdOther := func(key string) {
		var held map[string]any
		requestCluster(t, s, http.MethodGet, secret, "", &held)
		held["data"].(map[string]any)["EXOSCALE_API_KEY"] = base64.StdEncoding.EncodeToString([]byte(key))
		changed, err := json.Marshal(held)
		if err != nil {
			t.Fatal(err)
		}
		requestCluster(t, s, http.MethodPut, secret, string(changed), nil)
	}
	holdOther("EXOother")
	refuse(s, exit.Answers, "has the API key EXOother, which is not ours", "csi")
	holdOther(before["c-demo-1_csi-driver-exoscale"])

	owner.ask("DELETE", "/api-key/"+before["c-demo-1_object_storage"], nil)
	delete(before, "c-demo-1_object_storage")
	passTime(t, s, 10*time.Minute)
	refuse(s, exit.Operators, "the operator image-registry is degraded", "ccm")
	out, err := rotateKeys(t.Context(), t, s, rotation.Request{Kinds: []string{"registry"}}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	requireFinding(t, out, "key-revoked-early", "does not exist any more; it is in openshift-image-registry/image-registry-private-configuration-user")
	checkRotated(t, s, before)
	if names := pending(t, s); len(names) > 0 {
		t.Errorf("an installation would change %v", names)
	}
}

// keyRevokedEarly requires that a rotation goes on although somebody deletes the old key before the new one is in use, also after a kill.
func keyRevokedEarly(t *testing.T, s run.Run, _ *simcloud.Zone) {
	before := listClusterKeys(t, s)
	out, err := rotateKeys(t.Context(), t, s, rotation.Request{Kinds: []string{"ccm"}}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	requireFinding(t, out, "key-revoked-early", "of the cloud controller, does not exist any more; it is in exoscale-cloud-controller-manager/exoscale-credentials")
	checkRotated(t, s, before, "ccm-exoscale")
	before = listClusterKeys(t, s)

	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	out, err = rotateKeys(ctx, t, s, rotation.Request{Kinds: []string{"csi"}}, func(clients *engine.Clients) {
		clients.Cluster = killedReplacement{clients.Cluster, kill}
	})
	if err == nil {
		t.Errorf("it was not killed\n%s", lastLines(out))
	}
	if err := installWith(t.Context(), s, cli.Streams{Out: io.Discard, Err: io.Discard}); exit.Code(err) != exit.Answers || !strings.Contains(fmt.Sprint(err), "has not ended") {
		t.Errorf("an installation beside a rotation: %v", err)
	}
	if out, err = rotateKeys(t.Context(), t, s, rotation.Request{Kinds: []string{"ccm"}}, nil); exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "exoshift rotate api-keys csi") {
		t.Errorf("another rotation: %v\n%s", err, lastLines(out))
	}
	backdoor{t, s}.ask("DELETE", "/api-key/"+before["c-demo-1_csi-driver-exoscale"], nil)
	out, err = rotateKeys(t.Context(), t, s, rotation.Request{Kinds: []string{"csi"}}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	requireFinding(t, out, "key-revoked-early", "of the storage driver, does not exist any more; it is in exoscale-csi-driver/exoscale-credentials")
	checkRotated(t, s, before, "csi-driver-exoscale")
}

// killedReplacement ends the process before a key is put into a Secret.
type killedReplacement struct {
	engine.Cluster
	kill context.CancelFunc
}

func (k killedReplacement) ReplaceKey(context.Context, vocabulary.Holder, state.APIKey) (state.Action, error) {
	k.kill()
	return "", errKilled
}

// faultyRotation is the cluster and the object storage for what rotates keys.
type faultyRotation struct {
	engine.Cluster
	engine.Storage
	by *faultInjector
}

func (c faultyRotation) ReplaceKey(ctx context.Context, holder vocabulary.Holder, key state.APIKey) (action state.Action, err error) {
	err = c.by.change(func() (err error) {
		action, err = c.Cluster.ReplaceKey(ctx, holder, key)
		return err
	})
	return action, err
}

func (c faultyRotation) RestartReader(ctx context.Context, namespace, reader, key string, now time.Time) (action state.Action, err error) {
	err = c.by.change(func() (err error) {
		action, err = c.Cluster.RestartReader(ctx, namespace, reader, key, now)
		return err
	})
	return action, err
}

func (c faultyRotation) EnsureTrialService(ctx context.Context) (name string, err error) {
	err = c.by.change(func() (err error) {
		name, err = c.Cluster.EnsureTrialService(ctx)
		return err
	})
	return name, err
}

func (c faultyRotation) EnsureTrialVolume(ctx context.Context) (name string, err error) {
	err = c.by.change(func() (err error) {
		name, err = c.Cluster.EnsureTrialVolume(ctx)
		return err
	})
	return name, err
}

func (c faultyRotation) EndTrials(ctx context.Context) (action state.Action, err error) {
	err = c.by.change(func() (err error) {
		action, err = c.Cluster.EndTrials(ctx)
		return err
	})
	return action, err
}

func (c faultyRotation) CheckAccess(ctx context.Context, key state.APIKey, bucket string) error {
	return c.by.change(func() error { return c.Storage.CheckAccess(ctx, key, bucket) })
}

// keysWithFaults rotates all keys for each call that has a fault, in one cluster. There has to be one key of each kind after each, and nothing
// else.
func keysWithFaults(t *testing.T, s run.Run, by *faultInjector, first int) {
	more := true
	for at := range listFaultyCalls(first, 12, 36, &more) {
		before := listClusterKeys(t, s)
		verb := faultyVerb{
			name: "rotate api-keys",
			run: func(ctx context.Context) (string, error) {
				return rotateKeys(ctx, t, s, rotation.Request{}, func(clients *engine.Clients) {
					faulty := faultyRotation{clients.Cluster, clients.Storage, by}
					clients.Cluster, clients.Storage = faulty, faulty
				})
			},
			again: func() (string, error) { return rotateKeys(t.Context(), t, s, rotation.Request{}, nil) },
			check: func() { checkRotated(t, s, before, "csi-driver-exoscale", "object_storage", "ccm-exoscale") },
		}
		calls := verb.runWithFault(t, s, by, at)
		if more = calls >= at; !more && calls < 30 {
			t.Errorf("there were only %d calls", calls)
		}
	}
}
