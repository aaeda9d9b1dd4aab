package foreign

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// provider is Exoscale's own for Terraform, in a version that is to be had as a module.
const provider = "github.com/exoscale/terraform-provider-exoscale@v0.68.0"

// terraform is what is needed to run Terraform, or why it cannot be run.
type terraform struct {
	program, plugins string
	missing          string
}

// prepared is set before the zone's environment stands between this process and the internet.
var prepared terraform

func prepareTerraform(dir string) terraform {
	for _, program := range []string{"terraform", "tofu"} {
		path, err := exec.LookPath(program)
		if err != nil {
			continue
		}
		plugins := filepath.Join(dir, "plugins")
		if err := buildProvider(plugins); err != nil {
			return terraform{missing: fmt.Sprintf("Exoscale's provider cannot be built here: %v", err)}
		}
		return terraform{program: path, plugins: plugins}
	}
	return terraform{missing: "neither terraform nor tofu is installed"}
}

// settings lets Terraform use the provider that was built.
func (t terraform) settings() []byte {
	return fmt.Appendf(nil, "provider_installation {\n  dev_overrides { \"exoscale/exoscale\" = %q }\n  direct {}\n}\n", t.plugins)
}

func buildProvider(into string) error {
	said, err := exec.Command("go", "mod", "download", "-json", provider).Output()
	if err != nil {
		return fmt.Errorf("download %s: %w", provider, err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(said, &module); err != nil {
		return err
	}
	return output(exec.Command("go", "build", "-C", module.Dir, "-mod=mod", "-o", filepath.Join(into, "terraform-provider-exoscale"), "."))
}

// Terraform makes one of each kind, finds them unchanged, changes them, finds that again, and takes them away.
func TestTerraform_AppliesAndDestroys(t *testing.T) {
	if prepared.missing != "" {
		t.Skip(prepared.missing)
	}
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS("testdata/terraform")))
	must(t, os.WriteFile(filepath.Join(dir, "terraform.rc"), prepared.settings(), 0o600))
	t.Setenv("TF_CLI_CONFIG_FILE", filepath.Join(dir, "terraform.rc"))
	t.Setenv("CHECKPOINT_DISABLE", "1")
	changed := []string{"-var=size=3", "-var=ttl=600", "-var=label=second"}
	run := func(want string, args ...string) {
		t.Helper()
		if said := say(t, prepared.program, append([]string{"-chdir=" + dir}, args...)...); !strings.Contains(said, want) {
			t.Fatalf("terraform %s says no %q:\n%s", args[0], want, said)
		}
	}
	run("10 added, 0 changed, 0 destroyed", "apply", "-auto-approve", "-no-color")
	run("No changes.", "plan", "-detailed-exitcode", "-no-color")
	run("0 added, 4 changed, 0 destroyed", append([]string{"apply", "-auto-approve", "-no-color"}, changed...)...)
	run("No changes.", append([]string{"plan", "-detailed-exitcode", "-no-color"}, changed...)...)
	run("10 destroyed", append([]string{"destroy", "-auto-approve", "-no-color"}, changed...)...)
}
