package openshift

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const maxConflicts = 5

// describeConflicts returns "" if the apply failed for another reason. The API names fields and managers, but no values.
func describeConflicts(err error) string {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) || answer.Status().Details == nil {
		return ""
	}
	var named []string
	for _, cause := range answer.Status().Details.Causes {
		if cause.Type == metav1.CauseTypeFieldManagerConflict {
			named = append(named, fmt.Sprintf("%s of %s", sanitize(cause.Field), sanitize(parseManager(cause.Message))))
		}
	}
	if more := len(named) - maxConflicts; more > 0 {
		named = append(named[:maxConflicts], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(named, ", ")
}

// parseManager parses the API's message: conflict with "kubectl" using apps/v1.
func parseManager(message string) string {
	if parts := strings.SplitN(message, `"`, 3); len(parts) == 3 {
		return parts[1]
	}
	return "somebody else"
}
