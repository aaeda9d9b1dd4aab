package wizard_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/wizard"
	"exoshift/wizard/local"
)

func TestDetect_LocalFiles(t *testing.T) {
	dir := home(t, ".ssh/id_ed25519.pub", key+"\n", 0o644)
	put(t, filepath.Join(dir, ".ssh/id_rsa.pub"), "not looked at", 0o644)
	put(t, filepath.Join(dir, ".config/exoscale/exoscale.toml"), exoFile, 0o600)
	put(t, filepath.Join(dir, "Downloads/pull-secret.txt"), pullSecret, 0o600)
	t.Chdir(t.TempDir())
	answers := wizard.NewAnswers()
	if faults := local.DetectAnswers(answers, dir, environment(map[string]string{"HOME": dir})); len(faults) > 0 {
		t.Errorf("faults:\n%s", lines(faults))
	}
	want := map[string]string{
		"exoscale.apiKey": "detected: account work of exo", "exoscale.apiSecret": "detected: account work of exo",
		"exoscale.zone": "detected: account work of exo", "openshift.sshKey": "detected: ~/.ssh/id_ed25519.pub",
		"openshift.pullSecret": "detected: ~/Downloads/pull-secret.txt",
	}
	if diff := cmp.Diff(want, answers.Origins); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	spec := answers.Spec
	if spec.Exoscale.APISecret.Exo != "work" || spec.Exoscale.Zone != "at-vie-1" || spec.OpenShift.SSHKey != key ||
		spec.OpenShift.PullSecret.File != filepath.Join(dir, "Downloads/pull-secret.txt") {
		t.Errorf("%+v %+v", spec.Exoscale, spec.OpenShift)
	}
}

// Exoscale accepts keys of two types.
func TestDetect_SupportedSSHKeysOnly(t *testing.T) {
	const curve = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBJN/fSGDHYqnbFsmNYxIh7gejWXKngWxfYNWRyOfQWqpqlHH8dxKtPzVBHfubSjHJqTEPglDkP4HC5vm1ey+93I= me"
	dir := home(t, ".ssh/id_ed25519.pub", curve+"\n", 0o644)
	put(t, filepath.Join(dir, ".ssh/id_ecdsa.pub"), curve+"\n", 0o644)
	t.Chdir(t.TempDir())
	if found, _ := local.Detect(dir, environment(map[string]string{"HOME": dir})); len(found) > 0 {
		t.Errorf("found %+v", found)
	}
	put(t, filepath.Join(dir, ".ssh/id_rsa.pub"), key+"\n", 0o644)
	if found, _ := local.Detect(dir, environment(map[string]string{"HOME": dir})); len(found) != 1 || found[0].Origin != "detected: ~/.ssh/id_rsa.pub" {
		t.Errorf("found %+v", found)
	}
}

