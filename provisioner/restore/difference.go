package restore

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"exoshift/internal/text"
	"exoshift/state/restoration"
)

// Field is a field of an object that a restoration changes.
type Field struct {
	Path string `json:"path"` // such as spec.template.spec.containers[web].image
	// Action is add, change or remove.
	Action string `json:"action"`
	// Before and After are the values, shortened; "" where there is none, and where Hidden says so.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Hidden: the values are, or may be, secret.
	Hidden bool `json:"hidden,omitempty"`
	// Owner is who has set the field, as the API has recorded it; "": it is not known.
	Owner string `json:"owner,omitempty"`
}

// Actions on fields.
const (
	fieldAdd    = "add"
	fieldChange = "change"
	fieldRemove = "remove"
)

// differ compares two states of an object.
type differ struct {
	kind   restoration.Kind
	live   document
	fields []Field
}

// diff returns the fields by which an object differs after an apply from the one that the cluster has.
func diff(kind restoration.Kind, live, after document) []Field {
	d := differ{kind: kind, live: live}
	d.compareMaps(nil, withoutBookkeeping(live), withoutBookkeeping(after))
	return d.fields
}

// withoutBookkeeping leaves out what the API writes itself.
func withoutBookkeeping(fields document) map[string]any {
	kept := maps.Clone(map[string]any(fields))
	delete(kept, "status")
	metadata := maps.Clone(fields.fields("metadata"))
	for _, field := range []string{"managedFields", "resourceVersion", "generation", "uid", "creationTimestamp", "selfLink"} {
		delete(metadata, field)
	}
	kept["metadata"] = metadata
	return kept
}

func (d *differ) compare(path []string, before, after any) {
	if reflect.DeepEqual(before, after) {
		return
	}
	_, wasList := before.([]any)
	_, isList := after.([]any)
	was, wasMap := before.(map[string]any)
	is, isMap := after.(map[string]any)
	switch {
	case wasMap && isMap, wasMap && after == nil && len(was) > 0, isMap && before == nil && len(is) > 0:
		d.compareMaps(path, was, is)
		return
	case wasList && isList:
		was, wasNamed := listByName(before)
		is, isNamed := listByName(after)
		if wasNamed && isNamed && slices.Equal(listNames(before), listNames(after)) {
			d.compareItems(path, was, is)
			return
		}
	}
	d.add(path, before, after)
}

func (d *differ) compareMaps(path []string, before, after map[string]any) {
	names := maps.Clone(before)
	if names == nil {
		names = map[string]any{}
	}
	maps.Copy(names, after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		d.compare(append(slices.Clone(path), name), before[name], after[name])
	}
}

func (d *differ) compareItems(path []string, before, after map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		d.compare(append(slices.Clone(path), "["+name+"]"), before[name], after[name])
	}
}

// listByName returns the items of a list by their names, if all have one.
func listByName(list any) (items map[string]any, all bool) {
	items = map[string]any{}
	for _, item := range list.([]any) { //nolint:forcetypeassert // its caller has seen that
		fields, _ := item.(map[string]any)
		name, _ := fields["name"].(string)
		if name == "" || items[name] != nil {
			return nil, false
		}
		items[name] = item
	}
	return items, true
}

func listNames(list any) (names []string) {
	for _, item := range list.([]any) { //nolint:forcetypeassert // its caller has seen that
		fields, _ := item.(map[string]any)
		name, _ := fields["name"].(string)
		names = append(names, name)
	}
	return names
}

func (d *differ) add(path []string, before, after any) {
	field := Field{Path: formatPath(path), Action: fieldChange, Owner: findOwner(d.live, path)}
	switch {
	case before == nil:
		field.Action = fieldAdd
	case after == nil:
		field.Action = fieldRemove
	}
	if field.Hidden = isConfidential(d.kind, field.Path, before, after); !field.Hidden {
		field.Before, field.After = formatValue(before), formatValue(after)
	}
	d.fields = append(d.fields, field)
}

func formatPath(path []string) string {
	var written strings.Builder
	for i, name := range path {
		switch {
		case strings.HasPrefix(name, "["):
			written.WriteString(name)
		case strings.ContainsAny(name, "./"):
			written.WriteString("[" + name + "]")
		case i > 0:
			written.WriteString("." + name)
		default:
			written.WriteString(name)
		}
	}
	return text.Sanitize(written.String())
}

// isConfidential reports whether a value may be a secret: nothing of Secrets and of machine configurations is shown, no variable of a
// container, and nothing that is called like a secret or holds a private key.
func isConfidential(kind restoration.Kind, path string, values ...any) bool {
	if name := kind.Name(); name == "secrets" && path != "type" || name == "machineconfigs.machineconfiguration.openshift.io" {
		return true
	}
	lower := strings.ToLower(path)
	if strings.Contains(lower, ".env") || strings.HasSuffix(lower, ".key") || strings.HasSuffix(lower, ".args") || strings.HasSuffix(lower, ".command") {
		return true
	}
	for _, word := range []string{"password", "passwd", "secret", "token", "credential", "privatekey", "private_key", "private-key", "apikey", "api_key", "api-key", "kubeconfig", "dockercfg", "last-applied-configuration"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	for _, value := range values {
		if encoded, err := json.Marshal(value); err != nil || strings.Contains(string(encoded), "PRIVATE KEY") || hasMaps(value) {
			return true
		}
	}
	return false
}

// hasMaps reports whether a list has more than plain values: what is in there cannot be told by its name.
func hasMaps(value any) bool {
	list, _ := value.([]any)
	return slices.ContainsFunc(list, func(item any) bool { _, plain := item.(map[string]any); return plain })
}

const maxValue = 60

// formatValue returns a value in one line. A text of several lines is counted.
func formatValue(value any) string {
	if value == nil {
		return ""
	}
	if words, is := value.(string); is {
		if lines := strings.Count(strings.TrimSuffix(words, "\n"), "\n") + 1; lines > 1 {
			return fmt.Sprintf("%d lines", lines)
		}
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return text.Sanitize(string(encoded), text.WithLimit(maxValue))
}

// findOwner returns who has set a field, by the API's record.
func findOwner(live document, path []string) string {
	var owners []string
	for _, entry := range live.list("metadata", "managedFields") {
		manager := entry.text("manager")
		if manager != restoration.FieldManager && ownsField(entry.fields("fieldsV1"), path) && !slices.Contains(owners, manager) {
			owners = append(owners, manager)
		}
	}
	return text.Sanitize(strings.Join(owners, ", "), text.WithLimit(maxValue))
}

func ownsField(set map[string]any, path []string) bool {
	for _, name := range path {
		key := "f:" + name
		if item, is := strings.CutPrefix(name, "["); is {
			key = fmt.Sprintf(`k:{"name":%q}`, strings.TrimSuffix(item, "]"))
		}
		inner, is := set[key].(map[string]any)
		if !is {
			return false
		}
		set = inner
	}
	return true
}

// listExtra returns the fields that the cluster's object has and the one of the backup does not: they stay.
func listExtra(kind restoration.Kind, live, wanted document) []string {
	d := differ{kind: kind}
	d.compareMaps(nil, withoutBookkeeping(live), withoutBookkeeping(wanted))
	var extra []string
	for _, field := range d.fields {
		if field.Action == fieldRemove {
			extra = append(extra, field.Path)
		}
	}
	return extra
}
