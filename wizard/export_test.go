package wizard_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"exoshift/assets"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/recognize"
)

func TestExport_RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anySpec(t)
		if faults := wizard.Check(want); len(faults) > 0 {
			t.Fatalf("the generator is wrong:\n%s", lines(faults))
		}
		content := answersfile.Export(want, map[string]string{"cluster.id": rapid.String().Draw(t, "origin"), "network.podCIDR": "default"})
		got, faults := answersfile.Parse("f", content)
		if len(faults) > 0 {
			t.Fatalf("faults:\n%s\nin:\n%s", lines(faults), content)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s\nin:\n%s", diff, content)
		}
	})
}

// anySpec generates Specs without problems.
func anySpec(t *rapid.T) state.Spec {
	spec := valid()
	spec.Cluster.ID = validateLabel().Draw(t, "id")
	spec.Cluster.DisplayName = words().Draw(t, "display name")
	spec.Exoscale.Zone = rapid.SampledFrom([]string{"ch-gva-2", "de-fra-1"}).Draw(t, "zone")
	spec.Exoscale.APIKey = rapid.OneOf(bindReference(), account()).Draw(t, "key")
	spec.Exoscale.DeployTarget = words().Draw(t, "deploy target")
	spec.Exoscale.ProtectMasters = rapid.Bool().Draw(t, "protect masters")
	spec.OpenShift.PullSecret = bindReference().Draw(t, "pull secret")
	spec.Network.CustomerNetworks = rapid.SampledFrom([][]string{nil, {"192.168.0.0/16"}, {"2001:db8::/32", "192.168.4.0/24"}}).Draw(t, "networks")
	spec.Network.HostPrefix = rapid.IntRange(18, 30).Draw(t, "host prefix")
	spec.DNS.ACME = rapid.Bool().Draw(t, "acme")
	spec.LoadBalancer.ProxyProtocol = rapid.Bool().Draw(t, "proxy protocol")
	spec.Sizing.Workers.Count = rapid.IntRange(3, 400).Draw(t, "workers")
	spec.Network.HostPrefix = max(spec.Network.HostPrefix, 24)
	for i := range rapid.IntRange(0, 3).Draw(t, "groups") {
		spec.Sizing.ExtraGroups = append(spec.Sizing.ExtraGroups, state.GroupSpec{
			Name: fmt.Sprintf("group-%d", i),
			MachineSpec: state.MachineSpec{
				Type:  rapid.SampledFrom([]string{"standard.huge", "gpua30.small"}).Draw(t, "type"),
				Count: rapid.IntRange(0, 9).Draw(t, "count"), RootDisk: rapid.IntRange(100, 400).Draw(t, "root"),
				DataDisk: rapid.IntRange(0, 400).Draw(t, "data"),
			},
		})
	}
	for i, group := range spec.Sizing.ExtraGroups {
		spec.Sizing.ExtraGroups[i].TopoLVM = group.DataDisk > 0 && rapid.Bool().Draw(t, "TopoLVM")
	}
	if facts := rapid.MapOfN(validateLabel(), words(), 0, 4).Draw(t, "facts"); len(facts) > 0 {
		spec.Syn.Facts = facts
	}
	if rapid.Bool().Draw(t, "proxy") {
		spec.OpenShift.Proxy = state.ProxySpec{HTTP: "http://proxy.example.net:3128", NoProxy: "*"}
	}
	spec.OpenShift.TrustBundle = words().Draw(t, "trust bundle")
	spec.OpenShift.ManifestsDir = words().Draw(t, "manifests")
	spec.OpenShift.CloudControllerManager = rapid.SampledFrom([]string{"", "External"}).Draw(t, "cloud controller manager")
	spec.OpenShift.Version = rapid.SampledFrom([]string{"4.20.5", "stable-4.20"}).Draw(t, "version")
	if rapid.Bool().Draw(t, "OKD") {
		spec.OpenShift.Distribution, spec.OpenShift.Version = "okd", "4.20.0-okd-scos.11"
		spec.OpenShift.PullSecret = rapid.SampledFrom([]state.SecretRef{{}, spec.OpenShift.PullSecret}).Draw(t, "pull secret of OKD")
	}
	if spec.Syn.CatalogDir = words().Draw(t, "catalog"); spec.Syn.CatalogDir != "" {
		spec.Network.CNI = "Cilium"
	}
	spec.Checks.Endpoints = rapid.SampledFrom([][]string{nil, {"example.net"}, {"tcp://10.9.0.5:5000", "https://bücher.example/a?b=c,d"}}).Draw(t, "endpoints")
	if reason := words().Draw(t, "reason"); reason != "" && !strings.ContainsRune(reason, unicode.ReplacementChar) {
		spec.Checks.Skip = map[string]string{"NET-RH-022": "as " + reason + " until 2027-01-31"}
	}
	return spec
}

func validateLabel() *rapid.Generator[string] {
	return rapid.OneOf(rapid.StringMatching(`[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?`), rapid.SampledFrom([]string{"null", "true", "0x1f", "1e3", "010", "5", "no"}))
}

