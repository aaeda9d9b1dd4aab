package openshift_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"testing/synctest"

	"exoshift/internal/fault"
	"exoshift/state"

	"github.com/google/go-cmp/cmp"
)

func TestGetACMERegistration_EveryForm(t *testing.T) {
	const account = `{"username": "u", "password": "very-secret", "fulldomain": "d420c923.acme-dns.vshn.net", "subdomain": "d420c923", "allowfrom": []}`
	full := state.ACMERegistration{FullDomain: "d420c923.acme-dns.vshn.net"}
	both := full
	both.Domains = []string{"api.c1.example.net", "apps.c1.example.net"}
	for name, test := range map[string]struct {
		content string
		want    state.ACMERegistration
		kind    fault.Kind
	}{
		"by domain":         {`{"apps.c1.example.net": ` + account + `, "api.c1.example.net": ` + account + `}`, both, -1},
		"as it is returned": {account, full, -1},
		"two that differ": {`{"a.example": ` + account + `, "b.example": ` + strings.ReplaceAll(account, "d420", "e420") + `}`,
			state.ACMERegistration{}, fault.Invalid},
		"no name":    {strings.Replace(account, "d420c923.", "very-secret .", 1), state.ACMERegistration{}, fault.Invalid},
		"none":       {`{}`, state.ACMERegistration{}, fault.Invalid},
		"not JSON":   {`very-secret`, state.ACMERegistration{}, fault.Invalid},
		"other JSON": {`["very-secret"]`, state.ACMERegistration{}, fault.Invalid},
		"nothing":    {``, state.ACMERegistration{}, fault.Transient},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := rehearse(t)
				if _, err := r.GetACMERegistration(t.Context()); !fault.Is(err, fault.Transient) {
					t.Errorf("before there is any: %v", err)
				}
				data := map[string]any{"acmedns.json": base64.StdEncoding.EncodeToString([]byte(test.content))}
				r.put(t, "secrets", "syn-cert-manager", with(named("acme-dns-client"), "data", data))
				got, err := r.GetACMERegistration(t.Context())
				if test.kind >= 0 {
					if !fault.Is(err, test.kind) || strings.Contains(err.Error(), "very-secret") {
						t.Errorf("got %v", err)
					}
					return
				}
				if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
					t.Errorf("%v\n%s", err, diff)
				}
			})
		})
	}
}
