package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// values are parts of earlier answers, by name.
type values map[string]string

// insert puts the values where a text names them.
func (v values) insert(text string) string {
	for name, value := range v {
		text = strings.ReplaceAll(text, "${"+name+"}", value)
	}
	return text
}

// mask puts names in the place of values, the longest first.
func (v values) mask(text string) string {
	names := v.names()
	slices.SortStableFunc(names, func(a, b string) int { return len(v[b]) - len(v[a]) })
	for _, name := range names {
		text = strings.ReplaceAll(text, v[name], "${"+name+"}")
	}
	return text
}

// show writes a value down. What no two servers agree on is shown by the name that it is kept under, or as "other".
func (v values) show(path string, value any) string {
	if unique(path) {
		return v.showUnique(value)
	}
	content, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("%v", value)
	}
	if text, ok := value.(string); ok {
		return v.mask(text)
	}
	return string(content)
}

func (v values) showUnique(value any) string {
	content := text(value)
	if content == "" {
		return "none"
	}
	for _, name := range v.names() {
		if v[name] == content {
			return "${" + name + "}"
		}
	}
	return "other"
}

// unique tells whether a path leads to something that every server chooses for itself.
func unique(path string) bool {
	return slices.ContainsFunc([]string{"resourceVersion", "uid", "creationTimestamp", "continue"}, func(field string) bool {
		return path == "metadata."+field
	})
}

func (v values) names() []string {
	var names []string
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
