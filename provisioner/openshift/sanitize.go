package openshift

import (
	"errors"

	"exoshift/internal/fault"
	"exoshift/internal/text"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxSanitized is how much of what others say is repeated, in characters.
const maxSanitized = 400

// sanitize returns what others say as people may see it: one line, not long, of nothing but text.
func sanitize(words string) string { return text.Sanitize(words, text.WithLimit(maxSanitized)) }

// truncateMessage shortens the API's own words in an error: they may quote a whole object.
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
