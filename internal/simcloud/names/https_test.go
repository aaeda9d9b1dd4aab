package names

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

func packed(t *testing.T) []byte {
	t.Helper()
	wire, err := new(dns.Msg).SetQuestion("api.c-1.example.net.", dns.TypeA).Pack()
	must(t, err)
	return wire
}

func serve(resolver *Resolver, request *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	resolver.ServeHTTP(w, request)
	return w
}

func TestDoH_Resolves(t *testing.T) {
	post := httptest.NewRequest(http.MethodPost, "/dns-query", bytes.NewReader(packed(t)))
	post.Header.Set("Content-Type", "application/dns-message")
	get := httptest.NewRequest(http.MethodGet, "/dns-query?dns="+base64.RawURLEncoding.EncodeToString(packed(t)), nil)
	for _, request := range []*http.Request{post, get} {
		w := serve(cluster().resolver(), request)
		reply := new(dns.Msg)
		if err := reply.Unpack(w.Body.Bytes()); err != nil || len(reply.Answer) != 1 || w.Header().Get("Content-Type") != "application/dns-message" {
			t.Errorf("%s: %d, %v, %s", request.Method, w.Code, err, reply)
		}
	}
}

func TestDoH_RefusesInvalid(t *testing.T) {
	wrongType := httptest.NewRequest(http.MethodPost, "/dns-query", bytes.NewReader(packed(t)))
	wrongType.Header.Set("Content-Type", "text/plain")
	garbage := httptest.NewRequest(http.MethodPost, "/dns-query", strings.NewReader("?"))
	garbage.Header.Set("Content-Type", "application/dns-message")
	for want, request := range map[int]*http.Request{
		http.StatusUnsupportedMediaType: wrongType,
		http.StatusBadRequest:           garbage,
		http.StatusNotFound:             httptest.NewRequest(http.MethodGet, "/", nil),
	} {
		if w := serve(cluster().resolver(), request); w.Code != want {
			t.Errorf("%s %s: %d, want %d", request.Method, request.URL, w.Code, want)
		}
	}
}
