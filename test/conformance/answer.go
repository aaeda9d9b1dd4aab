package conformance

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// answer is what an API said.
type answer struct {
	code   int
	media  string
	body   string
	object map[string]any // nil if it is no JSON
	warned []string
}

func readAnswer(response *http.Response, body []byte) answer {
	a := answer{code: response.StatusCode, body: string(body)}
	a.warned = response.Header.Values("Warning")
	a.media, _, _ = mime.ParseMediaType(response.Header.Get("Content-Type"))
	if a.media == "application/json" {
		// A watch is a row of objects; its first one is looked at.
		_ = json.NewDecoder(strings.NewReader(a.body)).Decode(&a.object)
		sortOwners(a.object)
	}
	return a
}

// sortOwners orders who wrote fields by their names. A server orders them by the second in which they wrote first, which is
// another one now and then.
func sortOwners(object map[string]any) {
	entries, _ := find(object, "metadata.managedFields").([]any)
	slices.SortStableFunc(entries, func(a, b any) int {
		return strings.Compare(text(find(a, "manager")), text(find(b, "manager")))
	})
}

// keep notes what a step keeps of its answer.
func (a answer) keep(step Step, kept values) {
	for name, path := range step.Kept {
		if text, ok := find(a.object, path).(string); ok && text != "" {
			kept[name] = text
		}
	}
}

// describe writes down what matters of an answer.
func (a answer) describe(step Step, kept values) string {
	switch {
	case a.media == protobufType:
		return fmt.Sprintf("%d %s", a.code, a.media)
	case a.object == nil:
		return fmt.Sprintf("%d %s %q", a.code, a.media, strings.TrimSpace(a.body))
	case a.object["kind"] == "Status" && a.object["status"] == "Failure":
		return a.refusal(step, kept)
	}
	line := fmt.Sprintf("%d %s", a.code, text(a.object["kind"]))
	for _, path := range step.Shown {
		line += fmt.Sprintf(" %s=%s", path, kept.show(path, find(a.object, path)))
	}
	for _, warning := range a.warned {
		line += " warning=" + warning
	}
	return line
}

// refusal writes down a metav1.Status.
func (a answer) refusal(step Step, kept values) string {
	line := fmt.Sprintf("%d Status reason=%s code=%v", a.code, text(a.object["reason"]), a.object["code"])
	for _, field := range []string{"group", "kind", "name"} {
		if value := text(find(a.object, "details."+field)); value != "" {
			line += fmt.Sprintf(" %s=%s", field, kept.mask(value))
		}
	}
	if step.Vague == "" {
		if causes, ok := find(a.object, "details.causes").([]any); ok && a.object["reason"] == "Invalid" {
			for _, cause := range causes {
				line += fmt.Sprintf(" cause=%s:%s", text(find(cause, "field")), text(find(cause, "reason")))
			}
		}
		line += fmt.Sprintf(" message=%q", kept.mask(text(a.object["message"])))
	}
	return line
}

func text(value any) string {
	s, _ := value.(string)
	return s
}

// find returns the value at a dotted path; "items[].metadata.name" is the names of all items. nil: there is none. A dot
// that belongs to a key is written as "~".
func find(value any, path string) any {
	key, rest, more := strings.Cut(path, ".")
	key, each := strings.CutSuffix(key, "[]")
	fields, _ := value.(map[string]any)
	value = fields[strings.ReplaceAll(key, "~", ".")]
	if !each {
		if !more {
			return value
		}
		return find(value, rest)
	}
	items, ok := value.([]any)
	if !ok {
		return nil
	}
	found := make([]any, len(items))
	for i, item := range items {
		if found[i] = item; more {
			found[i] = find(item, rest)
		}
	}
	return found
}
