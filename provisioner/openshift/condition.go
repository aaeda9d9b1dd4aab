package openshift

// condition is one of the conditions by which operators tell how they are.
type condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Changed string `json:"lastTransitionTime"` // by the server's clock, RFC 3339; "" if unknown
}

type conditions []condition

// find returns the condition of a type; the zero condition if there is none.
func (c conditions) find(kind string) condition {
	for _, candidate := range c {
		if candidate.Type == kind {
			return candidate
		}
	}
	return condition{}
}

// is tells whether the condition of a type is True.
func (c conditions) is(kind string) bool { return c.find(kind).Status == "True" }

// named is the part of an object's metadata that names it.
type named struct {
	Name string `json:"name"`
}

// operator is what all operators' own resources have in common: operator.openshift.io/v1.
type operator struct {
	Status struct {
		Conditions      conditions `json:"conditions"`
		LatestAvailable int        `json:"latestAvailableRevision"`
		NodeStatuses    []struct {
			NodeName        string `json:"nodeName"`
			CurrentRevision int    `json:"currentRevision"`
		} `json:"nodeStatuses"`
	} `json:"status"`
}

// countRunning counts the nodes on which a revision of the operator's static pod runs.
func (o operator) countRunning() int {
	count := 0
	for _, node := range o.Status.NodeStatuses {
		if node.CurrentRevision >= 1 {
			count++
		}
	}
	return count
}
