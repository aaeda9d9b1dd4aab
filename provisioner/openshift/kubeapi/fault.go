package kubeapi

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/text"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func toFaultKind(err error, code int) fault.Kind {
	switch {
	case apierrors.IsUnauthorized(err), apierrors.IsForbidden(err):
		return fault.Denied
	case apierrors.IsNotFound(err):
		return fault.NotFound
	case apierrors.IsConflict(err), apierrors.IsTooManyRequests(err), apierrors.IsTimeout(err):
		return fault.Transient
	case apierrors.IsResourceExpired(err), apierrors.IsGone(err):
		return fault.Transient // the rest of a long list: the next poll begins anew
	case code >= http.StatusInternalServerError:
		return fault.Transient
	}
	return fault.Internal
}

// DescribeConnectError returns the cause of a request to the API, by its name, that was not answered.
func DescribeConnectError(err error) network.ErrorSummary {
	if sentence := DescribeTLSError(err); sentence != "" {
		return network.ErrorSummary{Sentence: sentence, Cause: err}
	}
	found := network.DescribeError(err)
	if found.Sentence == network.Cut {
		// The load balancers accept every connection, and close it while no server behind them is healthy.
		found.Sentence += ": the load balancers have no API server that is ready"
	}
	return found
}

// DescribeTLSError returns "" for an error that is not about TLS.
func DescribeTLSError(err error) string {
	var (
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
		header    tls.RecordHeaderError
		alert     tls.AlertError
	)
	switch {
	case errors.As(err, &authority):
		return "TLS: the certificate was issued for another cluster or an earlier attempt"
	case errors.As(err, &name):
		return "TLS: the certificate is for another name"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "TLS: the certificate has expired or is not valid yet; check the clocks"
	case errors.As(err, &invalid):
		return "TLS: the certificate is not valid"
	case errors.As(err, &header):
		return "TLS: the server that answered is not an API server"
	case errors.As(err, &alert):
		return "TLS: the server refused the connection (" + alert.Error() + ")"
	}
	return ""
}

func isConflict(err error) bool { return apierrors.IsConflict(err) }

// DescribeDirectError is DescribeConnectError for a server that no load balancer stands in front of.
func DescribeDirectError(err error) network.ErrorSummary {
	if sentence := DescribeTLSError(err); sentence != "" {
		return network.ErrorSummary{Sentence: sentence, Cause: err}
	}
	return network.DescribeError(err)
}

const maxSanitized = 400

// Sanitize makes the cluster's words safe to show, in one line of at most 400 characters.
func Sanitize(words string) string { return text.Sanitize(words, text.WithLimit(maxSanitized)) }

// TruncateMessage shortens the API's message in an error: it may quote a whole object.
func TruncateMessage(err error) error {
	var failure *fault.Error
	var answer apierrors.APIStatus
	if !errors.As(err, &failure) || !errors.As(err, &answer) {
		return err
	}
	status := answer.Status()
	short := *failure
	short.Err = &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: status.Status, Code: status.Code, Reason: status.Reason, Message: Sanitize(status.Message),
	}}
	return &short
}

// RedactMessage removes the API's message from an error: it may quote what it refuses.
func RedactMessage(err error) error {
	var failure *fault.Error
	var answer apierrors.APIStatus
	if !errors.As(err, &failure) || !errors.As(err, &answer) {
		return err
	}
	status := answer.Status()
	silent := *failure
	silent.Err = &apierrors.StatusError{ErrStatus: metav1.Status{Status: status.Status, Code: status.Code, Reason: status.Reason,
		Message: "the API rejected it: " + string(status.Reason)}}
	return &silent
}

// FormatNames lists at most six names, and counts the rest.
func FormatNames(names []string) string {
	const enough = 6
	if len(names) <= enough {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:enough], ", "), len(names)-enough)
}

// JoinMessage joins a reason and its message, which may be "".
func JoinMessage(reason, message string) string {
	if message == "" {
		return reason
	}
	return reason + ": " + message
}
