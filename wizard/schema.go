package wizard

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"exoshift/state"
)

// GenerateSchema returns the JSON Schema (2020-12) of answers files, for editors. It covers the forms, the choices and
// the bounds of single fields; the rules across fields cannot be expressed in a schema.
func GenerateSchema() ([]byte, error) {
	content, err := json.MarshalIndent(ordered{
		"$schema", "https://json-schema.org/draft/2020-12/schema",
		"title", "Answers of exoshift, " + state.APIVersion,
		"description", "What an installation of OpenShift on Exoscale has to know.",
		"type", "object",
		"additionalProperties", false,
		"required", []string{"apiVersion", "kind"},
		"properties", append(newSectionSchema(Fields(), ""), askKey, newAskSchema()),
		"allOf", newRequirements(),
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	return append(content, '\n'), nil
}

func newSectionSchema(fields []Field, path string) ordered {
	properties := ordered{}
	for _, key := range listKeysOf(fields, path) {
		full := toPrefix(path) + key
		if field, ok := find(fields, full); ok {
			properties = append(properties, key, field.newSchema())
			continue
		}
		properties = append(properties, key, ordered{
			"type", "object", "additionalProperties", false, "properties", newSectionSchema(fields, full),
		})
	}
	return properties
}

func groupSchema() ordered {
	return ordered{
		"type", "object", "additionalProperties", false, "required", []string{"name", "type", "count"},
		"properties", newSectionSchema(listGroupFields(0), groupsKey+"[0]"),
	}
}

func newAskSchema() ordered {
	names := listAnswerableNames()
	slices.Sort(names)
	return ordered{
		"title", "Asked all the same",
		"description", "Keys, or whole sections, that are asked on a terminal although there is a file. They may be missing in it.",
		"type", "array", "items", ordered{"enum", names},
	}
}

// Fields without a default are required, unless they are asked. OKD needs no pull secret.
func newRequirements() []ordered {
	asks := ordered{"required", []string{askKey}}
	isOKD := ordered{
		"required", []string{"openshift"},
		"properties", ordered{"openshift", ordered{
			"required", []string{"distribution"}, "properties", ordered{"distribution", ordered{"const", okd}},
		}},
	}
	var always []ordered
	for _, field := range listAnswerable() {
		if field.mustBeGiven() && field.optionalWhen == nil {
			always = append(always, newRequirement(field.Key))
		}
	}
	return []ordered{
		{"if", ordered{"not", asks}, "then", ordered{"allOf", always}},
		{"if", ordered{"not", ordered{"anyOf", []ordered{asks, isOKD}}}, "then", newRequirement(pullSecretKey)},
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
