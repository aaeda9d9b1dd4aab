package kube

import (
	"regexp"
	"slices"
	"strings"
)

// selector is a parsed label or field selector: all terms must hold.
type selector []term

// term compares the value of a key: "=", "!=", "in", "notin", "exists", "!exists".
type term struct {
	key, operator string
	values        []string
}

var (
	labelKey   = regexp.MustCompile(`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)
	labelValue = regexp.MustCompile(`^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$`)
)

func parseLabels(text string) (selector, error) {
	parsed, err := parseSelector(text)
	if err != nil {
		return nil, err
	}
	for _, term := range parsed {
		for _, value := range term.values {
			if !labelValue.MatchString(value) {
				return nil, newBadRequest("unable to parse requirement: values: Invalid value: %q", value)
			}
		}
		if !labelKey.MatchString(term.key) {
			return nil, newBadRequest("unable to parse requirement: key: Invalid value: %q", term.key)
		}
	}
	return parsed, nil
}

// parseFields accepts only the few fields that a kind supports.
func parseFields(kind Kind, text string) (selector, error) {
	parsed, err := parseSelector(text)
	if err != nil {
		return nil, err
	}
	for _, term := range parsed {
		if term.key != "metadata.name" && term.key != "metadata.namespace" && !slices.Contains(kind.listSelectableFields(), term.key) {
			return nil, newBadRequest("field label not supported: %s", term.key)
		}
	}
	return parsed, nil
}

// listSelectableFields lists the fields beside metadata.name and metadata.namespace.
func (k Kind) listSelectableFields() []string {
	switch k.GroupResource() {
	case pods:
		return []string{nodeName, "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork",
			"status.phase", "status.podIP", "status.nominatedNodeName"}
	case "events", "events.events.k8s.io":
		return []string{"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
			"involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath", "reason",
			"reportingComponent", "source", "type"}
	case requests:
		return []string{"spec.signerName"}
	case "nodes":
		return []string{"spec.unschedulable"}
	case "namespaces":
		return []string{"status.phase"}
	case "secrets":
		return []string{"type"}
	case "jobs.batch":
		return []string{"status.successful"}
	}
	return nil
}

// parseSelector parses "a=b,c!=d,e in (f,g),h,!i". Commas in parentheses do not separate terms.
func parseSelector(text string) (selector, error) {
	var parsed selector
	depth, start := 0, 0
	for i, char := range text + "," {
		switch {
		case char == '(':
			depth++
		case char == ')':
			depth--
		case char == ',' && depth == 0:
			if part := strings.TrimSpace(text[start:i]); part != "" {
				parsed = append(parsed, parseTerm(part))
			}
			start = i + 1
		}
	}
	if depth != 0 {
		return nil, newBadRequest("unable to parse requirement: unbalanced parentheses in %q", text)
	}
	return parsed, nil
}

func parseTerm(text string) term {
	for _, operator := range []string{"!=", "==", "="} {
		if key, value, ok := strings.Cut(text, operator); ok {
			if operator == "==" {
				operator = "="
			}
			return term{strings.TrimSpace(key), operator, []string{strings.TrimSpace(value)}}
		}
	}
	for _, operator := range []string{" notin ", " in "} {
		if key, list, ok := strings.Cut(text, operator); ok {
			values := strings.Split(strings.Trim(strings.TrimSpace(list), "()"), ",")
			for i := range values {
				values[i] = strings.TrimSpace(values[i])
			}
			return term{strings.TrimSpace(key), strings.TrimSpace(operator), values}
		}
	}
	if key, ok := strings.CutPrefix(text, "!"); ok {
		return term{key: strings.TrimSpace(key), operator: "!exists"}
	}
	return term{key: text, operator: "exists"}
}

// isMatch: exists reports whether the key has a value.
func (t term) isMatch(value string, exists bool) bool {
	switch t.operator {
	case "exists":
		return exists
	case "!exists":
		return !exists
	case "!=", "notin":
		return !exists || !slices.Contains(t.values, value)
	}
	return exists && slices.Contains(t.values, value)
}

type filter struct{ labels, fields selector }

func (f filter) isMatch(object Object) bool {
	labels := object.Map("metadata.labels")
	for _, term := range f.labels {
		value, exists := labels[term.key].(string)
		if !term.isMatch(value, exists) {
			return false
		}
	}
	for _, term := range f.fields {
		// A missing field is empty, as the real API defines its selectable fields.
		if !term.isMatch(object.GetString(term.key), true) {
			return false
		}
	}
	return true
}
