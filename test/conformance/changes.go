package conformance

import "net/http"

func updates() []Step {
	const data = "metadata.resourceVersion"
	return []Step{
		create(configMaps, configMap("updated", `"data":{"a":"1"}`)).keep("first", data).keep("uid", "metadata.uid").show(data),
		replace(configMaps+"/updated", versioned("v1", "ConfigMap", "updated", "${first}", `"data":{"a":"2"}`)).keep("second", data).
			show(data, "metadata.uid", "data"),
		replace(configMaps+"/updated", versioned("v1", "ConfigMap", "updated", "${first}", `"data":{"a":"3"}`)),
		replace(configMaps+"/updated", versioned("v1", "ConfigMap", "updated", "${second}", `"data":{"a":"2"}`)).show(data, "data"),
		replace(configMaps+"/updated", configMap("updated", `"data":{"a":"4"}`)).keep("third", data).show(data, "data"),
		replace(configMaps+"/updated", versioned("v1", "ConfigMap", "updated", "nonsense", `"data":{}`)).vague("it tells how it reads numbers"),
		replace(configMaps+"/updated", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"updated","uid":"another"},"data":{}}`).
			vague("it tells both IDs"),
		replace(configMaps+"/updated", configMap("other", `"data":{}`)),
		create(gauges, gauge("updated", `"spec":{"a":1}`)).keep("g", data).show(data),
		replace(gauges+"/updated", gauge("updated", `"spec":{"a":2}`)),
		replace(gauges+"/updated", versioned("conformance.example.net/v1", "Gauge", "updated", "${g}", `"spec":{"a":2}`)).show("spec"),
		replace(gauges+"/updated", versioned("conformance.example.net/v1", "Gauge", "updated", "${g}", `"spec":{"a":3}`)),
	}
}

func mergePatches() []Step {
	const version = "metadata.resourceVersion"
	return []Step{
		create(configMaps, configMap("merged", `"data":{"a":"1","b":"2"}`)).keep("first", version).show(version),
		merge(configMaps+"/merged?fieldManager=exoshift", `{"data":{"a":"3","c":"4"}}`).keep("second", version).show(version, "data"),
		merge(configMaps+"/merged", `{"data":{"a":"3"}}`).show(version, "data"),
		merge(configMaps+"/merged", `{"data":{"b":null}}`).keep("third", version).show(version, "data"),
		merge(configMaps+"/merged", `{"metadata":{"labels":{"x":"y"},"annotations":{"n":"m"}}}`).show("metadata.labels", "metadata.annotations", "data"),
		merge(configMaps+"/merged", `{"metadata":{"labels":null}}`).show("metadata.labels", "metadata.annotations"),
		create(gauges, gauge("merged", `"spec":{"list":[1,2],"deep":{"a":{"b":1}}}`)).show("spec"),
		merge(gauges+"/merged", `{"spec":{"list":[3],"deep":{"a":{"c":2}}}}`).show("spec"),
		merge(gauges+"/merged", `{"spec":null}`).show("spec"),
		merge(configMaps+"/merged", `{"metadata":{"name":"renamed"}}`).vague("it tells both names"),
		merge(configMaps+"/merged", `{"data":`).vague("it tells what its decoder makes of it"),
		merge(configMaps+"/merged", `{"data":{"a":1}}`).vague("it tells what its decoder makes of it"),
		merge(configMaps+"/merged", `{}`).of("text/plain").vague("it lists the types that it knows"),
	}
}

// patchConflicts: a patch that names a version holds only for that version, and one that names none for any.
func patchConflicts() []Step {
	const version = "metadata.resourceVersion"
	return []Step{
		create(configMaps, configMap("rivals", `"data":{"a":"1"}`)).keep("first", version).show(version),
		merge(configMaps+"/rivals", `{"data":{"a":"2"}}`).keep("second", version).show("data"),
		merge(configMaps+"/rivals", `{"metadata":{"resourceVersion":"${first}"},"data":{"a":"3"}}`),
		merge(configMaps+"/rivals", `{"metadata":{"resourceVersion":"${second}"},"data":{"a":"4"}}`).keep("third", version).show("data"),
		merge(configMaps+"/rivals", `{"metadata":{"resourceVersion":"${second}"},"data":{"a":"4"}}`),
		merge(configMaps+"/rivals", `{"metadata":{"resourceVersion":null},"data":{"a":"5"}}`).show("data"),
		create(gauges, gauge("rivals", `"spec":{"a":1}`)).keep("g", version).show(version),
		merge(gauges+"/rivals", `{"spec":{"a":2}}`).show("spec"),
		merge(gauges+"/rivals", `{"metadata":{"resourceVersion":"${g}"},"spec":{"a":3}}`),
		merge(gauges+"/rivals/status", `{"metadata":{"resourceVersion":"${g}"},"status":{"a":3}}`),
	}
}

func otherPatches() []Step {
	return []Step{
		create(configMaps, configMap("patched", `"data":{"a":"1"}`)).show("data"),
		merge(configMaps+"/patched", `[{"op":"replace","path":"/data/a","value":"2"},{"op":"add","path":"/data/b","value":"3"}]`).of(jsonPatchType).show("data"),
		merge(configMaps+"/patched", `[{"op":"test","path":"/data/a","value":"9"}]`).of(jsonPatchType).vague("it names its library's error"),
		merge(configMaps+"/patched", `[{"op":"remove","path":"/data/nothing"}]`).of(jsonPatchType).vague("it names its library's error"),
		merge(configMaps+"/patched", `{"data":{"c":"4"}}`).of(strategicType).show("data"),
		create(gauges, gauge("patched", `"spec":{"a":1}`)).show("spec"),
		merge(gauges+"/patched", `{"spec":{"a":2}}`).of(strategicType).vague("it lists the types that it knows"),
	}
}

// statuses: where a kind has the subresource, the status is written by that alone, and nothing else by it.
func statuses() []Step {
	const version = "conformance.example.net/v1"
	return []Step{
		create(gauges, gauge("told", `"spec":{"a":1},"status":{"b":1}`)).keep("first", "metadata.resourceVersion").show("spec", "status"),
		replace(gauges+"/told/status", versioned(version, "Gauge", "told", "${first}", `"spec":{"a":2},"status":{"b":2}`)).show("spec", "status"),
		merge(gauges+"/told/status", `{"spec":{"a":3},"metadata":{"labels":{"x":"y"}},"status":{"c":3}}`).show("spec", "status", "metadata.labels"),
		merge(gauges+"/told", `{"spec":{"a":4},"status":{"b":9}}`).show("spec", "status"),
		get(gauges+"/told/status").show("spec", "status"),
		get(configMaps + "/nothing/status").vague("it tells that as it tells any path that is not there"),
	}
}

func generations() []Step {
	const version, generation = "metadata.resourceVersion", "metadata.generation"
	return []Step{
		create(gauges, gauge("counted", `"spec":{"a":1}`)).keep("first", version).show(generation),
		merge(gauges+"/counted", `{"spec":{"a":2}}`).show(generation),
		merge(gauges+"/counted/status", `{"status":{"a":2}}`).show(generation),
		merge(gauges+"/counted", `{"metadata":{"labels":{"a":"b"}}}`).show(generation),
		create(configMaps, configMap("counted", "")).show(generation),
	}
}

func deletions() []Step {
	return []Step{
		create(configMaps, configMap("gone", "")).keep("uid", "metadata.uid").keep("version", "metadata.resourceVersion").show("metadata.uid"),
		remove(configMaps+"/gone").show("status", "details.name", "details.kind", "details.group", "details.uid"),
		get(configMaps + "/gone"), remove(configMaps + "/gone"),
		create(configMaps, configMap("gone", "")).show("metadata.uid"),
		withBody(remove(configMaps+"/gone"), `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"${uid}"}}`).vague("it tells both IDs"),
		withBody(remove(configMaps+"/gone"), `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"resourceVersion":"${version}"}}`).vague("it tells both versions"),
		get(configMaps + "/gone").show("metadata.name"),
		create(gauges, gauge("gone", "")).keep("g", "metadata.uid").show("metadata.name"),
		remove(gauges+"/gone").show("status", "details.name", "details.kind", "details.group"),
		remove(nodes + "/node-1"), remove(nodes+"/node-0").show("status", "details.name", "details.kind"),
	}
}

func withBody(step Step, body string) Step {
	step.Body, step.Type = body, objectType
	return step
}

// watches are asked for a second; the first thing that they tell is looked at.
func watches() []Step {
	const seen = "?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dwatched"
	return []Step{
		create(configMaps, configMap("watched", "")).keep("first", "metadata.resourceVersion").show("metadata.name"),
		merge(configMaps+"/watched", `{"data":{"a":"1"}}`).keep("second", "metadata.resourceVersion").show("data"),
		get(configMaps+seen+"&resourceVersion=${first}").show("type", "object.kind", "object.data"),
		get(configMaps+seen+"&resourceVersion=0").show("type", "object.kind", "object.data"),
		get(configMaps+seen+"&resourceVersion=1").show("type", "object.kind", "object.reason", "object.code"),
		get(configMaps + seen + "&resourceVersion=nonsense").vague("it tells how it reads numbers"),
	}
}

// owners: the server notes who wrote a field last, by the name that a client gives itself.
func owners() []Step {
	const entries = "metadata.managedFields[]."
	report := func(step Step, fields string) Step {
		return step.show(entries+"manager", entries+"operation", entries+"fieldsV1."+fields+".f:a", entries+"fieldsV1."+fields+".f:b")
	}
	return []Step{
		report(create(configMaps+"?fieldManager=first", configMap("owned", `"data":{"a":"1","b":"1"}`)), "f:data"),
		report(merge(configMaps+"/owned?fieldManager=second", `{"data":{"a":"2"}}`), "f:data"),
		report(merge(configMaps+"/owned?fieldManager=first", `{"data":{"a":"2"}}`), "f:data"),
		report(replace(configMaps+"/owned", configMap("owned", `"data":{"a":"2","b":"3"}`)), "f:data"),
		report(merge(configMaps+"/owned?fieldManager=second", `{"data":{"b":null}}`), "f:data"),
		report(create(gauges+"?fieldManager=first", gauge("owned", `"spec":{"a":1,"b":{"c":1}}`)), "f:spec"),
		report(merge(gauges+"/owned?fieldManager=second", `{"spec":{"b":{"c":2}}}`), "f:spec"),
		report(merge(gauges+"/owned?fieldManager=first", `{"spec":{"a":3,"b":{"c":2}}}`), "f:spec"),
		merge(gauges+"/owned?fieldManager=second", `{"metadata":{"annotations":{"a":"b"}}}`).
			show(entries+"manager", entries+"fieldsV1.f:metadata.f:annotations.f:a"),
	}
}

// validations: what a server makes of fields that a kind does not have or that are wrong, of dry runs, and of media types.
func validations() []Step {
	const typo = `"dat":{"a":"b"},"data":{"a":"b"}`
	services, pods := space+"services", space+"pods"
	return []Step{
		create(configMaps+"?fieldValidation=Strict", configMap("typed-strict", typo)).show("data"),
		create(configMaps+"?fieldValidation=Warn", configMap("typed-warn", typo)).show("data", "dat"),
		create(configMaps, configMap("typed-default", typo)).show("data", "dat"),
		create(configMaps+"?fieldValidation=Ignore", configMap("typed-ignore", typo)).show("data", "dat"),
		create(configMaps+"?fieldValidation=Sometimes", configMap("typed-sometimes", typo)),
		merge(configMaps+"/typed-warn?fieldValidation=Strict", `{"dat":{"a":"b"}}`).vague("it shows the patched object"),
		merge(configMaps+"/typed-warn?fieldValidation=Warn", `{"dat":{"a":"b"}}`).show("data", "dat"),
		create(configMaps, configMap("typed-number", `"data":{"a":1}`)),
		create(configMaps, `{"metadata":{"name":"typed-without-kind"},"data":{"a":"b"}}`).show("apiVersion", "kind", "data"),
		create(services, named("v1", "Service", "no-ports", `"spec":{"type":"LoadBalancer"}`)),
		create(pods, named("v1", "Pod", "no-containers", `"spec":{"restartPolicy":"Always"}`)),
		create(space+"persistentvolumeclaims", named("v1", "PersistentVolumeClaim", "no-mode", `"spec":{}`)),
		create("/apis/apps/v1/namespaces/conformance/deployments",
			named("apps/v1", "Deployment", "no-selector", `"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}`)).vague("it compares the labels, too"),
		create(configMaps+"?dryRun=All", configMap("dry", `"data":{"a":"b"}`)).show("data"),
		get(configMaps + "/dry"),
		create(configMaps+"?dryRun=Some", configMap("dry", "")).vague("releases write lists differently"),
		merge(configMaps+"/typed-warn?dryRun=All", `{"data":{"a":"dry"}}`).show("data"),
		remove(configMaps+"/typed-warn?dryRun=All").show("status", "details.name"),
		get(configMaps + "/typed-warn").show("data"),
		create(configMaps, `{}`).of(protobufType).vague("it tells what its decoder makes of it"),
		get(gauges).accepting(protobufType), get(configMaps).accepting("text/html").vague("releases word it differently"),
		get(nodes + "/nobody").accepting(protobufType + ", application/json").vague("it is in protobuf"),
		create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", dialDefinition).show("metadata.name"),
		get(dials).await(http.StatusOK).show("apiVersion"),
		create(dials, dial("bare", "")), create(dials, dial("empty", `"spec":{}`)),
		create(dials, dial("texts", `"spec":{"level":"3"}`)), create(dials, dial("fraction", `"spec":{"level":1.5}`)),
		create(dials, dial("low", `"spec":{"level":0}`)), create(dials, dial("unit", `"spec":{"level":1,"unit":"mmHg"}`)),
		create(dials, dial("long", `"spec":{"level":1,"list":[{},{}]}`)).vague("releases differ in a plural"),
		create(dials, dial("tags", `"spec":{"level":1,"tags":{"a":1}}`)),
		create(dials+"?fieldValidation=Strict", dial("strict", `"spec":{"level":1,"list":[{"c":"d"}]}`)).vague("it names its decoder"),
		create(dials, dial("good", `"spec":{"level":1,"port":"http","free":{"x":1},"list":[{"c":"d"}]}`)).show("spec"),
		merge(dials+"/good", `{"spec":{"unit":"mmHg"}}`), merge(dials+"/good", `{"spec":{"tags":{"a":"b"},"more":1}}`).show("spec"),
	}
}

