package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
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

var _ = time.Second

func external(spec *state.Spec) { spec.OpenShift.CloudControllerManager = "External" }
