package simcloud

import (
	"bytes"
	"crypto/x509"
	"net/http"
	"testing"
	"testing/synctest"
)

func TestOpen_KeepsAuthority(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		first := open(t, Options{Dir: dir})
		trusted := x509.NewCertPool()
		if !trusted.AppendCertsFromPEM(first.Authority()) {
			t.Fatal("the authority is no certificate")
		}
		first.close()
		second := open(t, Options{Dir: dir})
		defer second.close()
		if !bytes.Equal(first.Authority(), second.Authority()) {
			t.Error("the authority changed")
		}
		if key := second.Network().ReleaseKey; len(key) == 0 || !bytes.Equal(first.ReleaseKey(), key) {
			t.Error("the key of the releases changed")
		}
		world := second.Network()
		world.Roots = trusted
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://sos-ch-gva-2.exo.io/", nil)
		second.must(err)
		client := world.NewClient()
		defer client.CloseIdleConnections()
		response, err := client.Do(request)
		second.must(err)
		_ = response.Body.Close()
	})
}
