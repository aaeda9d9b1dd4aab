package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/simcloud"
	"exoshift/internal/simcloud/api/description"
	"exoshift/state"
)

// belongings lists everything in the organization, by kind and name.
func belongings(t *testing.T, s session) []string {
	t.Helper()
	var names []string
	for _, o := range everything(t, s) {
		names = append(names, o.Kind+" "+o.Name)
	}
	slices.Sort(names)
	return names
}

// everything is what the organization has.
func everything(t *testing.T, s session) []state.Object {
	t.Helper()
	world, disconnect, err := site{spec: s.spec, secrets: s.secrets, net: s.net}.world(unrecorded{})
	if err != nil {
		t.Fatal(err)
	}
	defer disconnect()
	objects, err := world.Cloud.Objects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	buckets, err := world.Buckets.Buckets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return append(objects, buckets...)
}

// Everything that is said between the program and the API on the way is as the official description has it.
func TestADestroyedInstallationLeavesNoTrace(t *testing.T) {
	long(t)
	t.Parallel()
	described, err := description.Load()
	if err != nil {
		t.Fatal(err)
	}
	held := func(next http.Handler) http.Handler {
		return described.Validate(next, func(complaint error) { t.Error(complaint) })
	}
	virtuallyIn(t, circumstances{middleware: held}, func(t *testing.T, s session, _ *simcloud.Zone) {
		before := belongings(t, s)
		if err := s.run(t.Context(), streams{out: io.Discard, err: os.Stderr}); err != nil {
			t.Fatal(err)
		}
		aimedAtOthers(t, s)
		d := demolition{options: options{output: outputJSON}, confirm: s.spec.Cluster.ID}
		destroyed := func(place site) {
			t.Helper()
			var out bytes.Buffer
			if err := d.clear(t.Context(), streams{out: &out, err: os.Stderr}, place); err != nil {
				t.Fatalf("%v\n%s", err, lastLines(out.String()))
			}
			var last struct {
				Type    string
				Objects []any
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.Type != "inventory" || last.Objects == nil || len(last.Objects) > 0 {
				t.Errorf("the last line is no empty inventory: %v", err)
			}
		}
		place := site{spec: s.spec, secrets: s.secrets, net: s.net}
		destroyed(place) // the folder is lost: the template, which others may use, proves to be nobody's
		left := slices.DeleteFunc(belongings(t, s), func(name string) bool { return strings.HasPrefix(name, state.KindTemplate) })
		kept := append([]string{"bucket " + s.spec.Bucket(state.BucketBackups)}, before...)
		if diff := cmp.Diff(kept, left); diff != "" {
			t.Errorf("without the folder, -before and backups +after\n%s", diff)
		}
		d.deleteBackups = true
		place.folder, place.kept = s.folder, true
		destroyed(place)
		if diff := cmp.Diff(before, belongings(t, s)); diff != "" {
			t.Errorf("with the folder, -before +after\n%s", diff)
		}
		facts, err := s.folder.Facts()
		if err != nil || facts.Destroyed.IsZero() || facts.ClusterID != s.spec.Cluster.ID {
			t.Errorf("the folder knows %+v, %v", facts, err)
		}
		if err := s.run(t.Context(), streams{out: io.Discard, err: io.Discard}); exitCode(err) != exitUsage {
			t.Errorf("an installation into the folder of a destroyed cluster ends with %v", err)
		}
	})
}

// aimedAtOthers has a tenant of a running cluster aim its teardown at what others have, and shows that it misses. What
// the cluster's own controllers make is found.
func aimedAtOthers(t *testing.T, s session) {
	t.Helper()
	b := backdoor{t, s}
	made := func(path string, body map[string]any) string {
		t.Helper()
		return b.ask(http.MethodPost, path, body)["reference"].(map[string]any)["id"].(string)
	}
	apply := func(path string, object map[string]any) (uid string) {
		t.Helper()
		content, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		var answer struct{ Metadata struct{ UID string } }
		tellCluster(t, s, http.MethodPost, path, string(content), &answer)
		return answer.Metadata.UID
	}
	theirBalancer, theirVolume := made("/load-balancer", map[string]any{"name": "shop"}), made("/block-storage", map[string]any{"name": "archive", "size": 10})
	web := func(id, name string) map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": "Service", "spec": map[string]any{"type": "LoadBalancer", "ports": []any{map[string]any{"port": 80}}}, "metadata": map[string]any{
			"name": name, "namespace": "default", "annotations": map[string]any{"service.beta.kubernetes.io/exoscale-loadbalancer-id": id},
		}}
	}
	volume := func(id, name, claim string) map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": map[string]any{
			"name": name, "annotations": map[string]any{"pv.kubernetes.io/provisioned-by": "csi.exoscale.com"},
		}, "spec": map[string]any{
			"csi":      map[string]any{"driver": "csi.exoscale.com", "volumeHandle": s.spec.Exoscale.Zone + "/" + id},
			"claimRef": map[string]any{"uid": claim, "namespace": "default", "name": "data"}, "capacity": map[string]any{"storage": "10Gi"}, "accessModes": []any{"ReadWriteOnce"},
		}}
	}
	apply("/api/v1/namespaces/default/services", web(theirBalancer, "aimed"))
	data := apply("/api/v1/namespaces/default/persistentvolumeclaims", map[string]any{
		"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": map[string]any{"name": "data", "namespace": "default"},
	})
	apply("/api/v1/persistentvolumes", volume(theirVolume, "aimed", data))
	ownVolume := made("/block-storage", map[string]any{"name": "pvc-" + data, "size": 10})
	apply("/api/v1/persistentvolumes", volume(ownVolume, "pvc-"+data, data))

	var out bytes.Buffer
	facts, err := s.folder.Facts()
	if err != nil {
		t.Fatal(err)
	}
	dry := demolition{options: options{output: outputJSON}, dryRun: true}
	if err := dry.clear(t.Context(), streams{out: &out, err: os.Stderr}, site{spec: s.spec, secrets: s.secrets, net: s.net, folder: s.folder, kept: true, facts: facts}); err != nil {
		t.Fatal(err)
	}
	var inventory struct {
		Objects, Kept []struct{ ID, Proof, Reason string }
	}
	if err := json.Unmarshal(out.Bytes(), &inventory); err != nil {
		t.Fatal(err)
	}
	how := map[string]string{}
	for _, o := range inventory.Objects {
		how[o.ID] = o.Proof
		if !slices.Contains([]string{"label", "journal", "recipe-name", "both-sides", "owner-mark"}, o.Proof) {
			t.Errorf("%+v is proven in no known way", o)
		}
	}
	for _, o := range inventory.Kept {
		how[o.ID] = o.Reason
	}
	for id, want := range map[string]string{
		theirBalancer: "not proven: service default/aimed claims it", theirVolume: "not proven: persistent volume aimed claims it",
		ownVolume: "both-sides", s.spec.Bucket("logstore"): "owner-mark", s.spec.Cluster.ID + "-admin": "journal",
	} {
		if !strings.HasPrefix(how[id], want) {
			t.Errorf("%s: %q, want %q", id, how[id], want)
		}
	}
	b.ask(http.MethodDelete, "/load-balancer/"+theirBalancer, nil)
	b.ask(http.MethodDelete, "/block-storage/"+theirVolume, nil)
	b.ask(http.MethodDelete, "/block-storage/"+ownVolume, nil)
}

func TestOnlyTheTypedIDIsAYes(t *testing.T) {
	for typed, want := range map[string]int{"c-1\n": exitOK, " c-1 \n": exitOK, "c-1": exitUsage, "yes\n": exitUsage, "c-10\n": exitUsage, "": exitUsage} {
		err := demolition{}.agree(t.Context(), streams{in: strings.NewReader(typed), out: io.Discard}, "c-1")
		if exitCode(err) != want {
			t.Errorf("%q: %v", typed, err)
		}
	}
}

func TestTheCommandThatGoesOnWithATeardownIsOneThatDestroyTakes(t *testing.T) {
	words := strings.Fields(demolition{options: options{dir: "demo", output: outputAccessible}, deleteBackups: true}.again(site{}))
	cmd := destroyCommand(streams{})
	if err := cmd.ParseFlags(words[2:]); err != nil || len(cmd.Flags().Args()) > 1 {
		t.Errorf("%q: %v", words, err)
	}
}
