package fleet

import (
	"fmt"
	"strings"

	"exoshift/internal/app/exit"
)

// Selector chooses clusters by their labels: all of them have to be as it says. An empty one chooses every cluster.
type Selector map[string]string

// ParseSelector reads key=value, several of them separated by commas or given one by one.
func ParseSelector(texts []string) (Selector, error) {
	selector := Selector{}
	for _, text := range texts {
		for item := range strings.SplitSeq(text, ",") {
			key, value, ok := strings.Cut(strings.TrimSpace(item), "=")
			if key, value = strings.TrimSpace(key), strings.TrimSpace(strings.TrimPrefix(value, "=")); !ok || key == "" || value == "" {
				return nil, exit.WithCode(exit.Usage, fmt.Errorf("--selector %s: its form is key=value, by the clusters' answers cluster.labels", text))
			}
			if other, twice := selector[key]; twice && other != value {
				return nil, exit.WithCode(exit.Usage, fmt.Errorf("--selector %s: %s cannot be %s and %s at once", text, key, other, value))
			}
			selector[key] = value
		}
	}
	return selector, nil
}

// Matches reports whether labels are as the selector says.
func (s Selector) Matches(labels map[string]string) bool {
	for key, value := range s {
		if labels[key] != value {
			return false
		}
	}
	return true
}
