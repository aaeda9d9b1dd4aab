package kube

// Changes counts what happened to the objects since they were loaded, without the heartbeats of nodes and the renewals of
// leases: those say that somebody is alive, and nothing that a controller would act on.
func (o *Objects) Changes() uint64 {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.changes
}

// isHeartbeat reports whether an object differs from the one before it by a lease that was renewed, or by the times at
// which the conditions of a node were last confirmed.
func isHeartbeat(kind Kind, before, after Object) bool {
	switch {
	case before == nil:
		return false
	case kind.GroupResource() == "leases.coordination.k8s.io":
		return before.Text("spec.holderIdentity") == after.Text("spec.holderIdentity")
	case kind.GroupResource() != "nodes":
		return false
	}
	return same(withoutHeartbeat(before), withoutHeartbeat(after))
}

// withoutHeartbeat returns a shallow copy of a node without its version and the times of its heartbeats.
func withoutHeartbeat(node Object) map[string]any {
	stripped := omit(node, "metadata", "status")
	stripped["metadata"] = omit(node.Map("metadata"), "resourceVersion", "managedFields")
	status := omit(node.Map("status"), "conditions")
	conditions := []any{}
	for _, condition := range node.List("status.conditions") {
		conditions = append(conditions, omit(condition, "lastHeartbeatTime"))
	}
	status["conditions"] = conditions
	stripped["status"] = status
	return stripped
}

// omit returns a copy of a map without some keys.
func omit(from map[string]any, keys ...string) map[string]any {
	kept := make(map[string]any, len(from))
	for key, value := range from {
		kept[key] = value
	}
	for _, key := range keys {
		delete(kept, key)
	}
	return kept
}
