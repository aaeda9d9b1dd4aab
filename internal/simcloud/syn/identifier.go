package syn

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
)

const (
	clusterPrefix = "c-"
	tenantPrefix  = "t-"
	maxName       = 253
	namePattern   = `[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*`
)

var validName = regexp.MustCompile(`^` + namePattern + `$`)

// name returns the given name with its prefix, or a generated unique one.
func name(given *string, prefix, kind string, taken func(string) bool) (string, error) {
	if given == nil || *given == "" {
		return generateName(prefix, taken), nil
	}
	chosen := *given
	if !strings.HasPrefix(chosen, prefix) {
		chosen = prefix + chosen
	}
	if len(chosen) > maxName || !validName.MatchString(chosen) {
		return "", newInvalidName(kind, chosen)
	}
	return chosen, nil
}

func generateName(prefix string, taken func(string) bool) string {
	adjectives := []string{"autumn", "bitter", "cold", "dry", "fragrant", "green", "icy", "late", "misty", "patient", "silent", "young"}
	nouns := []string{"brook", "cloud", "field", "forest", "glade", "hill", "lake", "meadow", "pond", "river", "snow", "waterfall"}
	for {
		made := fmt.Sprintf("%s%s-%s-%04d", prefix, adjectives[rand.IntN(len(adjectives))], nouns[rand.IntN(len(nouns))], rand.IntN(10000))
		if !taken(made) {
			return made
		}
	}
}

func newInvalidName(kind, given string) error {
	singular := map[string]string{clusterKind: "Cluster.syn.tools", tenantKind: "Tenant.syn.tools"}[kind]
	return newAPIError(http.StatusUnprocessableEntity, "%s '%s' is invalid: metadata.name: Invalid value: '%s': a lowercase RFC 1123 subdomain must consist of "+
		"lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', "+
		"regex used for validation is '%s')", singular, given, given, namePattern)
}
