package openshift

type condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Changed string `json:"lastTransitionTime"` // by the server's clock, RFC 3339; "" if unknown
}

type conditions []condition

func (c conditions) find(kind string) condition {
	for _, candidate := range c {
		if candidate.Type == kind {
			return candidate
		}
	}
	return condition{}
}

func (c conditions) is(kind string) bool { return c.find(kind).Status == "True" }

type named struct {
	Name string `json:"name"`
}

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

func (o operator) countRunning() int {
	count := 0
	for _, node := range o.Status.NodeStatuses {
		if node.CurrentRevision >= 1 {
			count++
		}
	}
	return count
}
