package acmedns_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/simcloud/acmedns"
	"exoshift/internal/simcloud/store"
)

type registration struct{ Username, Password, Fulldomain, Subdomain string }

func ask(t *testing.T, s *acmedns.Server, path, body string, as registration) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	request.Header.Set("X-Api-User", as.Username)
	request.Header.Set("X-Api-Key", as.Password)
	answer := httptest.NewRecorder()
	s.Handler().ServeHTTP(answer, request)
	return answer
}

func open(t *testing.T, db *store.DB) *acmedns.Server {
	t.Helper()
	s, err := acmedns.New(acmedns.Config{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func register(t *testing.T, s *acmedns.Server, body string) registration {
	t.Helper()
	var made registration
	answer := ask(t, s, "/register", body, registration{})
	if err := json.Unmarshal(answer.Body.Bytes(), &made); err != nil || answer.Code != http.StatusCreated {
		t.Fatalf("%d: %s", answer.Code, answer.Body)
	}
	return made
}

func update(subdomain string, letter string) string {
	return `{"subdomain":"` + subdomain + `","txt":"` + strings.Repeat(letter, 43) + `"}`
}

func TestACMEDNS_OwnSubdomainOnly(t *testing.T) {
	s := open(t, store.NewMemory())
	one, other := register(t, s, ""), register(t, s, "{}")
	for _, letter := range []string{"a", "b", "c"} {
		if answer := ask(t, s, "/update", update(one.Subdomain, letter), one); answer.Code != http.StatusOK {
			t.Fatalf("%d: %s", answer.Code, answer.Body)
		}
	}
	if answer := ask(t, s, "/update", update(one.Subdomain, "d"), other); answer.Code != http.StatusUnauthorized {
		t.Errorf("another account: %d", answer.Code)
	}
	if answer := ask(t, s, "/update", `{"subdomain":"`+one.Subdomain+`","txt":"short"}`, one); answer.Code != http.StatusBadRequest {
		t.Errorf("no challenge: %d", answer.Code)
	}
	got, known := s.TXT(one.Fulldomain + ".")
	if diff := cmp.Diff([]string{strings.Repeat("c", 43), strings.Repeat("b", 43)}, got); diff != "" || !known {
		t.Error(diff)
	}
	if _, known := s.TXT(one.Subdomain + ".example.net"); known {
		t.Error("a name of another zone is known")
	}
}

func TestACMEDNS_AllowedNetworks(t *testing.T) {
	s := open(t, store.NewMemory())
	far, near := register(t, s, `{"allowfrom":["198.18.0.0/16"]}`), register(t, s, `{"allowfrom":["192.0.2.0/24"]}`)
	if answer := ask(t, s, "/update", update(far.Subdomain, "a"), far); answer.Code != http.StatusUnauthorized {
		t.Errorf("from elsewhere: %d", answer.Code)
	}
	if answer := ask(t, s, "/update", update(near.Subdomain, "a"), near); answer.Code != http.StatusOK { // httptest requests have the address 192.0.2.1
		t.Errorf("from there: %d", answer.Code)
	}
	if answer := ask(t, s, "/register", `{"allowfrom":["everywhere"]}`, registration{}); answer.Code != http.StatusBadRequest {
		t.Errorf("no network: %d", answer.Code)
	}
}

func TestACMEDNS_PersistsAccounts(t *testing.T) {
	dir := t.TempDir()
	db, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	made := register(t, open(t, db), "")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = store.Open(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if answer := ask(t, open(t, db), "/update", update(made.Subdomain, "a"), made); answer.Code != http.StatusOK {
		t.Errorf("%d: %s", answer.Code, answer.Body)
	}
}
