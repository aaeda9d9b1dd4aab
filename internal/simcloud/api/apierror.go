package api

import (
	"errors"
	"fmt"
	"net/http"
)

// apiError is an error response; any other error becomes a 500.
type apiError struct {
	Status  int         `json:"-"`
	Message string      `json:"message"`
	Errors  []errorItem `json:"errors,omitempty"`
}

type errorItem struct {
	Message string `json:"message"`
}

func toAPIError(err error) *apiError {
	r := &apiError{Status: http.StatusInternalServerError, Message: err.Error()}
	errors.As(err, &r)
	return r
}

// toProblem follows RFC 9457; the types of the live service look like this one.
func (r *apiError) toProblem() any {
	return struct {
		Type   string `json:"type"`
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail"`
	}{"#/http-problem-types/request-refused", http.StatusText(r.Status), r.Status, r.Message}
}

func (r *apiError) Error() string { return r.Message }

func newAPIError(status int, format string, args ...any) error {
	return &apiError{Status: status, Message: fmt.Sprintf(format, args...)}
}

func newInvalidError(format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	return &apiError{Status: http.StatusBadRequest, Message: message, Errors: []errorItem{{message}}}
}

func newNotFound(noun, id string) error {
	return newAPIError(http.StatusNotFound, "%s %s not found", noun, id)
}

// check returns the first error that is not nil.
func check(faults ...error) error {
	for _, fault := range faults {
		if fault != nil {
			return fault
		}
	}
	return nil
}

func checkLength(field, value string, least, most int) error {
	if n := len([]rune(value)); n < least || n > most {
		return newInvalidError("%s must have %d to %d characters", field, least, most)
	}
	return nil
}

// checkGiven is checkLength for an optional value.
func checkGiven(field string, value *string, least, most int) error {
	if value == nil {
		return nil
	}
	return checkLength(field, *value, least, most)
}

func checkRange(field string, value, least, most int64) error {
	if value < least || value > most {
		return newInvalidError("%s must be between %d and %d", field, least, most)
	}
	return nil
}

func checkOneOf(field, value string, allowed ...string) error {
	for _, one := range allowed {
		if value == one {
			return nil
		}
	}
	return newInvalidError("%s must be one of %v", field, allowed)
}
