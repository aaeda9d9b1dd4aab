package wizard_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/assets"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

var update = flag.Bool("update", false, "write the golden files anew")

// key is a public key whose private key does not exist.
const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINbmB5+y2VJ1FZqYhxMoq3+3cEo6uty+QEjxmzfpgV2V operator@example.net"

func valid() state.Spec {
	spec := state.Default()
	spec.Cluster.ID, spec.Cluster.BaseDomain = "c-demo-1", "example.net"
	spec.Exoscale.Zone = "ch-gva-2"
	spec.OpenShift.Version, spec.OpenShift.SSHKey = "4.20.5", key
	spec.OpenShift.PullSecret.Env = "PULL_SECRET"
	return spec
}

// minimal are all answers without a default.
const minimal = `apiVersion: exoshift/v1alpha1
kind: Cluster
cluster: {id: c-demo-1, baseDomain: example.net}
exoscale: {zone: ch-gva-2}
openshift:
  version: 4.20.5
  pullSecret: {env: PULL_SECRET}
  sshKey: ` + key + "\n"

func lines(faults []wizard.Problem) string {
	var out strings.Builder
	for _, f := range faults {
		out.WriteString(f.String() + "\n")
	}
	return out.String()
}

func TestExample_IsValid(t *testing.T) {
	example, err := assets.ReadExample()
	if err != nil {
		t.Fatal(err)
	}
	if _, faults := answersfile.Parse("answers.yaml", example); len(faults) > 0 {
		t.Errorf("faults:\n%s", lines(faults))
	}
}

