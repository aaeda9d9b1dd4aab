package installer

import (
	"fmt"
	"strings"
)

// validationErrors are the faults of an install-config, worded as Kubernetes words those of fields. As with the real program,
// they repeat the value that is refused, whatever it is.
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

// checkOneOf refuses a value that is not among those supported.
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

// err returns all faults as one error, nil if there is none.
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
