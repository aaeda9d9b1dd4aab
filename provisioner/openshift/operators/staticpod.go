package operators

import "exoshift/provisioner/openshift/kubeapi"

// StaticPodOperator is an object of operator.openshift.io/v1 whose operator runs static pods on the masters.
type StaticPodOperator struct {
	Status struct {
		Conditions      kubeapi.Conditions `json:"conditions"`
		LatestAvailable int                `json:"latestAvailableRevision"`
		NodeStatuses    []struct {
			NodeName        string `json:"nodeName"`
			CurrentRevision int    `json:"currentRevision"`
		} `json:"nodeStatuses"`
	} `json:"status"`
}

// CountRunning returns on how many masters the component runs.
func (o StaticPodOperator) CountRunning() int {
	count := 0
	for _, node := range o.Status.NodeStatuses {
		if node.CurrentRevision >= 1 {
			count++
		}
	}
	return count
}