// dials are of a kind that was added with a schema.
const (
	dials          = "/apis/conformance.example.net/v1/dials"
	dialDefinition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
"metadata":{"name":"dials.conformance.example.net"},"spec":{"group":"conformance.example.net","scope":"Cluster",
"names":{"plural":"dials","singular":"dial","kind":"Dial","listKind":"DialList"},
"versions":[{"name":"v1","served":true,"storage":true,
"schema":{"openAPIV3Schema":{"type":"object","required":["spec"],"properties":{"spec":{"type":"object","required":["level"],"properties":{
"level":{"type":"integer","minimum":1,"maximum":9},"unit":{"type":"string","enum":["bar","psi"],"default":"bar"},
"port":{"x-kubernetes-int-or-string":true},"free":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
"tags":{"type":"object","additionalProperties":{"type":"string"}},
"list":{"type":"array","maxItems":1,"items":{"type":"object","properties":{"a":{"type":"string"}}}}}}}}}}]}}`
)

func dial(name, fields string) string {
	return named("conformance.example.net/v1", "Dial", name, fields)
}

// endings: an object with a finalizer stays until that is gone, and a namespace until its contents are.
func endings() []Step {
	const ending, phase = "/api/v1/namespaces/ending", "status.phase"
	held := func(name string) string {
		return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"` + name + `","finalizers":["conformance.example.net/hold"]}}`
	}
	release := func(path string) Step { return merge(path, `{"metadata":{"finalizers":null}}`).show("metadata.name") }
	return []Step{
		create("/api/v1/namespaces", named("v1", "Namespace", "ending", "")).show("spec", phase),
		create(ending+"/configmaps", held("alone")).show("metadata.finalizers"),
		remove(ending+"/configmaps/alone").show("metadata.name", "metadata.finalizers", "metadata.deletionGracePeriodSeconds"),
		get(ending + "/configmaps/alone").show("metadata.name"),
		release(ending + "/configmaps/alone"),
		get(ending + "/configmaps/alone"),
		create(ending+"/configmaps", held("held")).show("metadata.name"),
		create(ending+"/configmaps", configMap("free", "")).show("metadata.name"),
		remove(ending).show("metadata.name", phase),
		get(ending + "/configmaps/free").await(http.StatusNotFound),
		get(ending).show(phase),
		create(ending+"/configmaps", configMap("new", "")),
		release(ending + "/configmaps/held"),
		get(ending).await(http.StatusNotFound),
	}
}

// tables are the columns of kinds that have no objects here, and that do not change between versions.
func tables() []Step {
	const asTable = "application/json;as=Table;v=v1;g=meta.k8s.io"
	var steps []Step
	for _, path := range []string{
		"/api/v1/namespaces", nodes, space + "pods", configMaps, space + "secrets", space + "services", space + "events", space + "persistentvolumeclaims",
		"/api/v1/persistentvolumes", "/apis/apps/v1/deployments", "/apis/apps/v1/daemonsets", "/apis/apps/v1/statefulsets", "/apis/batch/v1/jobs",
		"/apis/certificates.k8s.io/v1/certificatesigningrequests", "/apis/coordination.k8s.io/v1/leases", "/apis/storage.k8s.io/v1/storageclasses",
		"/apis/policy/v1/poddisruptionbudgets", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", gauges,
	} {
		steps = append(steps, get(path+"?limit=1").accepting(asTable).show("columnDefinitions[].name", "columnDefinitions[].type", "columnDefinitions[].priority"))
	}
	return steps
}
