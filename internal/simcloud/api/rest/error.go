package rest

import (
	"errors"
	"fmt"
	"net/http"
)

// Error is an error response.
type Error struct {
	Status  int         `json:"-"`
	Message string      `json:"message"`
	Errors  []ErrorItem `json:"errors,omitempty"`
}

// ErrorItem is one invalid value.
type ErrorItem struct {
	Message string `json:"message"`
}

// ToError returns the response of an error: 500 unless it is an *Error.
func ToError(err error) *Error {
	r := &Error{Status: http.StatusInternalServerError, Message: err.Error()}
	errors.As(err, &r)
	return r
}

// Problem follows RFC 9457; the types of the live service look like this one.
func (e *Error) Problem() any {
	return struct {
		Type   string `json:"type"`
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail"`
	}{"#/http-problem-types/request-refused", http.StatusText(e.Status), e.Status, e.Message}
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Errorf returns an error response without a list of invalid values.
func Errorf(status int, format string, args ...any) error {
	return &Error{Status: status, Message: fmt.Sprintf(format, args...)}
}

// Invalidf returns the response to an invalid value.
func Invalidf(format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	return &Error{Status: http.StatusBadRequest, Message: message, Errors: []ErrorItem{{message}}}
}

// NotFound returns the response to the ID of a resource that does not exist.
func NotFound(noun, id string) error {
	return Errorf(http.StatusNotFound, "%s %s not found", noun, id)
}
