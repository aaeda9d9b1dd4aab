package description

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/getkin/kin-openapi/openapi3filter"
)

// Validate returns a handler that calls next, and reports each exchange that violates the description: a response with another
// schema, an error in an unknown form, or the success of an invalid request. Requests to other hosts than an API are not
// validated, so it can wrap a whole zone.
func Validate(next http.Handler, complain func(error)) http.Handler {
	d, err := Load()
	if err != nil {
		complain(err)
		return next
	}
	return d.Validate(next, complain)
}

// Validate is like the function of this name, for a parsed description.
func (d *Description) Validate(next http.Handler, complain func(error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Host, "sos-") {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			complain(fmt.Errorf("%s %s: body of the request: %w", r.Method, r.URL.Path, err))
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		recorder := httptest.NewRecorder()
		next.ServeHTTP(recorder, r)
		if err := d.check(r, body, recorder); err != nil && r.Context().Err() == nil {
			complain(fmt.Errorf("%s %s: %w\nrequest: %s\nanswer: %d %s", r.Method, r.URL.RequestURI(), err, redactBody(body),
				recorder.Code, redactBody(recorder.Body.Bytes())))
		}
		for name, values := range recorder.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(recorder.Code)
		_, _ = w.Write(recorder.Body.Bytes()) // the client closed the connection
	})
}

func redactBody(body []byte) string {
	if strings.Contains(string(body), "secret") {
		return "(not shown, as it holds a secret)"
	}
	return string(body)
}

func (d *Description) check(r *http.Request, body []byte, answer *httptest.ResponseRecorder) error {
	if contentType := answer.Header().Get("Content-Type"); contentType != "application/json; charset=utf-8" {
		return fmt.Errorf("the content type is %q", contentType)
	}
	if answer.Code >= http.StatusBadRequest {
		return checkRefusal(answer.Code, answer.Body.Bytes())
	}
	request := r.Clone(r.Context())
	request.Body = io.NopCloser(bytes.NewReader(body))
	route, parameters, err := d.router.FindRoute(request)
	if err != nil {
		return fmt.Errorf("the description does not have it: %w", err)
	}
	input := &openapi3filter.RequestValidationInput{Request: request, PathParams: parameters, Route: route, Options: d.options}
	if err := openapi3filter.ValidateRequest(r.Context(), input); err != nil {
		return fmt.Errorf("the request ought to be refused: %w", err)
	}
	output := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: answer.Code, Header: answer.Header(), Options: d.options,
	}
	return openapi3filter.ValidateResponse(r.Context(), output.SetBodyBytes(answer.Body.Bytes()))
}
