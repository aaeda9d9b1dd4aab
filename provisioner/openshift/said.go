package openshift

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"exoshift/internal/fault"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxSaid is how much of what others say is repeated, in bytes.
const maxSaid = 400

// said returns what others say as people may see it: one line, not long, of nothing but text.
func said(text string) string {
	fields := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	text = strings.Join(fields, " ")
	if len(text) <= maxSaid {
		return text
	}
	cut := maxSaid
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// curt shortens the API's own words in an error: they may quote a whole object.
func curt(err error) error {
	var failure *fault.Error
	var answer apierrors.APIStatus
	if !errors.As(err, &failure) || !errors.As(err, &answer) {
		return err
	}
	status := answer.Status()
	short := *failure
	short.Err = &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: status.Status, Code: status.Code, Reason: status.Reason, Message: said(status.Message),
	}}
	return &short
}
