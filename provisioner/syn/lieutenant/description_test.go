package lieutenant_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// described fails the test for every exchange that Lieutenant's API description does not allow. Responses that tests make up on
// purpose, such as web pages, have the header X-Strange and are ignored; "lost" there is never sent.
type described struct {
	next     http.Handler
	router   routers.Router
	options  *openapi3filter.Options
	complain func(format string, args ...any)
}

// paths parses the description once, which takes longer than most tests.
var paths = sync.OnceValues(func() (routers.Router, error) {
	document, err := openapi3.NewLoader().LoadFromFile("testdata/openapi.yaml")
	if err != nil {
		return nil, err
	}
	document.Servers = openapi3.Servers{{URL: "/"}}
	return gorillamux.NewRouter(document)
})

func describe(t *testing.T, next http.Handler) http.Handler {
	t.Helper()
	router, err := paths()
	must(t, err)
	bearer := func(_ context.Context, input *openapi3filter.AuthenticationInput) error {
		if !strings.HasPrefix(input.RequestValidationInput.Request.Header.Get("Authorization"), "Bearer ") {
			return errors.New("nobody says who they are")
		}
		return nil
	}
	options := &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true, SkipSettingDefaults: true, AuthenticationFunc: bearer}
	return &described{next: next, router: router, options: options, complain: t.Errorf}
}

func (d *described) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer := httptest.NewRecorder()
	d.next.ServeHTTP(answer, r)
	if answer.Header().Get("X-Strange") == "lost" {
		if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_ = conn.Close()
		}
		return
	}
	if answer.Header().Get("X-Strange") == "" {
		if err := d.check(r, body, answer); err != nil {
			d.complain("%s %s: %v\nrequest: %s\nanswer: %d %s", r.Method, r.URL.Path, err, body, answer.Code, answer.Body)
		}
	}
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

func (d *described) check(r *http.Request, body []byte, answer *httptest.ResponseRecorder) error {
	request := r.Clone(r.Context())
	request.Body = io.NopCloser(bytes.NewReader(body))
	route, parameters, err := d.router.FindRoute(request)
	if err != nil {
		return fmt.Errorf("the description does not have it: %w", err)
	}
	input := &openapi3filter.RequestValidationInput{Request: request, PathParams: parameters, Route: route, Options: d.options}
	if err := openapi3filter.ValidateRequest(r.Context(), input); err != nil && answer.Code < http.StatusBadRequest {
		return fmt.Errorf("the request ought to be refused: %w", err)
	}
	output := &openapi3filter.ResponseValidationInput{RequestValidationInput: input, Status: answer.Code, Header: answer.Header(), Options: d.options}
	return openapi3filter.ValidateResponse(r.Context(), output.SetBodyBytes(answer.Body.Bytes()))
}

func TestDescription_ValidatesRequests(t *testing.T) {
	for name, test := range map[string]struct {
		method, path, answer string
		status               int
		allowed              bool
	}{
		"a tenant":             {"GET", "/tenants/t-demo", `{"id": "t-demo"}`, 200, true},
		"a tenant of a number": {"GET", "/tenants/t-demo", `{"id": 1}`, 200, false},
		"another path":         {"GET", "/people", `{}`, 200, false},
		"no reason":            {"GET", "/tenants", `{}`, 403, false},
		"a body without type":  {"PATCH", "/clusters/c-demo", `{"id": "c-demo"}`, 200, false},
	} {
		var complaints int
		handler := describe(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { say(w, test.status, test.answer) }))
		handler.(*described).complain = func(string, ...any) { complaints++ }
		request := httptest.NewRequest(test.method, test.path, strings.NewReader(`{}`))
		request.Header.Set("Authorization", "Bearer x")
		handler.ServeHTTP(httptest.NewRecorder(), request)
		if (complaints == 0) != test.allowed {
			t.Errorf("%s: %d complaints", name, complaints)
		}
	}
}
