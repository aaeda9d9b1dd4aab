package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	exoapi "github.com/exoscale/egoscale/v2/api"

	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/store"
)

func TestSignature_CoversRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, err := api.New(api.Config{DB: store.NewMemory(), Zone: "ch-gva-2", Key: "EXOkey", Secret: "secret"})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		unchanged := func(*http.Request) {}
		tests := []struct {
			name, key, secret string
			change            func(*http.Request)
			want              int
			late              bool
		}{
			{"signed", "EXOkey", "secret", unchanged, http.StatusOK, false},
			{"with another secret", "EXOkey", "wrong", unchanged, http.StatusUnauthorized, false},
			{"by an unknown key", "EXOother", "secret", unchanged, http.StatusForbidden, false},
			{"unsigned", "EXOkey", "secret", func(r *http.Request) { r.Header.Del("Authorization") }, http.StatusUnauthorized, false},
			{"with another path", "EXOkey", "secret", func(r *http.Request) { r.URL.Path = "/v2/instance" }, http.StatusUnauthorized, false},
			{"with another query", "EXOkey", "secret", func(r *http.Request) { r.URL.RawQuery = "visibility=private" }, http.StatusUnauthorized, false},
			{"with another method", "EXOkey", "secret", func(r *http.Request) { r.Method = http.MethodPost }, http.StatusUnauthorized, false},
			{"too late", "EXOkey", "secret", unchanged, http.StatusUnauthorized, true},
		}
		for _, test := range tests {
			r := httptest.NewRequest(http.MethodGet, "https://api-ch-gva-2.exoscale.com/v2/template?visibility=public", nil)
			signer, err := exoapi.NewSecurityProvider(test.key, test.secret)
			if err != nil {
				t.Fatal(err)
			}
			if test.late {
				signer.ReqExpire = -time.Second
			}
			if err := signer.Intercept(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			test.change(r)
			w := httptest.NewRecorder()
			a.ServeHTTP(w, r)
			if w.Code != test.want || test.want != http.StatusOK && !strings.Contains(w.Body.String(), `"message"`) {
				t.Errorf("%s: %d %s, want %d", test.name, w.Code, w.Body, test.want)
			}
		}
	})
}
