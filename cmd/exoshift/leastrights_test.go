package main

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"exoshift/cmd/exoshift/cli"
	"exoshift/docs"
	"exoshift/internal/app/rotation"
	"exoshift/internal/app/run"
	"exoshift/internal/app/teardown"
	"exoshift/internal/simcloud"
)

// The policy that the tutorial recommends suffices for an installation, its repetition, a rotation of keys and the removal.
func TestLeastRights_Suffice(t *testing.T) {
	long(t)
	t.Parallel()
	virtuallyIn(t, circumstances{spec: external}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		owner := backdoor{t, s}
		role := owner.ask("POST", "/iam-role", map[string]any{"name": "installer", "editable": true, "policy": readTutorialPolicy(t)})
		key := owner.ask("POST", "/api-key", map[string]any{"name": "installer", "role-id": role["reference"].(map[string]any)["id"]})
		s.Secrets.APIKey, s.Secrets.APISecret = key["key"].(string), key["secret"].(string)
		for range 2 {
			if err := installWith(t.Context(), s, cli.Streams{Out: io.Discard, Err: os.Stderr}); err != nil {
				t.Fatal(err)
			}
		}
		if out, err := rotateKeys(t.Context(), t, s, rotation.Request{}, nil); err != nil {
			t.Fatalf("%v\n%s", err, lastLines(out))
		}
		d := destroyFlags{Options: cli.Options{Output: cli.OutputJSON}, confirmID: s.Spec.Cluster.ID, deleteBackups: true}
		if err := d.destroy(t.Context(), cli.Streams{Out: io.Discard, Err: os.Stderr}, teardown.Cluster{Spec: s.Spec, Secrets: s.Secrets, Net: s.Net, Folder: s.Folder, HasFolder: true}); err != nil {
			t.Fatal(err)
		}
		if status, _ := (backdoor{t, s}).try("POST", "/instance-pool", map[string]any{}); status != 403 {
			t.Errorf("an operation that is not in the policy ends with %d", status)
		}
	})
}

// readTutorialPolicy returns the first block of JSON of the page.
func readTutorialPolicy(t *testing.T) (policy map[string]any) {
	t.Helper()
	_, block, found := strings.Cut(docs.Find("tutorials/first-cluster")[0].Text, "```json\n")
	block, _, _ = strings.Cut(block, "```")
	if err := json.Unmarshal([]byte(block), &policy); err != nil || !found {
		t.Fatalf("the tutorial has no policy: %v", err)
	}
	return policy
}
