package api

import (
	"errors"
	"fmt"
	"net/http"
)

// apiError is an error that the API answers with; any other error is answered with 500.
type apiError struct {
	Status  int         `json:"-"`
	Message string      `json:"message"`
	Errors  []errorItem `json:"errors,omitempty"`
}

type errorItem struct {
	Message string `json:"message"`
}

// toAPIError returns what an error is answered with.
func toAPIError(err error) *apiError {
	r := &apiError{Status: http.StatusInternalServerError, Message: err.Error()}
	errors.As(err, &r)
	return r
}

// toProblem is a refusal as RFC 9457 says it; the types of the live service look like this one.
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

// newInvalidError refuses a value; validation errors carry a list beside the message.
func newInvalidError(format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	return &apiError{Status: http.StatusBadRequest, Message: message, Errors: []errorItem{{message}}}
}

func newNotFound(noun, id string) error {
	return newAPIError(http.StatusNotFound, "%s %s not found", noun, id)
}

// check refuses the first fault; faults that did not happen are nil.
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

// checkGiven is checkLength for a value that may be left out.
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
