package wizard_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"exoshift/assets"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/schema"
)

// compiled returns the schema, which has to be valid.
func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	content, err := schema.Generate()
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("answers.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("answers.json") // Compile validates it by the meta-schema
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// accepts returns the errors of the schema for an answers file.
func accepts(schema *jsonschema.Schema, answers []byte) error {
	var content any
	if err := yaml.Unmarshal(answers, &content); err != nil {
		return err
	}
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

func TestSchema_AcceptsExport(t *testing.T) {
	schema := compiled(t)
	rapid.Check(t, func(t *rapid.T) {
		content := answersfile.Export(anySpec(t), nil)
		if err := accepts(schema, content); err != nil {
			t.Fatalf("%v\n%s", err, content)
		}
	})
}

func TestSchema_AcceptsExampleAndAsk(t *testing.T) {
	schema := compiled(t)
	example, err := assets.ReadExample()
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{
		string(example), minimal, "apiVersion: exoshift/v1alpha1\nkind: Cluster\nask: [cluster, openshift.version]\n",
		strings.Replace(minimal, "pullSecret: {env: PULL_SECRET}", "distribution: okd", 1),
		minimal + "sizing: {extraGroups: [{name: gpu, type: gpua30.small, count: 0}]}\n",
	} {
		if err := accepts(schema, []byte(content)); err != nil {
			t.Errorf("%v\n%s", err, content)
		}
	}
}

func TestSchema_RefusesTypicalMistakes(t *testing.T) {
	schema := compiled(t)
	for name, content := range map[string]string{
		"nothing":                "{}",
		"no version":             strings.Replace(minimal, "apiVersion: exoshift/v1alpha1\n", "", 1),
		"another version":        strings.Replace(minimal, "v1alpha1", "v1", 1),
		"a required key missing": strings.Replace(minimal, "baseDomain", "displayName", 1),
		"an empty ID":            strings.Replace(minimal, "id: c-demo-1", "id: ''", 1),
		"a capital":              strings.Replace(minimal, "id: c-demo-1", "id: C-demo", 1),
		"no pull secret":         strings.Replace(minimal, "  pullSecret: {env: PULL_SECRET}\n", "", 1),
		"the secret itself":      strings.Replace(minimal, "{env: PULL_SECRET}", "s3cret", 1),
		"two places":             strings.Replace(minimal, "{env: PULL_SECRET}", "{env: A, file: b}", 1),
		"an account's pull":      strings.Replace(minimal, "{env: PULL_SECRET}", "{exo: a}", 1),
		"an unknown key":         after("netwrk: {}\n"),
		"a key misspelt":         after("network: {podCidr: 10.128.0.0/14}\n"),
		"an unknown zone":        strings.Replace(minimal, "ch-gva-2", "mars", 1),
		"a version that floats":  strings.Replace(minimal, "4.20.5", "4.20", 1),
		"too few workers":        after("sizing: {workers: {count: 2}}\n"),
		"two masters":            after("sizing: {controlPlane: {count: 2}}\n"),
		"text for a number":      after("sizing: {workers: {count: three}}\n"),
		"text for a switch":      after("dns: {acme: 'yes'}\n"),
		"text for a list":        after("network: {customerNetworks: 192.168.0.0/16}\n"),
		"a fact that is none":    after("syn: {facts: {a: 1}}\n"),
		"half a group":           after("sizing: {extraGroups: [{name: gpu}]}\n"),
		"asking for nonsense":    after("ask: [nonsense]\n"),
		"an address":             after("network: {podCIDR: 10.128.0.0}\n"),
	} {
		if err := accepts(schema, []byte(content)); err == nil {
			t.Errorf("%s: the schema accepts\n%s", name, content)
		}
	}
}

func TestSchema_RefusesInvalidOnly(t *testing.T) {
	schema := compiled(t)
	rapid.Check(t, func(t *rapid.T) {
		field := rapid.SampledFrom(wizard.Fields()).Draw(t, "field")
		spec := anySpec(t)
		if field.Set(&spec, rapid.OneOf(words(), rapid.StringMatching(`[a-z0-9.:/]{0,12}`), rapid.StringMatching("[0-9]{1,4}")).Draw(t, "value")) != nil {
			return // the field's own rule refuses it
		}
		if content := answersfile.Export(spec, nil); accepts(schema, content) != nil && len(wizard.Check(spec)) == 0 {
			t.Fatalf("%v\n%s", accepts(schema, content), content)
		}
	})
}
