package kube

// isHeartbeat reports whether two versions of an object differ only in the renewal of a lease, or in the heartbeat times of a
// node's conditions.
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
