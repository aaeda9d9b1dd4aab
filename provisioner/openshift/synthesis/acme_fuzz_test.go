package synthesis

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

// FuzzParseRegistration parses an account at acme-dns, of which only names may be part of errors.
func FuzzParseRegistration(f *testing.F) {
	for _, seed := range []string{
		`{"fulldomain": "a.acme.example.net", "password": "very-secret-value"}`, `{"example.net": {"fulldomain": "a.b"}, "*.example.net": {"fulldomain": "a.b"}}`, `{"a": {"fulldomain": "a.b"}, "b": {"fulldomain": "c.d"}}`,
		`{"a": {"fulldomain": "very-secret-value\n"}}`, `{"a": 1}`, `{"fulldomain": 1}`, "null", "", "[]",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		found, problem := parseRegistration(content)
		if strings.Contains(problem, "very-secret-value") || problem == "" && len(validation.IsDNS1123Subdomain(found.FullDomain)) > 0 {
			t.Fatalf("%+v, %q", found, problem)
		}
		for _, domain := range found.Domains {
			if len(validation.IsDNS1123Subdomain(domain)) > 0 {
				t.Fatalf("%q is a domain", domain)
			}
		}
		if !slices.IsSorted(found.Domains) {
			t.Fatalf("%q", found.Domains)
		}
	})
}