func TestParse_Defaults(t *testing.T) {
	got, faults := answersfile.Parse("answers.yaml", []byte(minimal))
	if len(faults) > 0 {
		t.Fatalf("faults:\n%s", lines(faults))
	}
	if diff := cmp.Diff(valid(), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParse_AllProblemsInFileOrder(t *testing.T) {
	content, err := os.ReadFile("testdata/faults.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, faults := answersfile.Parse("faults.yaml", content)
	if *update {
		if err := os.WriteFile("testdata/faults.golden", []byte(lines(faults)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/faults.golden")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), lines(faults)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, f := range faults {
		if strings.Contains(f.String(), "s3cret") {
			t.Errorf("a fault repeats a secret: %s", f)
		}
	}
}

func after(more string) string { return minimal + more }

func TestParse_NoUselessQuoteSuggestion(t *testing.T) {
	for version, want := range map[string]string{"4.20": "stable-4.20", "4": ""} {
		_, faults := answersfile.Parse("f", []byte(strings.Replace(minimal, "version: 4.20.5", "version: "+version, 1)))
		if len(faults) != 1 || faults[0].Suggestion != want {
			t.Errorf("version %s: %s, want one fault that suggests %q", version, lines(faults), want)
		}
	}
}

func TestParse_SyntaxProblems(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"no YAML":            {"cluster: [\n", `f:1:10  file  is not valid YAML: sequence end token ']' not found`},
		"an open quote":      {"a: \"x\n", `f:1:4  file  is not valid YAML: could not find end character of double-quoted text`},
		"text only":          {"hello", `f:1:1  file  is text  allowed: a mapping of keys to values`},
		"a list":             {"- a\n", `f:1:1  file  is a list  allowed: a mapping of keys to values`},
		"two documents":      {minimal + "---\na: 1\n", `f:10:1  file  contains several YAML documents  allowed: one document`},
		"no UTF-8":           {"a: b\nc: \xff\n", `f:2:4  file  the byte 0xff is not UTF-8`},
		"NUL":                {"a: b\x00\n", `f:1:5  file  a NUL character`},
		"UTF-16":             {"\xff\xfea\x00", `f:1:1  file  the text is in UTF-16; save it in UTF-8`},
		"brackets":           {strings.Repeat("[", 40<<10), `f:1:101  file  it is nested deeper than 100 levels`},
		"BOM and no YAML":    {"\ufeffcluster: [\n", `f:1:10  file  is not valid YAML: sequence end token ']' not found`},
		"huge":               {strings.Repeat("#", 70_000), `f:1:1  file  is 70000 bytes long  allowed: at most 65536 bytes`},
		"a key twice":        {after("kind: Cluster\n"), `f:9:1  kind  is set twice, first on line 2`},
		"a section of text":  {after("network: 10.0.0.0/8\n"), `f:9:10  network  is text  allowed: a mapping of keys to values`},
		"a key without text": {after("1: 2\n"), `f:9:1  1  the key is not a plain scalar`},
		"a merge key":        {after("<<: {a: b}\n"), `f:9:1  <<  the key is not a plain scalar`},
		"an unknown section": {after("netwrk: {}\n"), `f:9:1  netwrk  unknown key  allowed: one of apiVersion, kind, cluster, exoscale, sizing, ` +
			`network, dns, loadBalancer, syn, openshift, objectStorage, checks, ask  did you mean network?`},
		"an alias":           {after("network: {cni: &x OVNKubernetes}\n"), `f:9:16  network.cni  is an anchor, alias or tag, which are not supported, not text  allowed: one of OVNKubernetes, Cilium`},
		"null":               {after("network:\n  cni:\n"), `f:10:3  network.cni  has no value  allowed: one of OVNKubernetes, Cilium`},
		"empty":              {after("network: {cni: ''}\n"), `f:9:16  network.cni  is missing  allowed: one of OVNKubernetes, Cilium`},
		"no switch":          {after("dns: {acme: yes}\n"), `f:9:13  dns.acme  is text, not true or false  allowed: e.g. true  did you mean true?`},
		"a quoted 3":         {after("sizing: {workers: {count: \"3\"}}\n"), `f:9:27  sizing.workers.count  is text, not a whole number  allowed: e.g. 3  did you mean 3?`},
		"a fraction":         {after("sizing: {workers: {count: 3.5}}\n"), `f:9:27  sizing.workers.count  is a decimal number, not a whole number  allowed: e.g. 3`},
		"huge number":        {after("sizing: {workers: {count: 99999999999999999999}}\n"), `f:9:27  sizing.workers.count`},
		"no list":            {after("network: {customerNetworks: 192.168.0.0/16}\n"), `f:9:29  network.customerNetworks  is text, not a list  allowed: e.g. [192.168.0.0/16, 10.9.0.0/24]`},
		"TopoLVM of masters": {after("sizing: {controlPlane: {topolvm: true}}\n"), `f:9:25  sizing.controlPlane.topolvm  unknown key  allowed: one of type, count, rootDisk, dataDisk`},
		"a crowd of groups":  {after("sizing: {extraGroups: [" + strings.Repeat("{},", 20000) + "]}\n"), `f:9:23  sizing.extraGroups  has 20000 items  allowed: at most 256`},
		"a crowd of ranges":  {after("network: {customerNetworks: [" + strings.Repeat("x,", 20000) + "]}\n"), `f:9:29  network.customerNetworks  has 20000 items  allowed: at most 256`},
		"no group":           {after("sizing: {extraGroups: [gpu]}\n"), `f:9:24  sizing.extraGroups[0]  is text  allowed: a mapping of keys to values`},
	} {
		t.Run(name, func(t *testing.T) {
			_, faults := answersfile.Parse("f", []byte(c.content))
			if len(faults) != 1 || !strings.HasPrefix(faults[0].String(), c.want) {
				t.Errorf("want %s\ngot  %s", c.want, lines(faults))
			}
		})
	}
}

func TestParse_EmptyFile(t *testing.T) {
	for _, content := range []string{"", "# nothing\n", "---\n"} {
		_, faults := answersfile.Parse("f", []byte(content))
		var fields []string
		for _, f := range faults {
			fields = append(fields, f.Field)
		}
		want := []string{
			"apiVersion", "kind", "cluster.id", "cluster.baseDomain", "exoscale.zone",
			"openshift.version", "openshift.pullSecret", "openshift.sshKey",
		}
		if diff := cmp.Diff(want, fields); diff != "" {
			t.Errorf("%q (-want +got):\n%s", content, diff)
		}
	}
}

func TestParse_SyntaxErrorKeepsOtherProblems(t *testing.T) {
	_, faults := answersfile.Parse("f", []byte("kind: Cluster\nkind: Cluster\nfoo: 1\nexoscale: {zone: mars}\n"))
	for _, field := range []string{"kind", "foo", "exoscale.zone", "apiVersion", "cluster.id"} {
		if !slices.ContainsFunc(faults, func(f wizard.Problem) bool { return f.Field == field }) {
			t.Errorf("nothing about %s:\n%s", field, lines(faults))
		}
	}
}

func TestParse_ExtraGroups(t *testing.T) {
	spec, faults := answersfile.Parse("f", []byte(after(`sizing:
  extraGroups:
  - {name: gpu, type: gpua30.small, count: 2}
  - name: big
    type: standard.mega
    count: 0
    rootDisk: 200
    dataDisk: 50
    topolvm: true
`)))
	if len(faults) > 0 {
		t.Fatalf("faults:\n%s", lines(faults))
	}
	want := []state.GroupSpec{
		{Name: "gpu", MachineSpec: state.MachineSpec{Type: "gpua30.small", Count: 2, RootDisk: 100}},
		{Name: "big", MachineSpec: state.MachineSpec{Type: "standard.mega", RootDisk: 200, DataDisk: 50, TopoLVM: true}},
	}
	if diff := cmp.Diff(want, spec.Sizing.ExtraGroups); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParse_SecretReference(t *testing.T) {
	spec, _ := answersfile.Parse("f", []byte(strings.Replace(minimal, "{zone: ch-gva-2}", "{zone: ch-gva-2, apiKey: {file: /k}}", 1)))
	if want := (state.SecretRef{File: "/k"}); spec.Exoscale.APIKey != want {
		t.Errorf("got %+v, want %+v", spec.Exoscale.APIKey, want)
	}
}

func TestLoad_SecretsAndAnswersTogether(t *testing.T) {
	unset := func(string) (string, bool) { return "", false }
	_, _, faults := answersfile.Load("f", []byte(after("dns: {acme: 1}\n")), unset)
	want := `f:1:1  exoscale.apiSecret`
	if got := lines(faults); len(faults) != 4 || strings.Contains(got, want) {
		t.Errorf("want four faults with places, got:\n%s", got)
	}
	if first := faults[0].String(); !strings.HasPrefix(first, "f:4:1  exoscale.apiKey  the environment variable EXOSCALE_API_KEY is not set") {
		t.Errorf("the fault of a default reference is at its section; got %s", first)
	}
}
