package wizard_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exoshift/state"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/local"
)

// exoFile is in exo's own format: its keys in lower case, the names of accounts as they are.
const exoFile = `defaultaccount = "work"

[[accounts]]
  account = "org"
  customheaders = {}
  defaultZone = "at-vie-1"
  endpoint = "https://api.exoscale.com/v1"
  key = "EXOwork"
  name = "work"
  secret = "s3cret-work"

[[accounts]]
  defaultZone = "de-fra-1"
  key = "EXOhome"
  name = "home"
  secretCommand = ["pass", "s3cret-command"]

[[accounts]]
  key = "EXOhalf"
  name = "half"
`

func home(t *testing.T, path, content string, mode os.FileMode) string {
	t.Helper()
	dir := t.TempDir()
	put(t, filepath.Join(dir, path), content, mode)
	return dir
}

func put(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func ofAccount(name string) state.Spec {
	spec := valid()
	spec.Exoscale.APIKey, spec.Exoscale.APISecret = state.SecretRef{Exo: name}, state.SecretRef{Exo: name}
	return spec
}

func TestResolveSecrets_ExoConfigLocations(t *testing.T) {
	for name, vars := range map[string]map[string]string{
		"home":                  {"HOME": home(t, ".config/exoscale/exoscale.toml", exoFile, 0o600)},
		"the older place":       {"HOME": home(t, ".exoscale/exoscale.toml", exoFile, 0o600)},
		"XDG":                   {"XDG_CONFIG_HOME": home(t, "exoscale/exoscale.toml", exoFile, 0o600), "HOME": "/nowhere"},
		"a file that was named": {"EXOSCALE_CONFIG": filepath.Join(home(t, "x", exoFile, 0o600), "x"), "HOME": "/nowhere"},
	} {
		vars["PULL_SECRET"] = pullSecret
		secrets, faults := local.ResolveSecrets(ofAccount("work"), environment(vars))
		if len(faults) > 0 || secrets.APIKey != "EXOwork" || secrets.APISecret != "s3cret-work" {
			t.Errorf("%s: faults:\n%s", name, lines(faults))
		}
	}
}

func TestResolveSecrets_UnusableExoAccounts(t *testing.T) {
	for name, c := range map[string]struct {
		account, content string
		mode             os.FileMode
		want             []string // of key and secret
	}{
		"an unknown account": {"s3cret", exoFile, 0o600, []string{"has no account with that name", "has no account with that name"}},
		"a command":          {"home", exoFile, 0o600, []string{"from a command, which exoshift does not run"}},
		"half an account":    {"half", exoFile, 0o600, []string{"is incomplete"}},
		"open to the group":  {"work", exoFile, 0o640, []string{"is open to group or others", "is open to group or others"}},
		"no TOML":            {"work", "defaultaccount = 's3cret\n", 0o600, []string{"is not a valid exo configuration, see its line 1", "is not a valid exo configuration"}},
		"another form":       {"work", "accounts = 's3cret'\n", 0o600, []string{"is not a valid exo configuration", "is not a valid exo configuration"}},
		"a command beside":   {"c", "[[accounts]]\nname='c'\nkey='k'\nsecret='s3cret'\nsecretCommand='x'\n", 0o600, []string{"from a command"}},
	} {
		t.Run(name, func(t *testing.T) {
			vars := map[string]string{"HOME": home(t, ".config/exoscale/exoscale.toml", c.content, c.mode), "PULL_SECRET": pullSecret}
			secrets, faults := local.ResolveSecrets(ofAccount(c.account), environment(vars))
			for i, f := range faults {
				if len(faults) != len(c.want) || !strings.Contains(f.Message, c.want[i]) {
					t.Fatalf("want %q, got:\n%s", c.want, lines(faults))
				}
			}
			if len(faults) != len(c.want) || secrets.APISecret != "" || strings.Contains(lines(faults), "s3cret") {
				t.Errorf("want %q, got:\n%s", c.want, lines(faults))
			}
		})
	}
}

func TestResolveSecrets_AccountWithoutExo(t *testing.T) {
	_, faults := local.ResolveSecrets(ofAccount("work"), environment(map[string]string{"HOME": t.TempDir(), "PULL_SECRET": pullSecret}))
	if len(faults) != 2 || !strings.Contains(lines(faults), "the exo CLI is not configured") {
		t.Errorf("got:\n%s", lines(faults))
	}
}

func TestAccountReference_CredentialsOnly(t *testing.T) {
	spec := valid()
	if err := field(t, "exoscale.apiKey").Set(&spec, "exo:work"); err != nil || spec.Exoscale.APIKey != (state.SecretRef{Exo: "work"}) {
		t.Errorf("%+v, %v", spec.Exoscale.APIKey, err)
	}
	if err := field(t, "exoscale.apiKey").Set(&spec, "exo:EXO0123456789abcdef01234567"); err == nil || strings.Contains(err.Error(), "EXO0") {
		t.Errorf("a key in place of the account's name: %v", err)
	}
	if err := field(t, "openshift.pullSecret").Set(&spec, "exo:work"); err == nil {
		t.Error("exo has no pull secrets")
	}
	got, faults := answersfile.Parse("f", []byte(strings.Replace(minimal, "{zone: ch-gva-2}", "{zone: ch-gva-2, apiKey: {exo: a b}}", 1)))
	if len(faults) > 0 || got.Exoscale.APIKey.Exo != "a b" {
		t.Errorf("%+v:\n%s", got.Exoscale.APIKey, lines(faults))
	}
	_, faults = answersfile.Parse("f", []byte(strings.Replace(minimal, "{zone: ch-gva-2}", "{zone: ch-gva-2, apiKey: {exo: a, env: b, file: c}}", 1)))
	if len(faults) != 1 || faults[0].Message != "names exo, env, file" {
		t.Errorf("three places at once:\n%s", lines(faults))
	}
}
