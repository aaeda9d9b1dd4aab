// Package schema describes answers files for editors and for people: by a JSON Schema, and by a template to fill in.
package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

// Generate returns the JSON Schema (2020-12) of answers files, for editors. It covers the forms, the choices and
// the bounds of single fields; the rules across fields cannot be expressed in a schema.
func Generate() ([]byte, error) {
	content, err := json.MarshalIndent(ordered{
		"$schema", "https://json-schema.org/draft/2020-12/schema",
		"title", "exoshift answers, " + state.APIVersion,
		"description", "The input of an OpenShift installation on Exoscale.",
		"type", "object",
		"additionalProperties", false,
		"required", []string{"apiVersion", "kind"},
		"properties", append(newSectionSchema(wizard.Fields(), ""), wizard.AskKey, newAskSchema()),
		"allOf", newRequirements(),
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	return append(content, '\n'), nil
}

func newSectionSchema(fields []wizard.Field, path string) ordered {
	properties := ordered{}
	seen := map[string]bool{}
	for _, field := range fields {
		rest, below := strings.CutPrefix("."+field.Key, strings.TrimSuffix("."+path, ".")+".")
		key, _, deeper := strings.Cut(rest, ".")
		if !below || seen[key] {
			continue
		}
		seen[key] = true
		if !deeper {
			properties = append(properties, key, newFieldSchema(field))
			continue
		}
		properties = append(properties, key, ordered{
			"type", "object", "additionalProperties", false, "properties", newSectionSchema(fields, strings.TrimPrefix(path+"."+key, ".")),
		})
	}
	return properties
}

func groupSchema() ordered {
	return ordered{
		"type", "object", "additionalProperties", false, "required", []string{"name", "type", "count"},
		"properties", newSectionSchema(wizard.GroupFields(0), "sizing.extraGroups[0]"),
	}
}

func newAskSchema() ordered {
	names := answersfile.AnswerableNames()
	slices.Sort(names)
	return ordered{
		"title", "Always ask",
		"description", "Keys or sections that are asked on a terminal even with an answers file. They may be missing in it.",
		"type", "array", "items", ordered{"enum", names},
	}
}

// Fields without a default are required, unless they are asked. OKD needs no pull secret.
func newRequirements() []ordered {
	questions := ordered{"required", []string{wizard.AskKey}}
	isOKD := ordered{
		"required", []string{"openshift"},
		"properties", ordered{"openshift", ordered{
			"required", []string{"distribution"}, "properties", ordered{"distribution", ordered{"const", "okd"}},
		}},
	}
	var always []ordered
	for _, field := range answersfile.FindFields("") {
		if mustBeGiven(field) && field.IsAlwaysRequired() {
			always = append(always, newRequirement(field.Key))
		}
	}
	return []ordered{
		{"if", ordered{"not", questions}, "then", ordered{"allOf", always}},
		{"if", ordered{"not", ordered{"anyOf", []ordered{questions, isOKD}}}, "then", newRequirement(wizard.PullSecretKey)},
	}
}

func newRequirement(path string) ordered {
	first, rest, deeper := strings.Cut(path, ".")
	out := ordered{"required", []string{first}}
	if deeper {
		out = append(out, "properties", ordered{first, newRequirement(rest)})
	}
	return out
}

func newFieldSchema(f wizard.Field) ordered {
	out := ordered{"title", f.Title}
	if text := strings.TrimSpace(f.Help + " " + f.Why); text != "" {
		out = append(out, "description", text)
	}
	if usual := f.Default(); usual != "" {
		out = append(out, "default", f.JSON(usual))
	}
	if f.Example != "" && f.Shape() != wizard.Groups {
		out = append(out, "examples", []any{f.JSON(f.Example)})
	}
	return append(out, newValueSchema(f)...)
}

func newValueSchema(f wizard.Field) ordered {
	switch f.Shape() {
	case wizard.Number:
		least, most := f.Bounds()
		if f.AllowsNone() {
			return ordered{"type", "integer", "anyOf", []ordered{{"const", 0}, {"minimum", least, "maximum", most}}}
		}
		return ordered{"type", "integer", "minimum", least, "maximum", most}
	case wizard.Switch:
		return ordered{"type", "boolean"}
	case wizard.List:
		return ordered{"type", "array", "items", ordered{"type", "string", "minLength", 1}}
	case wizard.Table:
		return ordered{
			"type", "object", "propertyNames", ordered{"pattern", "^[^=]*$"}, "properties", listEntrySchemas(f),
			"additionalProperties", ordered{"type", "string"},
		}
	case wizard.Reference:
		return ordered{"type", "object", "oneOf", listReferenceSchemas(f)}
	case wizard.Groups:
		return ordered{"type", "array", "items", groupSchema()}
	case wizard.Text:
	}
	switch pattern := buildPattern(f); {
	case len(f.Choices) > 0 && f.Required:
		return ordered{"enum", f.Choices}
	case len(f.Choices) > 0:
		return ordered{"enum", append([]string{""}, f.Choices...)}
	case pattern != "":
		return ordered{"type", "string", "pattern", pattern}
	}
	return ordered{"type", "string"}
}

func listEntrySchemas(f wizard.Field) ordered {
	entries := ordered{}
	for _, field := range wizard.FactFields() {
		name, is := strings.CutPrefix(field.Key, f.Key+".")
		if !is {
			continue
		}
		examples := []string{}
		for _, choice := range field.Offered {
			examples = append(examples, choice.Value)
		}
		if len(examples) == 0 {
			examples = []string{field.Example}
		}
		entries = append(entries, name, ordered{
			"title", field.Title, "description", field.Help + " " + field.Why, "examples", examples, "type", "string",
		})
	}
	return entries
}

func listReferenceSchemas(f wizard.Field) []ordered {
	one := func(kind, pattern string) ordered {
		return ordered{
			"required", []string{kind}, "additionalProperties", false,
			"properties", ordered{kind, ordered{"type", "string", "pattern", pattern}},
		}
	}
	kinds := []ordered{one("env", "^[A-Za-z_][A-Za-z0-9_]*$"), one("file", ".")}
	if f.AcceptsAccount() {
		kinds = append(kinds, one("exo", "."))
	}
	if !f.IsAlwaysRequired() {
		kinds = append(kinds, ordered{"maxProperties", 0})
	}
	return kinds
}

// The pattern matches every allowed text, or is "". An optional value may be empty, too.
func buildPattern(f wizard.Field) string {
	const (
		name  = "[a-z0-9]([a-z0-9-]*[a-z0-9])?"
		names = name + `(\.` + name + ")*"
		ipv4  = `\d{1,3}(\.\d{1,3}){3}/\d{1,2}`
		https = "https://.+"
	)
	pattern := map[string]string{
		"cluster.id": name, "cluster.baseDomain": names, "dns.appsDomain": names, "objectStorage.bucketPrefix": name,
		"syn.tenant": "t-" + name, "syn.lieutenantURL": https, "syn.vaultAddress": https, "syn.vaultMount": `[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*`,
		"network.podCIDR": ipv4, "network.serviceCIDR": ipv4, "network.nodeCIDR": ipv4, "network.privateNetwork": ipv4,
		"openshift.proxy.http": "http://.+", "openshift.proxy.https": "https?://.+",
	}[f.Key]
	switch {
	case strings.HasSuffix(f.Key, ".type"):
		return `^[a-z0-9-]+\.[a-z0-9-]+$`
	case pattern == "" && f.IsAlwaysRequired():
		return "."
	case pattern == "" || f.IsAlwaysRequired():
		return anchorPattern(pattern)
	}
	return anchorPattern("(" + pattern + ")?")
}

func anchorPattern(pattern string) string {
	if pattern == "" {
		return ""
	}
	return "^" + pattern + "$"
}
