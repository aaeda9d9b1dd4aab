package release

import (
	"testing"
)

func FuzzGraph(f *testing.F) {
	f.Add(`{"nodes":[{"version":"4.21.3"}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		if versions, err := parseGraph([]byte(body)); err == nil && versions == nil {
			t.Errorf("%q is a graph of nothing", body)
		}
	})
}
