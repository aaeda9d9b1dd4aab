package kube

// ChangeCount counts what happened to the objects since they were loaded, without the heartbeats of nodes and the renewals of
// leases: those say that somebody is alive, and nothing that a controller would act on.
func (o *Objects) ChangeCount() uint64 {
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
		return before.GetString("spec.holderIdentity") == after.GetString("spec.holderIdentity")
	case kind.GroupResource() != "nodes":
		return false
	}
	return isEqual(stripHeartbeat(before), stripHeartbeat(after))
}

// stripHeartbeat returns a shallow copy of a node without its version and the times of its heartbeats.
func stripHeartbeat(node Object) map[string]any {
	stripped := removeKeys(node, "metadata", "status")
	stripped["metadata"] = removeKeys(node.Map("metadata"), "resourceVersion", "managedFields")
	status := removeKeys(node.Map("status"), "conditions")
	conditions := []any{}
	for _, condition := range node.List("status.conditions") {
		conditions = append(conditions, removeKeys(condition, "lastHeartbeatTime"))
	}
	status["conditions"] = conditions
	stripped["status"] = status
	return stripped
}

// removeKeys returns a copy of a map without some keys.
func removeKeys(from map[string]any, keys ...string) map[string]any {
	kept := make(map[string]any, len(from))
	for key, value := range from {
		kept[key] = value
	}
	for _, key := range keys {
		delete(kept, key)
	}
	return kept
}
