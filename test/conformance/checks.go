package conformance

import "fmt"

// Places where the conversation takes place.
const (
	space      = "/api/v1/namespaces/conformance/"
	configMaps = space + "configmaps"
	nodes      = "/api/v1/nodes"
	gauges     = "/apis/conformance.example.net/v1/gauges" // a kind that was added, with the subresource status
)

// Checks is the whole conversation, in the order in which it has to be held.
func Checks() []Check {
	return []Check{
		{"prepare", prepare()}, {"ready", ready()}, {"denied", denied()}, {"missing", missing()},
		{"create", creations()}, {"malformed", malformed()}, {"update", updates()}, {"merge patch", mergePatches()},
		{"patch conflict", patchConflicts()}, {"other patches", otherPatches()},
		{"status", statuses()}, {"owners", owners()}, {"generation", generations()}, {"pages", pages()}, {"selectors", selectors()},
		{"node", nodeChanges()}, {"secret", secrets()}, {"request", requests()}, {"approval", approvals()},
		{"delete", deletions()}, {"watch", watches()},
		{"validation", validations()}, {"ending", endings()}, {"table", tables()},
	}
}

// prepare makes what the other checks need.
func prepare() []Step {
	const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
"metadata":{"name":"gauges.conformance.example.net"},"spec":{"group":"conformance.example.net","scope":"Cluster",
"names":{"plural":"gauges","singular":"gauge","kind":"Gauge","listKind":"GaugeList"},
"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`
	return []Step{
		create("/api/v1/namespaces", named("v1", "Namespace", "conformance", "")).show("metadata.name", "status.phase"),
		get(gauges),
		create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition).show("metadata.name"),
		get(gauges).await(200).show("apiVersion", "items"),
	}
}

// named is an object of that name, with more fields: `"data":{}`.
func named(version, kind, name, fields string) string {
	if fields != "" {
		fields = "," + fields
	}
	return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":%q}%s}`, version, kind, name, fields)
}

func configMap(name, fields string) string { return named("v1", "ConfigMap", name, fields) }

func gauge(name, fields string) string {
	return named("conformance.example.net/v1", "Gauge", name, fields)
}

// versioned is an object of that name as it was at a version.
func versioned(version, kind, name, resourceVersion, fields string) string {
	return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":%q,"resourceVersion":%q},%s}`,
		version, kind, name, resourceVersion, fields)
}

func ready() []Step {
	return []Step{
		get("/readyz").as(Nobody), get("/livez").as(Nobody), get("/readyz").as(Viewer), get("/readyz").as(Stranger),
		get("/version").as(Nobody).show("major"),
	}
}

// denied is who asks for what is not theirs. A certificate that is not known is refused for every path.
func denied() []Step {
	return []Step{
		get(nodes).as(Nobody), get(nodes).as(Stranger), get("/api/v1/secrets").as(Viewer),
		get(nodes).as(Viewer).show("apiVersion"),
		get(configMaps + "/a").as(Viewer), get(space + "secrets").as(Viewer), get(gauges).as(Viewer),
		create(configMaps, configMap("a", "")).as(Viewer), merge(nodes+"/node-0", `{"metadata":{"labels":{"a":"b"}}}`).as(Viewer),
		merge(nodes+"/node-0/status", `{}`).as(Viewer), remove(nodes + "/node-0").as(Viewer),
		get("/apis/nothing.example.net/v1/things").as(Viewer), get("/somewhere").as(Viewer), get("/somewhere").as(Nobody),
	}
}

// missing is what is not there: objects, kinds, groups, namespaces.
func missing() []Step {
	return []Step{
		get(nodes + "/nobody"), get(configMaps + "/nothing"), get(gauges + "/nothing"),
		get("/apis/conformance.example.net/v1/others"), get("/apis/conformance.example.net/v2/gauges"),
		get("/apis/nothing.example.net/v1/things"), get("/api/v1/things"), get("/somewhere"),
		get("/api/v1/namespaces/nowhere/configmaps").show("items"), get("/api/v1/namespaces/nowhere/configmaps/a"),
		create("/api/v1/namespaces/nowhere/configmaps", configMap("a", "")),
		replace(configMaps+"/nothing", configMap("nothing", "")), merge(configMaps+"/nothing", `{"data":{}}`), remove(configMaps + "/nothing"),
		replace(gauges+"/nothing", versioned("conformance.example.net/v1", "Gauge", "nothing", "1", `"spec":{}`)),
		merge(gauges+"/nothing", `{"spec":{}}`), remove(gauges + "/nothing"),
		merge(nodes+"/nobody", `{"metadata":{"labels":{"a":"b"}}}`), merge(gauges+"/nothing/status", `{"status":{}}`),
		create(configMaps+"/nothing", configMap("nothing", "")).vague("who may not create by a name is told in other words"),
		remove(space + "nothing"),
	}
}

func creations() []Step {
	return []Step{
		create(configMaps, configMap("made", `"data":{"a":"b"}`)).keep("version", "metadata.resourceVersion").keep("uid", "metadata.uid").
			show("apiVersion", "metadata.name", "metadata.namespace", "metadata.uid", "metadata.creationTimestamp", "metadata.resourceVersion", "data"),
		get(configMaps+"/made").show("metadata.uid", "metadata.resourceVersion", "data"),
		create(configMaps, configMap("made", `"data":{"a":"c"}`)),
		get(configMaps+"/made").show("metadata.resourceVersion", "data"),
		create(gauges, gauge("made", `"spec":{"a":1}`)).show("apiVersion", "metadata.name", "metadata.namespace", "spec"),
		create(gauges, gauge("made", "")),
		create(configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"some-"}}`).keep("some", "metadata.name").
			show("metadata.name", "metadata.generateName"),
		get(configMaps + "/${some}").show("metadata.name"),
		create(configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"claims","uid":"mine","creationTimestamp":"2001-01-01T00:00:00Z"}}`).
			show("metadata.uid", "metadata.creationTimestamp"),
	}
}

// malformed is what no server takes.
func malformed() []Step {
	const wording = "it tells what its decoder makes of it"
	return []Step{
		create(configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{}}`),
		create(configMaps, configMap("Upper", "")).vague("it cites the rule for names"),
		create(gauges, gauge("Upper", "")).vague("it cites the rule for names"),
		create(configMaps, `{`).vague(wording),
		create(configMaps, ``).vague(wording),
		create(configMaps, `[]`).vague(wording),
		create(configMaps, named("v1", "Secret", "other", "")).vague(wording),
		create(configMaps, named("v2", "ConfigMap", "other", "")).vague(wording),
		create(gauges, named("v1", "ConfigMap", "other", "")).vague(wording),
		create(configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"other","namespace":"default"}}`),
		create(configMaps, versioned("v1", "ConfigMap", "other", "1", `"data":{}`)),
		create(configMaps, configMap("other", "")).of("text/plain").vague("it lists the types that it knows"),
		create(configMaps, configMap("other", `"data":{"a":1}`)).vague(wording),
	}
}
