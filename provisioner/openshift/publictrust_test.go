package openshift_test

import (
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
)

func TestPoll_PublicCertificate(t *testing.T) {
	for name, public := range map[string]bool{"a public authority": true, "anybody": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := rehearse(t)
				signer := authority(t)
				if public {
					r.net.Roots.AddCert(signer.Certificate)
				}
				r.names[apiName] = netip.MustParseAddr("192.0.2.2")
				host, err := r.zone.AddHost(r.names[apiName])
				if err != nil {
					t.Fatal(err)
				}
				r.serve(t, host, signer)
				_, err = r.GetSynthesis(t.Context())
				if public && err != nil || !public && (err == nil || !strings.Contains(err.Error(), "TLS")) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}
