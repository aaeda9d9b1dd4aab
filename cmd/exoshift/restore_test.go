package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/restore"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/backup"
	engine "exoshift/provisioner/restore"
	"exoshift/state/restoration"
)

// restoreOutput shows a restoration as lines of text.
type restoreOutput struct {
	cli.Display
	out *bytes.Buffer
}

func (o restoreOutput) ShowFinding(event provisioner.Event) { fmt.Fprintln(o.out, event.Name) }
func (o restoreOutput) ShowPlan(plan restore.Plan) error {
	for _, change := range plan.Review.Changes {
		fmt.Fprintln(o.out, change.Action, change.Object.ID(), change.Reason, change.Fields)
	}
	return nil
}
func (restoreOutput) Confirm(context.Context) error { return nil }
func (o restoreOutput) Close(_ restore.Plan, failure error, _ string) {
	fmt.Fprintln(o.out, "closed:", failure, fault.HintOf(failure))
}

func restoreObjects(ctx context.Context, t *testing.T, s run.Run, keys backup.Keys, dryRun bool, alter func(*engine.Clients)) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := restore.Cluster{Cluster: clusterOf(t, s), Alter: alter}.RestoreObjects(ctx, restore.Request{
		From: "latest", Selection: engine.Selection{Kinds: []string{"cm", "secret"}, Namespaces: []string{"shop"}}, Identities: keys.Identities, DryRun: dryRun,
		Retry: func(from string) string { return "exoshift restore objects --from " + from },
	}, restoreOutput{jsonDisplay(cli.Streams{Out: &out, Err: io.Discard}), &out})
	return out.String(), err
}

const shopPassword = "hunter2hunter2"

// fillShop creates the objects that are restored later.
func fillShop(t *testing.T, s run.Run) {
	t.Helper()
	create := func(path, body string) {
		t.Helper()
		var made map[string]any
		if requestCluster(t, s, http.MethodPost, path, body, &made); made["kind"] == "Status" {
			t.Fatalf("%s: %v", path, made)
		}
	}
	create("/api/v1/namespaces", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}`)
	for _, name := range []string{"settings", "gone", "other"} {
		create("/api/v1/namespaces/shop/configmaps", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"`+name+`"},"data":{"colour":"blue"}}`)
	}
	create("/api/v1/namespaces/shop/secrets", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"login"},"data":{"password":"`+base64.StdEncoding.EncodeToString([]byte(shopPassword))+`"}}`)
}

// disturbShop deletes a config map, and changes another one and the secret.
func disturbShop(t *testing.T, s run.Run) {
	t.Helper()
	var deleted map[string]any
	requestCluster(t, s, http.MethodDelete, "/api/v1/namespaces/shop/configmaps/gone", "", &deleted)
	requestCluster(t, s, http.MethodPut, "/api/v1/namespaces/shop/configmaps/settings", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},"data":{"colour":"red","more":"x"}}`, nil)
	requestCluster(t, s, http.MethodPut, "/api/v1/namespaces/shop/secrets/login", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"login"},"type":"Opaque","data":{"password":"b3RoZXI="}}`, nil)
}

// checkShop requires the objects of the backup, what was added since, and nothing else.
func checkShop(t *testing.T, s run.Run) {
	t.Helper()
	var maps struct {
		Items []struct {
			Metadata struct{ Name string }
			Data     map[string]string
		}
	}
	requestCluster(t, s, http.MethodGet, "/api/v1/namespaces/shop/configmaps", "", &maps)
	seen := ""
	for _, one := range maps.Items {
		if one.Metadata.Name != "kube-root-ca.crt" && one.Metadata.Name != "openshift-service-ca.crt" {
			seen += fmt.Sprint(one.Metadata.Name, one.Data)
		}
	}
	if seen != "gonemap[colour:blue]othermap[colour:blue]settingsmap[colour:blue more:x]" {
		t.Error(seen)
	}
	var secret struct{ Data map[string][]byte }
	if requestCluster(t, s, http.MethodGet, "/api/v1/namespaces/shop/secrets/login", "", &secret); string(secret.Data["password"]) != shopPassword {
		t.Error("the secret is not restored")
	}
}

// shopRestored has a backup with the shop.
func shopRestored(t *testing.T, s run.Run, keys backup.Keys) {
	t.Helper()
	disturbShop(t, s)
	out, err := restoreObjects(t.Context(), t, s, keys, true, nil)
	for _, want := range []string{"create configmaps shop/gone", "update configmaps shop/settings", "update secrets shop/login", "same configmaps shop/other"} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%v: no %q in\n%s", err, want, out)
		}
	}
	applied, err := restoreObjects(t.Context(), t, s, keys, false, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, lastLines(applied))
	}
	checkShop(t, s)
	for _, word := range []string{shopPassword, base64.StdEncoding.EncodeToString([]byte(shopPassword)), "b3RoZXI="} {
		if strings.Contains(out+applied, word) {
			t.Error("a secret is printed")
		}
	}
	again, err := restoreObjects(t.Context(), t, s, keys, false, nil)
	if err != nil || strings.Contains(again, "create ") || strings.Contains(again, "update ") || strings.Contains(again, `"type":"run"`) {
		t.Errorf("the second time: %v\n%s", err, again)
	}
	foreign := keys
	foreign.Identities = newBackupKeys(t).Identities
	if _, err := restoreObjects(t.Context(), t, s, foreign, false, nil); exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "no identity of a recipient at hand") {
		t.Errorf("exit code %d: %v", exit.Code(err), err)
	}
}

// faultyRestore is the cluster for what restores objects.
type faultyRestore struct {
	engine.Cluster
	by *faultInjector
}

func (c faultyRestore) RestoreObject(ctx context.Context, object restoration.Object) error {
	return c.by.change(func() error { return c.Cluster.RestoreObject(ctx, object) })
}

// restorationWithFaults restores objects for each call that has a fault, in one cluster. The same command does what is left.
func restorationWithFaults(t *testing.T, s run.Run, by *faultInjector, first int) {
	keys := newBackupKeys(t)
	waitForBackups(t, s, keys)
	fillShop(t, s)
	if out, err := createBackup(t.Context(), t, s, keys, nil); err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	verb := faultyVerb{
		name: "restore objects",
		run: func(ctx context.Context) (string, error) {
			disturbShop(t, s)
			return restoreObjects(ctx, t, s, keys, false, func(clients *engine.Clients) { clients.Cluster = faultyRestore{clients.Cluster, by} })
		},
		again: func() (string, error) { return restoreObjects(t.Context(), t, s, keys, false, nil) },
		check: func() { checkShop(t, s) },
	}
	more := true
	for at := range listFaultyCalls(first, 2, 3, &more) {
		calls := verb.runWithFault(t, s, by, at)
		if more = calls >= at; !more && calls < 3 {
			t.Errorf("there were only %d calls", calls)
		}
	}
}
