package conformance

// pages: a list comes in parts if a limit is given; the token for the next part ends.
func pages() []Step {
	const labelled = `"apiVersion":"conformance.example.net/v1","kind":"Gauge"`
	page := func(name string) string {
		return `{` + labelled + `,"metadata":{"name":"` + name + `","labels":{"paged":"yes"}}}`
	}
	const list, names = gauges + "?labelSelector=paged%3Dyes", "items[].metadata.name"
	return []Step{
		create(gauges, page("page-c")).show("metadata.name"), create(gauges, page("page-a")).show("metadata.name"),
		create(gauges, page("page-b")).show("metadata.name"),
		get(list).show("apiVersion", "metadata.continue", names),
		get(list+"&limit=2").keep("token", "metadata.continue").show("metadata.continue", names),
		get(list+"&limit=2&continue=${token}").show("metadata.continue", names),
		get(list+"&limit=3").show("metadata.continue", names),
		get(list+"&limit=0").show("metadata.continue", names),
		get(list + "&limit=2&continue=nonsense").vague("it tells what its decoder makes of it"),
		get(list + "&limit=many").vague("it tells how it reads numbers"),
		get(gauges+"?labelSelector=paged%3Dno&limit=2").show("metadata.continue", names),
		get(list+"&limit=2&resourceVersion=0").show("metadata.continue", names),
	}
}

func selectors() []Step {
	labelled := func(name, labels string) Step {
		return create(configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"`+name+`","labels":{"chosen":"yes"`+labels+`}}}`).show("metadata.name")
	}
	list := func(query string) Step { return get(configMaps + "?" + query).show("items[].metadata.name") }
	const chosen = "labelSelector=chosen%3Dyes"
	return []Step{
		labelled("chosen-a", `,"colour":"red"`), labelled("chosen-b", `,"colour":"blue"`), labelled("chosen-c", `,"node-role.kubernetes.io/master":""`),
		list(chosen), list(chosen + ",colour"), list(chosen + ",!colour"), list(chosen + ",colour%3Dred"), list(chosen + ",colour!%3Dred"),
		list(chosen + ",colour%3D%3Dblue"), list(chosen + ",colour+in+(red,blue)"), list(chosen + ",colour+notin+(red)"),
		list(chosen + ",node-role.kubernetes.io/master"), list(chosen + ",node-role.kubernetes.io/master%3D"),
		list("fieldSelector=metadata.name%3Dchosen-b"), list(chosen + "&fieldSelector=metadata.name!%3Dchosen-b"),
		list("fieldSelector=metadata.namespace%3Ddefault"),
		list("labelSelector=a%3D%3D%3D").vague("it cites its parser"), list("labelSelector=a+in+(b").vague("it cites its parser"),
		list("fieldSelector=data.a%3Db").vague("it cites its table of fields"),
		get("/api/v1/configmaps?"+chosen).show("items[].metadata.namespace", "items[].metadata.name"),
		get("/api/v1/namespaces/default/configmaps?" + chosen).show("items[].metadata.name"),
	}
}
