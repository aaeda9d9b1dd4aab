package synthesis

import (
	"cmp"
	"regexp"
	"slices"

	"exoshift/internal/stable"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"
)

// maxApplications is ample: a cluster has some dozens.
const maxApplications = 500

type argoApplication struct {
	Metadata kubeapi.Named `json:"metadata"`
	Status   struct {
		Sync struct {
			Status string `json:"status"`
		} `json:"sync"`
		Health struct {
			Status  string `json:"status"`
			Message string `json:"message"`
		} `json:"health"`
		Operation struct {
			Phase   string `json:"phase"`
			Message string `json:"message"`
		} `json:"operationState"`
		Conditions kubeapi.Conditions `json:"conditions"` // without a status: each of them is a problem
		Resources  []struct {
			Kind      string `json:"kind"`
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
			Status    string `json:"status"`
			Health    struct {
				Status  string `json:"status"`
				Message string `json:"message"`
			} `json:"health"`
		} `json:"resources"`
	} `json:"status"`
}

func toApplicationStatuses(all []argoApplication) (root state.ApplicationStatus, others []state.ApplicationStatus) {
	root = state.ApplicationStatus{Name: rootName, Health: missing, Message: "Steward has not created it yet"}
	for _, application := range all {
		if application.Metadata.Name == rootName {
			root = application.toStatus()
			continue
		}
		others = append(others, application.toStatus())
	}
	stable.Sort(others, func(a, b state.ApplicationStatus) int { return cmp.Compare(a.Name, b.Name) })
	return root, others[:min(len(others), maxApplications)]
}

// toStatus returns Unknown if Argo CD has not compared the application yet.
func (a argoApplication) toStatus() state.ApplicationStatus {
	status := state.ApplicationStatus{
		Name: kubeapi.Sanitize(a.Metadata.Name), Sync: kubeapi.Sanitize(cmp.Or(a.Status.Sync.Status, unknown)), Health: kubeapi.Sanitize(cmp.Or(a.Status.Health.Status, unknown)),
	}
	if !status.IsHealthy() {
		status.Message = kubeapi.Sanitize(errorPrefixes.ReplaceAllString(a.describeProblem(), ""))
	}
	return status
}

// errorPrefixes are what the parts of Argo CD wrap a reason in: they would use up most of a short message.
var errorPrefixes = regexp.MustCompile(`Failed to load target state: |[Ff]ailed to generate manifest for source \d+ of \d+: |rpc error: code = \w+ desc = ` +
	`|plugin sidecar failed\. |error generating manifests in cmp: |error generating manifests: ` + "`[^`]*`" + ` failed exit status \d+: `)

// describeProblem prefers failures to what is only not done yet.
func (a argoApplication) describeProblem() string {
	operation := a.Status.Operation
	if slices.Contains([]string{"Failed", "Error"}, operation.Phase) && operation.Message != "" {
		return operation.Message
	}
	for _, kind := range []string{"ComparisonError", "SyncError", "InvalidSpecError", "UnknownError"} {
		if message := a.Status.Conditions.Find(kind).Message; message != "" {
			return message
		}
	}
	waiting := ""
	if operation.Phase == "Running" {
		waiting = operation.Message
	}
	return cmp.Or(a.Status.Health.Message, a.findUnhealthyResource(), waiting)
}

func (a argoApplication) findUnhealthyResource() string {
	for _, health := range []string{degraded, missing, progressing} {
		for _, object := range a.Status.Resources {
			if object.Health.Status == health {
				return kubeapi.JoinMessage(object.Kind+" "+object.Namespace+"/"+object.Name+" is "+health, object.Health.Message)
			}
		}
	}
	return ""
}