// words are single lines, most of which have a meaning in YAML.
func words() *rapid.Generator[string] {
	hostile := []string{
		"", "~", "null", "Yes", "1.5", "0x10", "-", "- a", "a: b", "a #b", "#", "'", `"`, `\`, "{", "[a", "*x", "&x", "!x", "|", ">", "%",
		"@", "`", "?", "? a", ":", "a:", ",", "<<", "=", "2020-01-01", "é, ü", "😀", ".inf", "---", "...", "1_000", "a  b", `\n`,
	}
	word := rapid.OneOf(rapid.SampledFrom(hostile), rapid.StringMatching(`[ -~]{0,30}`), rapid.StringN(0, 20, -1))
	return rapid.Map(word, strings.TrimSpace).Filter(func(s string) bool {
		return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
	})
}

func bindReference() *rapid.Generator[state.SecretRef] {
	return rapid.OneOf(
		rapid.Map(rapid.StringMatching(`[A-Za-z_][A-Za-z0-9_]{0,10}`), func(s string) state.SecretRef { return state.SecretRef{Env: s} }),
		rapid.Map(words().Filter(func(s string) bool { return s != "" && recognize.SecretAsName(s) == "" }), func(s string) state.SecretRef { return state.SecretRef{File: s} }),
	)
}

func account() *rapid.Generator[state.SecretRef] {
	return rapid.Map(words().Filter(func(s string) bool { return s != "" && recognize.SecretAsName(s) == "" }), func(s string) state.SecretRef { return state.SecretRef{Exo: s} })
}

func TestExport_CommentsOrigins(t *testing.T) {
	spec := valid()
	spec.Network.HostPrefix = 24
	content := answersfile.Export(spec, map[string]string{
		"cluster.id": "typed", "sizing.workers.count": "a\n# b:\x1b [c", "syn.facts": "answers.yaml:3",
	})
	for _, line := range []string{
		"apiVersion: exoshift/v1alpha1\n", "  id: c-demo-1 # typed\n", "  podCIDR: 10.128.0.0/14 # default\n", "    count: 3 # a # b: [c\n",
		"  hostPrefix: 24\n", "  facts: {} # answers.yaml:3\n", "  displayName: \"\" # default\n",
	} {
		if !strings.Contains(string(content), line) {
			t.Errorf("no line %q in:\n%s", line, content)
		}
	}
	if got, faults := answersfile.Parse("f", content); len(faults) > 0 || !cmp.Equal(spec, got) {
		t.Errorf("read back: %s\n%s", lines(faults), cmp.Diff(spec, got))
	}
}

func TestExport_NoOriginsNoComments(t *testing.T) {
	if content := answersfile.Export(valid(), nil); strings.Contains(string(content), "#") {
		t.Errorf("comments in:\n%s", content)
	}
}

func FuzzParse(f *testing.F) {
	example, err := assets.ReadExample()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(example))
	for _, seed := range []string{
		minimal, "", "a: [", "- a\n- b", "? a\n: b", "a: &x {b: *x}", "<<: *a", "--- a\n--- b", "a: |\n  b", "sizing: {extraGroups: [{}, null, {name: *x}]}",
		"exoscale: {apiKey: {env: [], file: {}}}", "network: {customerNetworks: [[], {}, ~]}", "syn: {facts: {? [a]: b, a=: c}}", "!!binary a: b", "\ufeffkind: x",
		"kind: Cluster\r\nfoo: 1\rbar: 2\u2028x", "%YAML 1.2\n---\na: b", "sizing: {workers: {count: .nan}}",
	} {
		f.Add(seed)
	}
	for _, seed := range []string{"\x1b[2J=1", "\x1b[2J", "name=\x1b[31m", "\"\x1b\n", "a\r\nb", "name=gpu type=\x1b\x07 count=\u009b", strings.Repeat("\u202e,", 99)} {
		f.Add(seed)
	}
	f.Add("ask: [cluster, 1, ~, {a: b}]\ncluster: {id: [x]}\n")
	f.Add("sizing.extraGroups=name=a type=b,\"x")
	f.Fuzz(func(t *testing.T, content string) {
		file, usual := answersfile.ReadAnswers("f", []byte(content)), answersfile.ReadUsual("f", []byte(content))
		all := assembled(usual, file, answersfile.ReadFlags([]string{content, "network.customerNetworks=" + content, "sizing.extraGroups=" + content}),
			answersfile.ReadVariables(func(name string) (string, bool) { return content, len(name)%3 == 0 }))
		lines := strings.Split(content, "\n")
		for _, fault := range append(all.Problems(), assembled(file).Problems()...) {
			if strings.ContainsAny(fault.String(), "\n\r\x1b") {
				t.Fatalf("control characters in %q", fault)
			}
			if fault.File != "f" {
				continue
			}
			if fault.Line < 1 || fault.Line > len(lines) {
				t.Fatalf("line %d of %d: %s", fault.Line, len(lines), fault)
			}
			if width := utf8.RuneCountInString(lines[fault.Line-1]); fault.Column < 1 || fault.Column > width+1 {
				t.Fatalf("column %d of %d: %s", fault.Column, width, fault)
			}
		}
	})
}
