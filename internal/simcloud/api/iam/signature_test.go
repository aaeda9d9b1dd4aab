package iam

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The vectors are those of the official client's own tests.
func TestSign_OfficialVectors(t *testing.T) {
	secret := strings.Repeat("X", 43)
	expires := "3376684800" // 2077-01-01
	for path, want := range map[string]credential{
		"/v2/zone":             {signature: "Ntbq/p0HVmA3Zg1HHY+Lq1vjFGi7HeMrrgXDS5jRNlY="},
		"/v2/zone?k1=v1&k2=v2": {signature: "iqOBz13+44L5j0uJclE8hmUhQQcvtCSoPEOXYK6liqY=", args: []string{"k1", "k2"}},
	} {
		r := httptest.NewRequest(http.MethodGet, "https://api.exoscale.com"+path, nil)
		want.expires = expires
		if got := sign(r, nil, want, secret); got != want.signature {
			t.Errorf("%s: got %s, want %s", path, got, want.signature)
		}
	}
}
