package kube

import (
	"regexp"
	"slices"
	"strings"
)

// Selector is a parsed label or field selector: all terms must hold.
type Selector []Term

// Term compares the value of a key: "=", "!=", "in", "notin", "exists", "!exists".
type Term struct {
	Key, Operator string
	Values        []string
}

var (
	labelKey   = regexp.MustCompile(`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)
	labelValue = regexp.MustCompile(`^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$`)
)

// IsLabelKey reports whether text can be the key of a label.
func IsLabelKey(text string) bool { return labelKey.MatchString(text) }

// IsLabelValue reports whether text can be the value of a label.
func IsLabelValue(text string) bool { return labelValue.MatchString(text) }

// ParseLabels parses a label selector.
func ParseLabels(text string) (Selector, error) {
	parsed, err := parseSelector(text)
	if err != nil {
		return nil, err
	}
	for _, term := range parsed {
		for _, value := range term.Values {
			if !IsLabelValue(value) {
				return nil, NewBadRequest("unable to parse requirement: values: Invalid value: %q", value)
			}
		}
		if !IsLabelKey(term.Key) {
			return nil, NewBadRequest("unable to parse requirement: key: Invalid value: %q", term.Key)
		}
	}
	return parsed, nil
}

// ParseFields parses a field selector. It accepts only the few fields that a kind supports.
func ParseFields(kind Kind, text string) (Selector, error) {
	parsed, err := parseSelector(text)
	if err != nil {
		return nil, err
	}
	for _, term := range parsed {
		if term.Key != "metadata.name" && term.Key != "metadata.namespace" && !slices.Contains(kind.listSelectableFields(), term.Key) {
			return nil, NewBadRequest("field label not supported: %s", term.Key)
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
	case CSRResource:
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
func parseSelector(text string) (Selector, error) {
	var parsed Selector
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
		return nil, NewBadRequest("unable to parse requirement: unbalanced parentheses in %q", text)
	}
	return parsed, nil
}

func parseTerm(text string) Term {
	for _, operator := range []string{"!=", "==", "="} {
		if key, value, ok := strings.Cut(text, operator); ok {
			if operator == "==" {
				operator = "="
			}
			return Term{strings.TrimSpace(key), operator, []string{strings.TrimSpace(value)}}
		}
	}
	for _, operator := range []string{" notin ", " in "} {
		if key, list, ok := strings.Cut(text, operator); ok {
			values := strings.Split(strings.Trim(strings.TrimSpace(list), "()"), ",")
			for i := range values {
				values[i] = strings.TrimSpace(values[i])
			}
			return Term{strings.TrimSpace(key), strings.TrimSpace(operator), values}
		}
	}
	if key, ok := strings.CutPrefix(text, "!"); ok {
		return Term{Key: strings.TrimSpace(key), Operator: "!exists"}
	}
	return Term{Key: text, Operator: "exists"}
}

// isMatch: exists reports whether the key has a value.
func (t Term) isMatch(value string, exists bool) bool {
	switch t.Operator {
	case "exists":
		return exists
	case "!exists":
		return !exists
	case "!=", "notin":
		return !exists || !slices.Contains(t.Values, value)
	}
	return exists && slices.Contains(t.Values, value)
}

// Filter is a label selector and a field selector.
type Filter struct{ Labels, Fields Selector }

// IsMatch reports whether both selectors hold.
func (f Filter) IsMatch(object Object) bool {
	labels := object.Map("metadata.labels")
	for _, term := range f.Labels {
		value, exists := labels[term.Key].(string)
		if !term.isMatch(value, exists) {
			return false
		}
	}
	for _, term := range f.Fields {
		// A missing field is empty, as the real API defines its selectable fields.
		if !term.isMatch(object.GetString(term.Key), true) {
			return false
		}
	}
	return true
}
