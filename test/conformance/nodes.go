package conformance

// nodeChanges is how a node is labelled and tainted while its kubelet writes its status. A real API server taints a new
// node as not ready, and its controllers take that away again; a simulated one leaves that to the nodes' controller.
func nodeChanges() []Step {
	const version = "metadata.resourceVersion"
	return []Step{
		create(nodes, named("v1", "Node", "node-0", `"spec":{"taints":[{"key":"a","effect":"NoSchedule"}]},
"status":{"conditions":[{"type":"Ready","status":"False","reason":"New"}]}`)).keep("first", version).show("status.conditions[].reason"),
		merge(nodes+"/node-0", `{"metadata":{"labels":{"node-role.kubernetes.io/infra":""}}}`).keep("second", version).show("metadata.labels"),
		merge(nodes+"/node-0/status", `{"status":{"conditions":[{"type":"Ready","status":"True","reason":"Kubelet"}]}}`).keep("third", version).
			show("status.conditions[].reason", "metadata.labels"),
		merge(nodes+"/node-0", `{"metadata":{"resourceVersion":"${second}"},"spec":{"taints":[{"key":"b","effect":"NoSchedule"}]}}`),
		merge(nodes+"/node-0", `{"metadata":{"resourceVersion":"${third}"},"spec":{"taints":[{"key":"b","value":"c","effect":"NoSchedule"}]}}`).show("spec.taints"),
		merge(nodes+"/node-0", `{"status":{"conditions":[]}}`).show("status.conditions[].reason"),
		merge(nodes+"/node-0/status", `{"status":{"conditions":[{"type":"Ready","status":"False","reason":"Strategic"}]}}`).of(strategicType).
			show("status.conditions[].reason"),
		get(nodes + "?labelSelector=node-role.kubernetes.io/infra").show("items[].metadata.name"),
		merge(nodes+"/node-0", `{"metadata":{"labels":{"node-role.kubernetes.io/infra":null}}}`).show("metadata.labels"),
		create(nodes, named("v1", "Node", "node-0", "")),
		merge(nodes+"/node-0", `{"metadata":{"labels":{"not a label":"x"}}}`).vague("it cites the rule for labels"),
		merge(nodes+"/node-0", `{"spec":{"taints":[{"key":"b","effect":"Never"}]}}`).vague("it cites the table of effects"),
	}
}

// secrets is how the registry is given the key of its bucket.
func secrets() []Step {
	const secrets, version = space + "secrets", "metadata.resourceVersion"
	return []Step{
		create(secrets, named("v1", "Secret", "keys", `"stringData":{"a":"plain"}`)).keep("first", version).show("type", "data", "stringData"),
		merge(secrets+"/keys", `{"stringData":{"b":"more"}}`).show("data", "stringData"),
		merge(secrets+"/keys", `{"data":{"a":"bmV3"}}`).show("data"),
		merge(secrets+"/keys", `{"data":{"a":"not base64"}}`).vague("it tells what its decoder makes of it"),
		replace(secrets+"/keys", versioned("v1", "Secret", "keys", "${first}", `"data":{}`)),
		create(secrets, named("v1", "Secret", "keys", "")),
		merge(secrets+"/keys", `{"type":"other"}`).vague("it cites the rule"),
	}
}
