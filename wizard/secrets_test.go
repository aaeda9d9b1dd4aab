package wizard_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/local"
)

// pullSecret is a fake: its auths are demo:s3cret.
const pullSecret = `{"auths": {"cloud.openshift.com": {"auth": "ZGVtbzpzM2NyZXQ="}, "quay.io": {"auth": "ZGVtbzpzM2NyZXQ="},
	"registry.redhat.io": {"auth": "ZGVtbzpzM2NyZXQ="}, "registry.connect.redhat.com": {"auth": "ZGVtbzpzM2NyZXQ="}}}`

func environment(vars map[string]string) func(string) (string, bool) {
	return func(env string) (string, bool) {
		value, ok := vars[env]
		return value, ok
	}
}

func written(t *testing.T, content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret file")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestResolveSecrets_FoundAndTrimmed(t *testing.T) {
	spec := valid()
	spec.Exoscale.APISecret = state.SecretRef{File: written(t, "\ufeffs3cret\r\n", 0o600)}
	got, faults := local.ResolveSecrets(spec, environment(map[string]string{
		"EXOSCALE_API_KEY": "EXOkey \n", "PULL_SECRET": pullSecret + "\n",
	}))
	if len(faults) > 0 {
		t.Fatalf("faults:\n%s", lines(faults))
	}
	if got.APIKey != "EXOkey" || got.APISecret != "s3cret" || got.PullSecret != pullSecret {
		t.Error("not the secrets that were given")
	}
}

func TestResolveSecrets_RefusesUnusable(t *testing.T) {
	dir := t.TempDir()
	pipe, nul := filepath.Join(dir, "pipe"), written(t, "s3cret\x00", 0o600)
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	open, group := written(t, "s3cret", 0o604), written(t, "s3cret", 0o640)
	for name, c := range map[string]struct {
		ref  state.SecretRef
		want string
	}{
		"no reference":      {state.SecretRef{}, "is missing  allowed: {env: NAME}, {file: PATH} or {exo: ACCOUNT}"},
		"two references":    {state.SecretRef{Env: "A", File: "b"}, "sets both env and file"},
		"an unset variable": {state.SecretRef{Env: "NOT_SET"}, "the environment variable NOT_SET is not set  allowed: export NOT_SET=…"},
		"an empty variable": {state.SecretRef{Env: "EMPTY"}, "the environment variable EMPTY is empty"},
		"no file":           {state.SecretRef{File: dir + "/none"}, "cannot be read: stat " + dir + "/none: no such file or directory"},
		"home":              {state.SecretRef{File: "~/none"}, "cannot be read: stat ~/none: no such file or directory  allowed: the full path: ~ is not expanded"},
		"a folder":          {state.SecretRef{File: dir}, dir + " is a directory, not a regular file"},
		"open to others":    {state.SecretRef{File: open}, open + " is open to group or others (mode 0604)  allowed: access for its owner only: chmod 600 '" + open + "'"},
		"open to the group": {state.SecretRef{File: group}, group + " is open to group or others (mode 0640)"},
		"an empty file":     {state.SecretRef{File: written(t, "\n", 0o600)}, ""},
		"a pipe":            {state.SecretRef{File: pipe}, pipe + " is a pipe, not a regular file"},
		"a device":          {state.SecretRef{File: "/dev/zero"}, "/dev/zero is a device, not a regular file"},
		"a NUL":             {state.SecretRef{File: nul}, "read " + nul + ": line 1, column 7: a NUL character"},
		"two words":         {state.SecretRef{Env: "TWO"}, "the secret contains whitespace"},
		"the secret itself": {state.SecretRef{Env: "s3cret/+"}, "the value of env is not a valid environment variable name"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := valid()
			spec.Exoscale.APIKey = c.ref
			secrets, faults := local.ResolveSecrets(spec, environment(map[string]string{
				"EXOSCALE_API_SECRET": "s", "PULL_SECRET": pullSecret, "EMPTY": " ", "TWO": "s3cret s3cret",
			}))
			if len(faults) != 1 || faults[0].Field != "exoscale.apiKey" || !strings.HasPrefix(faults[0].String(), "exoscale.apiKey  "+c.want) {
				t.Errorf("want %s\ngot  %s", c.want, lines(faults))
			}
			if secrets.APIKey != "" || strings.Contains(lines(faults), "s3cret") {
				t.Error("the secret is used or shown all the same")
			}
		})
	}
}

func TestSecrets_DoNotPrint(t *testing.T) {
	secrets := wizard.Secrets{APIKey: "s3cret", APISecret: "s3cret", PullSecret: "s3cret"}
	asJSON, err := json.Marshal(map[string]any{"a": secrets, "b": &secrets})
	if err != nil {
		t.Fatal(err)
	}
	shown := string(asJSON) + secrets.String() + secrets.GoString()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		shown += fmt.Sprintf(verb, secrets) + fmt.Sprintf(verb, &secrets) + fmt.Sprintf(verb, []wizard.Secrets{secrets})
	}
	if strings.Contains(shown, "s3cret") || strings.Contains(shown, "733363726574") {
		t.Error("a secret is printed")
	}
}

func TestLoad_ResolvesSecrets(t *testing.T) {
	spec, secrets, faults := answersfile.Load("f", []byte(minimal), environment(map[string]string{
		"EXOSCALE_API_KEY": "k", "EXOSCALE_API_SECRET": "s", "PULL_SECRET": pullSecret,
	}))
	if len(faults) > 0 || secrets.APIKey != "k" {
		t.Errorf("faults:\n%s", lines(faults))
	}
	if diff := cmp.Diff(valid(), spec); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
