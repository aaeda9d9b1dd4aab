package ignition

import (
	"strings"
	"testing"

	"exoshift/internal/fault"
)

func TestCheck_RefusesInvalidDocument(t *testing.T) {
	for name, document := range map[string]string{
		"empty":                ``,
		"no JSON":              `{"ignition":{"version":"3.2.0"},`,
		"no version":           `{"ignition":{}}`,
		"a newer version":      `{"ignition":{"version":"3.9.0"}}`,
		"an old version":       `{"ignition":{"version":"2.2.0"}}`,
		"a relative path":      `{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"etc/a"}]}}`,
		"a file twice":         `{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"/etc/a"},{"path":"/etc/a"}]}}`,
		"an unreadable source": `{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"/etc/a","contents":{"source":"ftps:hunter2"}}]}}`,
	} {
		err := Check([]byte(document))
		if !fault.Is(err, fault.Invalid) || fault.HintOf(err) == "" || strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheck_AcceptsValidDocument(t *testing.T) {
	for name, document := range map[string]string{
		"nothing special": `{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"/etc/a","contents":{"source":"data:,x"}}]}}`,
		"an older one":    `{"ignition":{"version":"3.1.0"}}`,
		"a mere warning":  `{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"/etc/a","mode":420,"unknown":1}]}}`,
	} {
		if err := Check([]byte(document)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
