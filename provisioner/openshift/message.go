package openshift

import (
	"errors"

	"exoshift/internal/fault"
	"exoshift/internal/text"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const maxSanitized = 400

func sanitize(words string) string { return text.Sanitize(words, text.WithLimit(maxSanitized)) }

// truncateMessage shortens the API's message in an error: it may quote a whole object.
func truncateMessage(err error) error {
	var failure *fault.Error
	var answer apierrors.APIStatus
	if !errors.As(err, &failure) || !errors.As(err, &answer) {
		return err
	}
	status := answer.Status()
	short := *failure
	short.Err = &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: status.Status, Code: status.Code, Reason: status.Reason, Message: sanitize(status.Message),
	}}
	return &short
}

// redactMessage removes the API's message from an error: it may quote what it refuses.
func redactMessage(err error) error {
	var failure *fault.Error
	var answer apierrors.APIStatus
	if !errors.As(err, &failure) || !errors.As(err, &answer) {
		return err
	}
	said := answer.Status()
	silent := *failure
	silent.Err = &apierrors.StatusError{ErrStatus: metav1.Status{Status: said.Status, Code: said.Code, Reason: said.Reason,
		Message: "the API refused it: " + string(said.Reason)}}
	return &silent
}
