package description_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"exoshift/internal/simcloud/api/description"
)

func TestValidate_RefusesUndescribed(t *testing.T) {
	const id, key = "4c9b9b7e-8d5f-4bd0-9f64-0d7a51a0f3b1", `{"name":"k","public-key":"ssh-ed25519 AAAA"}`
	official, err := description.Load()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		method, path, body string
		status             int
		answer, complaint  string
	}{
		"an answer as described":          {"GET", "/v2/elastic-ip", "", 200, `{"elastic-ips":[{"id":"` + id + `","ip":"198.19.0.1"}]}`, ""},
		"an undeclared field":             {"GET", "/v2/zone", "", 200, `{"zones":[{"id":"` + id + `"}]}`, ""},
		"an ID that is none":              {"GET", "/v2/elastic-ip", "", 200, `{"elastic-ips":[{"id":"42"}]}`, "pattern"},
		"a state that does not exist":     {"GET", "/v2/instance/" + id, "", 200, `{"state":"asleep"}`, "allowed values"},
		"an action":                       {"PUT", "/v2/instance/" + id + ":start", `{}`, 200, `{"id":"` + id + `","state":"pending"}`, ""},
		"a status that is not declared":   {"POST", "/v2/ssh-key", key, 201, `{}`, "status"},
		"a request as described":          {"POST", "/v2/ssh-key", key, 200, `{"state":"success"}`, ""},
		"a wrong request let in":          {"POST", "/v2/ssh-key", `{"name":"k"}`, 200, `{"state":"success"}`, "ought to be refused"},
		"a wrong request refused":         {"POST", "/v2/ssh-key", `{"name":"k"}`, 400, `{"message":"no","errors":[{"message":"no"}]}`, ""},
		"a refusal without words":         {"GET", "/v2/zone", "", 403, `{}`, "no message"},
		"a refusal with words of its own": {"GET", "/v2/zone", "", 403, `{"fault":"no"}`, "neither"},
		"a problem":                       {"GET", "/v2/zone", "", 403, `{"type":"x","title":"No","status":403,"detail":"no"}`, ""},
		"a problem of another status":     {"GET", "/v2/zone", "", 403, `{"type":"x","title":"No","status":404}`, "404"},
		"a path that does not exist":      {"GET", "/v2/galaxy", "", 200, `{}`, "does not have it"},
		"a path that is not found":        {"GET", "/v2/galaxy", "", 404, `{"message":"Not Found"}`, ""},
	} {
		answers := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			w.WriteHeader(test.status)
			_, _ = w.Write([]byte(test.answer))
		})
		var complaints []string
		handler := official.Validate(answers, func(err error) { complaints = append(complaints, err.Error()) })
		request := httptest.NewRequest(test.method, test.path, strings.NewReader(test.body))
		request.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		got := strings.Join(complaints, "\n")
		if test.complaint == "" && got != "" || !strings.Contains(got, test.complaint) {
			t.Errorf("%s: complaint %q, want %q", name, got, test.complaint)
		}
		if answer.Code != test.status || answer.Body.String() != test.answer {
			t.Errorf("%s: changed to %d %s", name, answer.Code, answer.Body)
		}
	}
}

func TestValidate_RequiresJSON(t *testing.T) {
	silent := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	complaints := 0
	handler := description.Validate(silent, func(error) { complaints++ })
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/v2/zone", nil))
	if complaints != 1 {
		t.Errorf("%d complaints", complaints)
	}
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "https://sos-ch-gva-2.exo.io/bucket", nil))
	if complaints != 1 {
		t.Error("the object storage is held against the description of the API")
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := description.Load(); err != nil {
			b.Fatal(err)
		}
	}
}
