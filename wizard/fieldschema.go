package wizard

import (
	"encoding/json"
	"fmt"
	"strings"
)

func (f Field) newSchema() ordered {
	out := ordered{"title", f.Title}
	if text := strings.TrimSpace(f.Help + " " + f.Why); text != "" {
		out = append(out, "description", text)
	}
	if usual := f.Default(); usual != "" {
		out = append(out, "default", f.toJSON(usual))
	}
	if f.Example != "" && f.Shape() != Groups {
		out = append(out, "examples", []any{f.toJSON(f.Example)})
	}
	return append(out, f.newValueSchema()...)
}

func (f Field) newValueSchema() ordered {
	switch f.Shape() {
	case Number:
		least, most := f.findBounds()
		return ordered{"type", "integer", "minimum", least, "maximum", most}
	case Switch:
		return ordered{"type", "boolean"}
	case List:
		return ordered{"type", "array", "items", ordered{"type", "string", "minLength", 1}}
	case Table:
		return ordered{
			"type", "object", "propertyNames", ordered{"pattern", "^[^=]*$"}, "properties", f.listEntrySchemas(),
			"additionalProperties", ordered{"type", "string"},
		}
	case Reference:
		return ordered{"type", "object", "oneOf", f.listReferenceSchemas()}
	case Groups:
		return ordered{"type", "array", "items", groupSchema()}
	case Text:
	}
	switch pattern := f.buildPattern(); {
	case len(f.Choices) > 0 && f.Required:
		return ordered{"enum", f.Choices}
	case len(f.Choices) > 0:
		return ordered{"enum", append([]string{""}, f.Choices...)}
	case pattern != "":
		return ordered{"type", "string", "pattern", pattern}
	}
	return ordered{"type", "string"}
}

func (f Field) listEntrySchemas() ordered {
	entries := ordered{}
	for _, field := range listFactFields() {
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

func (f Field) toJSON(value string) any {
	switch f.Shape() {
	case Number, Switch:
		return json.RawMessage(value)
	case List:
		items, _ := splitItems(value)
		return items
	case Table:
		entries, _ := splitTable(value)
		return entries
	case Reference:
		kind, name, _ := strings.Cut(value, ":")
		return ordered{kind, name}
	case Text, Groups:
	}
	return value
}

func (f Field) listReferenceSchemas() []ordered {
	one := func(kind, pattern string) ordered {
		return ordered{
			"required", []string{kind}, "additionalProperties", false,
			"properties", ordered{kind, ordered{"type", "string", "pattern", pattern}},
		}
	}
	kinds := []ordered{one("env", "^[A-Za-z_][A-Za-z0-9_]*$"), one("file", ".")}
	if hasAccountReference(f) {
		kinds = append(kinds, one("exo", "."))
	}
	if f.optionalWhen != nil || !f.Required {
		kinds = append(kinds, ordered{"maxProperties", 0})
	}
	return kinds
}

// The pattern matches every allowed text, or is "". An optional value may be empty, too.
func (f Field) buildPattern() string {
	const (
		name  = "[a-z0-9]([a-z0-9-]*[a-z0-9])?"
		names = name + `(\.` + name + ")*"
		ipv4  = `\d{1,3}(\.\d{1,3}){3}/\d{1,2}`
		https = "https://.+"
	)
	pattern := map[string]string{
		"cluster.id": name, "cluster.baseDomain": names, "dns.appsDomain": names, "objectStorage.bucketPrefix": name,
		tenantKey: tenantPrefix + name, lieutenantKey: https, "syn.vaultAddress": https,
		"network.podCIDR": ipv4, "network.serviceCIDR": ipv4, "network.nodeCIDR": ipv4,
		"openshift.proxy.http": "http://.+", "openshift.proxy.https": "https?://.+",
	}[f.Key]
	switch {
	case strings.HasSuffix(f.Key, ".type"):
		return `^[a-z0-9-]+\.[a-z0-9-]+$`
	case pattern == "" && f.Required && f.optionalWhen == nil:
		return "."
	case pattern == "" || f.Required && f.optionalWhen == nil:
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

// The bounds come from the field's own rule, starting at the default.
func (f Field) findBounds() (least, most int) {
	if _, err := fmt.Sscan(f.Default(), &least); err != nil {
		return 0, 0
	}
	most = least
	allowed := func(n int) bool { return f.rule == nil || f.rule(fmt.Sprint(n)) == nil }
	for least > 0 && allowed(least-1) {
		least--
	}
	for step := 1 << 20; step > 0; step /= 2 {
		if allowed(most + step) {
			most += step
		}
	}
	return least, most
}
