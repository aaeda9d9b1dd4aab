package wizard

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// oneWord wants a secret without white space inside: keys are pasted from a browser, sometimes with more.
func oneWord(secret string) []Fault {
	if strings.ContainsFunc(secret, unicode.IsSpace) {
		return wrong("the secret holds white space", "one word", "")
	}
	return nil
}

// pullSecret wants what openshift-install accepts: JSON with auths, and each of them with its auth. Only names of
// registries are repeated.
func pullSecret(secret string) []Fault {
	const allowed = `the JSON from https://console.redhat.com/openshift/install/pull-secret`
	var content struct {
		Auths map[string]struct {
			Auth string `json:"auth"`
		} `json:"auths"`
	}
	if json.Unmarshal([]byte(secret), &content) != nil {
		return wrong("the pull secret is not the JSON that it should be", allowed, "")
	}
	if len(content.Auths) == 0 {
		return wrong("the pull secret has no auths", allowed, "")
	}
	for _, registry := range slices.Sorted(maps.Keys(content.Auths)) {
		if content.Auths[registry].Auth == "" {
			return wrong("the pull secret has no auth for "+quote(registry), allowed, "")
		}
	}
	return nil
}
