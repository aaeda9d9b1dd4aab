package kubeapi

import (
	"errors"
	"strings"
	"testing"

	"exoshift/internal/fault"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestRedactMessage_HidesSecretErrors(t *testing.T) {
	statusError := &apierrors.StatusError{ErrStatus: metav1.Status{Status: "Failure", Code: 409, Reason: metav1.StatusReasonConflict, Message: `Invalid value: "very-secret"`}}
	err := RedactMessage(fault.New(fault.Transient, "change the secret", statusError))
	if strings.Contains(err.Error(), "very-secret") || !fault.Is(err, fault.Transient) || !isConflict(err) {
		t.Errorf("got %v", err)
	}
	if plain := errors.New("connection refused"); !errors.Is(RedactMessage(plain), plain) || RedactMessage(nil) != nil {
		t.Error("other errors change")
	}
}
