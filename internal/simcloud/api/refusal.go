package api

import (
	"errors"
	"fmt"
	"net/http"
)

// refusal is an error that the API answers with; any other error is answered with 500.
type refusal struct {
	Status  int         `json:"-"`
	Message string      `json:"message"`
	Errors  []errorItem `json:"errors,omitempty"`
}

type errorItem struct {
	Message string `json:"message"`
}

// refusalOf returns what an error is answered with.
func refusalOf(err error) *refusal {
	r := &refusal{Status: http.StatusInternalServerError, Message: err.Error()}
	errors.As(err, &r)
	return r
}

// problem is a refusal as RFC 9457 says it; the types of the live service look like this one.
func (r *refusal) problem() any {
	return struct {
		Type   string `json:"type"`
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail"`
	}{"#/http-problem-types/request-refused", http.StatusText(r.Status), r.Status, r.Message}
}

func (r *refusal) Error() string { return r.Message }

func refuse(status int, format string, args ...any) error {
	return &refusal{Status: status, Message: fmt.Sprintf(format, args...)}
}

// invalid refuses a value; validation errors carry a list beside the message.
func invalid(format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	return &refusal{Status: http.StatusBadRequest, Message: message, Errors: []errorItem{{message}}}
}

func notFound(noun, id string) error {
	return refuse(http.StatusNotFound, "%s %s not found", noun, id)
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
		return invalid("%s must have %d to %d characters", field, least, most)
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
		return invalid("%s must be between %d and %d", field, least, most)
	}
	return nil
}

func checkOneOf(field, value string, allowed ...string) error {
	for _, one := range allowed {
		if value == one {
			return nil
		}
	}
	return invalid("%s must be one of %v", field, allowed)
}