func TestDetect_EnvironmentBeforeExo(t *testing.T) {
	dir := home(t, ".config/exoscale/exoscale.toml", exoFile, 0o600)
	t.Chdir(t.TempDir())
	found, _ := local.Detect(dir, environment(map[string]string{
		"HOME": dir, "EXOSCALE_API_KEY": "EXOenv", "EXOSCALE_API_SECRET": "s3cret", "EXOSCALE_ZONE": "de-muc-1",
	}))
	want := []wizard.Detection{
		{Key: "exoscale.apiKey", Text: "env:EXOSCALE_API_KEY", Origin: "detected: EXOSCALE_API_KEY"},
		{Key: "exoscale.apiSecret", Text: "env:EXOSCALE_API_SECRET", Origin: "detected: EXOSCALE_API_SECRET"},
		{Key: "exoscale.zone", Text: "de-muc-1", Origin: "detected: EXOSCALE_ZONE"},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDetect_IncompleteEnvironment(t *testing.T) {
	t.Chdir(t.TempDir())
	found, faults := local.Detect(t.TempDir(), environment(map[string]string{"EXOSCALE_API_KEY": "EXOenv", "HOME": t.TempDir()}))
	if len(found)+len(faults) > 0 {
		t.Errorf("found %+v\n%s", found, lines(faults))
	}
}

func TestDetect_ChosenExoAccount(t *testing.T) {
	dir := home(t, ".config/exoscale/exoscale.toml", exoFile+"[[accounts]]\nname='other'\nkey='k'\nsecret='s'\ndefaultZone='mars'\n", 0o600)
	t.Chdir(t.TempDir())
	found, _ := local.Detect(dir, environment(map[string]string{"HOME": dir, "EXOSCALE_ACCOUNT": "other"}))
	want := []wizard.Detection{
		{Key: "exoscale.apiKey", Text: "exo:other", Origin: "detected: account other of exo"},
		{Key: "exoscale.apiSecret", Text: "exo:other", Origin: "detected: account other of exo"},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDetect_UnusableWithoutSecret(t *testing.T) {
	for name, c := range map[string]struct {
		path, content string
		want          string
	}{
		"an open pull secret":   {"pull-secret.txt", pullSecret, "openshift.pullSecret  "},
		"an open exo":           {".config/exoscale/exoscale.toml", exoFile, "exoscale.apiSecret  "},
		"no pull secret":        {"pull-secret.txt", "s3cret", ""},
		"a private key":         {".ssh/id_ed25519.pub", "-----BEGIN OPENSSH PRIVATE KEY-----\ns3cret", ""},
		"a hostile SSH comment": {".ssh/id_ed25519.pub", key + "\x1b[2J", ""},
	} {
		dir := home(t, c.path, c.content, 0o644)
		t.Chdir(t.TempDir())
		found, faults := local.Detect(dir, environment(map[string]string{"HOME": dir}))
		if len(found) > 0 || c.want == "" != (len(faults) == 0) || !strings.HasPrefix(lines(faults), c.want) || strings.Contains(lines(faults), "s3cret") {
			t.Errorf("%s: found %+v\n%s", name, found, lines(faults))
		}
	}
}

func TestDetect_RefusesHostileAccount(t *testing.T) {
	dir := home(t, ".config/exoscale/exoscale.toml", "defaultaccount=\"a\\nb: c\"\n[[accounts]]\nname=\"a\\nb: c\"\nkey='k'\nsecret='s'\ndefaultZone='ch-gva-2'\n", 0o600)
	t.Chdir(t.TempDir())
	if found, _ := local.Detect(dir, environment(map[string]string{"HOME": dir})); len(found) > 0 {
		t.Errorf("found %+v", found)
	}
}

func TestDetectAnswers_UnusableWarnsUntilAnswered(t *testing.T) {
	dir := home(t, "pull-secret.txt", pullSecret, 0o644)
	t.Chdir(t.TempDir())
	i := wizard.Interview{Answers: wizard.NewAnswers()}
	i.Unusable = local.DetectAnswers(i.Answers, dir, environment(map[string]string{"HOME": dir}))
	if unused := lines(i.ListUnused(i.Answers.Spec)); !strings.Contains(unused, "openshift.pullSecret") || !strings.Contains(unused, "not used: ") || !strings.Contains(unused, "chmod 600") {
		t.Errorf("it is not told what to do: %s", unused)
	}
	if err := i.Answers.Set("openshift.pullSecret", "env:PULL", wizard.Typed); err != nil || len(i.ListUnused(i.Answers.Spec)) > 0 {
		t.Errorf("it is told although there is an answer (%v)", err)
	}
}

func TestDetectAnswers_KeepsAnswers(t *testing.T) {
	dir := home(t, ".ssh/id_ed25519.pub", key+"\n", 0o644)
	put(t, filepath.Join(dir, "pull-secret.txt"), pullSecret, 0o644)
	t.Chdir(t.TempDir())
	answers := wizard.NewAnswers()
	for key, text := range map[string]string{"openshift.sshKey": key + " mine", "openshift.pullSecret": "env:PULL", "exoscale.zone": "ch-dk-2"} {
		if err := answers.Set(key, text, wizard.Typed); err != nil {
			t.Fatal(err)
		}
	}
	faults := local.DetectAnswers(answers, dir, environment(map[string]string{"HOME": dir, "EXOSCALE_ZONE": "ch-gva-2"}))
	if len(faults) > 0 || answers.Spec.Exoscale.Zone != "ch-dk-2" || answers.Origin("openshift.sshKey") != wizard.Typed {
		t.Errorf("%v\n%s", answers.Origins, lines(faults))
	}
}
