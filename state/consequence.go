package state

// Consequence is what answers mean beyond what they say.
type Consequence struct {
	Field string // the answer's key, or "" if it is none of one answer
	Text  string // a sentence
}

// ListConsequences returns what an operator has to know of a cluster with these answers.
func (s Spec) ListConsequences() []Consequence {
	var list []Consequence
	add := func(field, text string) { list = append(list, Consequence{Field: field, Text: text}) }
	if s.Sizing.Infra.Count == 0 {
		add("sizing.infra.count", "Without infra nodes, the routers, the image registry and the monitoring run on the workers.")
	}
	if s.Sizing.Storage.Count == 0 {
		add("sizing.storage.count", s.describeNoStorageNodes())
	}
	if s.HasOwnStorageDriver() {
		add("", "Persistent volumes come from Exoscale's block storage (storage class exoscale-sbs, the default): in whole GiB, "+
			"for one node at a time, and they grow only while no pod uses them.")
	}
	if s.HasProxy() {
		add("openshift.proxy.noProxy", "The nodes' public addresses are reached without the proxy, so the bootstrap machine starts once all nodes have theirs. "+
			"A node that is added later is not included: logs and shells of its pods go through the proxy until its address is added to proxy/cluster, "+
			"for which every node restarts, one after the other.")
	}
	if text := describeServices(s); text != "" {
		add("", text)
	}
	return list
}

// describeServices returns what Services of type LoadBalancer lack, "" if they work.
func describeServices(s Spec) string {
	switch pools := len(ListPoolRoles(s)); {
	case pools == 0:
		return "Services of type LoadBalancer get no address: Exoscale's load balancers only support instance pools, and the workers are in none. " +
			"Use routes or node ports."
	case s.OpenShift.CloudControllerManager != "External":
		return "Services of type LoadBalancer get no address without Exoscale's cloud controller: set openshift.cloudControllerManager to External."
	case pools > 1:
		return "Services of type LoadBalancer have to name one of the instance pools, by the annotation " +
			"service.beta.kubernetes.io/exoscale-loadbalancer-service-instancepool-id."
	}
	return ""
}

func (s Spec) describeNoStorageNodes() string {
	if s.HasOwnStorageDriver() {
		return "Without storage nodes there is no Ceph."
	}
	return "Without storage nodes there is no Ceph. Volumes need Exoscale's CSI driver, which Project Syn installs if its configuration has it; otherwise install it yourself."
}
