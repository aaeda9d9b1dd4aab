package installer

import (
	"fmt"
	"strings"
)

// validationErrors are worded as the field errors of Kubernetes. As with the real program, they contain the invalid value.
type validationErrors []string

func (r *validationErrors) addInvalid(field string, value any, format string, args ...any) {
	shown := fmt.Sprint(value)
	if text, ok := value.(string); ok {
		shown = fmt.Sprintf("%q", text)
	}
	*r = append(*r, fmt.Sprintf("%s: Invalid value: %s: %s", field, shown, fmt.Sprintf(format, args...)))
}

func (r *validationErrors) addRequired(field, text string) {
	*r = append(*r, field+": Required value: "+text)
}

func (r *validationErrors) checkOneOf(field, value string, supported ...string) {
	var choices []string
	for _, choice := range supported {
		if value == choice {
			return
		}
		choices = append(choices, fmt.Sprintf("%q", choice))
	}
	*r = append(*r, fmt.Sprintf("%s: Unsupported value: %q: supported values: %s", field, value, strings.Join(choices, ", ")))
}

func (r *validationErrors) err() error {
	switch list := *r; len(list) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("invalid %q file: %s", configFile, list[0])
	default:
		return fmt.Errorf("invalid %q file: [%s]", configFile, strings.Join(list, ", "))
	}
}
