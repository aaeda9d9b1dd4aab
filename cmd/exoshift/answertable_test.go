package main

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/changes"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

// answerOutcome is the effect of a changed answer on an installed cluster.
type answerOutcome int

const (
	outFixed     answerOutcome = iota // only one value is allowed
	outIgnored                        // accepted without effect: the answer is about checks, secrets or display names
	outCarried                        // the plan lists the change, and an installation applies it
	outRefused                        // exit code 3, the key, and the manual steps
	outDifferent                      // exit code 3, the machines that differ, and the commands for them
	outContacted                      // the new address is used from now on: nothing answers there
	outElsewhere                      // usage error: another cluster's answers
)

// catalogAtHand is a placeholder for the catalog in the cluster's folder.
const catalogAtHand = "the existing catalog"

type answerRow struct {
	outcome answerOutcome
	value   string   // as text
	names   []string // expected changes of the plan, or texts of the error
}

// answerTable has a row for each key of the answers file.
func answerTable() map[string]answerRow {
	table := map[string]answerRow{
		"apiVersion":          {outcome: outFixed},
		"kind":                {outcome: outFixed},
		"cluster.id":          {outElsewhere, "c-demo-2", nil},
		"cluster.displayName": {outIgnored, "Another name", nil},
		"cluster.labels":      {outIgnored, "stage=prod, example.net/region=west", nil},
		"cluster.baseDomain":  {outRefused, "example.org", nil},

		"exoscale.zone":           {outRefused, "de-fra-1", nil},
		"exoscale.apiKey":         {outIgnored, "env:ANOTHER_KEY", nil},
		"exoscale.apiSecret":      {outIgnored, "env:ANOTHER_SECRET", nil},
		"exoscale.deployTarget":   {outDifferent, "dedicated-1", []string{"master-0: its deploy target is none instead of dedicated-1", "exo compute instance delete --zone ch-gva-2"}},
		"exoscale.protectMasters": {outCarried, "true", []string{"updated instance master-0", "updated instance master-1", "updated instance master-2"}},

		"sizing.bootstrap.type":            {outIgnored, "standard.huge", nil},
		"cluster.profile":                  {outIgnored, "plain", nil},
		"sizing.bootstrap.count":           {outcome: outFixed},
		"sizing.bootstrap.rootDisk":        {outIgnored, "120", nil},
		"sizing.bootstrap.dataDisk":        {outcome: outFixed},
		"sizing.loadBalancers.type":        {outDifferent, "standard.large", []string{"lb-0: its type is standard.medium instead of standard.large", "exo compute instance scale --zone ch-gva-2", "exo compute instance start"}},
		"sizing.loadBalancers.count":       {outcome: outFixed},
		"sizing.loadBalancers.rootDisk":    {outDifferent, "40", []string{"lb-1: its disk is 20 GiB instead of 40 GiB", "exo compute instance delete"}},
		"sizing.loadBalancers.dataDisk":    {outcome: outFixed},
		"sizing.controlPlane.count":        {outcome: outFixed},
		"sizing.workers.topolvm":           {outDifferent, "true", []string{"worker-0: its disk's layout is 100 GiB for root and a data partition instead of 100 GiB for root and a volume group of TopoLVM"}},
		"sizing.infra.topolvm":             {outDifferent, "true", []string{"infra-0: its disk's layout is"}},
		"sizing.workers.pool":              {outRefused, "true", []string{"A machine cannot join or leave an instance pool."}},
		"sizing.infra.pool":                {outRefused, "true", []string{"A machine cannot join or leave an instance pool."}},
		"sizing.workers.min":               {outIgnored, "3", nil},
		"sizing.workers.max":               {outIgnored, "9", nil},
		"sizing.infra.min":                 {outIgnored, "3", nil},
		"sizing.infra.max":                 {outIgnored, "9", nil},
		"network.privateNetwork":           {outCarried, "172.18.200.0/24", []string{"created private-network c-demo-1_private", "created private-network-interface c-demo-1_private on worker-0"}},
		"sizing.infra.count":               {outCarried, "5", []string{"created instance infra-4"}},
		"sizing.storage.count":             {outCarried, "4", []string{"created instance storage-3"}},
		"sizing.workers.count":             {outCarried, "4", []string{"created instance worker-3"}},
		"sizing.extraGroups":               {outCarried, "name=gpu type=standard.extra-large count=1 rootDisk=100", []string{"created instance gpu-0"}},
		"network.podCIDR":                  {outRefused, "10.64.0.0/14", nil},
		"network.hostPrefix":               {outRefused, "24", nil},
		"network.serviceCIDR":              {outRefused, "172.31.0.0/16", nil},
		"network.nodeCIDR":                 {outRefused, "10.4.0.0/16", nil},
		"network.cni":                      {outRefused, "OVNKubernetes", nil},
		"network.customerNetworks":         {outIgnored, "192.168.0.0/16", nil},
		"dns.zone":                         {outcome: outFixed},
		"dns.delegation":                   {outcome: outFixed},
		"dns.appsDomain":                   {outRefused, "apps.example.org", nil},
		"dns.acme":                         {outRefused, "false", []string{"remove them from the catalog first."}},
		"loadBalancer.strategy":            {outRefused, "dns-round-robin", nil},
		"loadBalancer.internal":            {outCarried, "elastic-ip", []string{"created dns-record api-int A", "deleted dns-record api-int A"}},
		"loadBalancer.proxyProtocol":       {outCarried, "false", []string{"updated ingress-controller default"}},
		"syn.lieutenantURL":                {outRefused, "https://api.syn.example.net", []string{"The operator of Project Syn can register the cluster elsewhere"}},
		"syn.tenant":                       {outRefused, "t-another", []string{"The operator of Project Syn can register the cluster elsewhere"}},
		"syn.facts":                        {outCarried, "maintenance_window=tuesday-1000, sales_order=S10000", []string{"updated lieutenant-cluster c-demo-1"}},
		"syn.catalogDir":                   {outIgnored, catalogAtHand, nil},
		"syn.vaultAddress":                 {outContacted, "https://vault.example.net", []string{"vault.example.net"}},
		"syn.vaultMount":                   {outContacted, "other/kv", []string{"other/kv"}},
		"syn.gitToken":                     {outIgnored, "env:ANOTHER_TOKEN", nil},
		"openshift.distribution":           {outRefused, "okd", nil},
		"openshift.version":                {outRefused, "4.20.6", nil},
		"openshift.pullSecret":             {outIgnored, "env:ANOTHER_PULL_SECRET", nil},
		"openshift.sshKey":                 {outRefused, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHDNqyxNhO8PZ6hFfSAdFpdE1vRk4cVtYDfPmFyCOWgj other@example.net", nil},
		"openshift.trustBundle":            {outRefused, "./ca.pem", []string{"create configmap user-ca-bundle --from-file=ca-bundle.crt=./ca.pem", `"trustedCA":{"name":"user-ca-bundle"}`}},
		"openshift.cloudControllerManager": {outRefused, "", nil},
		"openshift.fips":                   {outRefused, "true", nil},
		"openshift.manifestsDir":           {outRefused, "./more", []string{"oc apply -f ./more"}},
		"openshift.proxy.http":             {outRefused, "http://proxy.example.net:3128", []string{`oc patch proxy/cluster --type=merge -p '{"spec":{"httpProxy":"http://proxy.example.net:3128"`}},
		"openshift.proxy.https":            {outRefused, "http://proxy.example.net:3128", []string{`"httpsProxy":"http://proxy.example.net:3128"`}},
		"openshift.proxy.noProxy":          {outRefused, ".example.net", []string{`"noProxy":".example.net"`, "Every node restarts"}},
		"objectStorage.bucketPrefix":       {outRefused, "other", nil},
		"checks.endpoints":                 {outIgnored, "https://registry.example.net/v2/", nil},
		"checks.skip":                      {outIgnored, "NET-RH-022=we send no telemetry until 2099-01-31", nil},

		"openshift.capabilities.baselineCapabilitySet":         {outRefused, "vCurrent", []string{`oc patch clusterversion/version --type=merge -p '{"spec":{"capabilities":{"baselineCapabilitySet":"vCurrent"`}},
		"openshift.capabilities.additionalEnabledCapabilities": {outRefused, "Console", []string{`"additionalEnabledCapabilities":["Console"]`}},
		"openshift.imageDigestSources":                         {outRefused, "quay.io/a=mirror.example.net/a", []string{"oc edit imagedigestmirrorset"}},
	}
	for role, machine := range map[string]string{"controlPlane": "master-0", "infra": "infra-0", "storage": "storage-0", "workers": "worker-0"} {
		table["sizing."+role+".type"] = answerRow{outDifferent, "standard.huge", []string{machine + ": its type is", "instead of standard.huge", "exo compute instance scale --zone ch-gva-2", "oc adm uncordon " + machine}}
		table["sizing."+role+".rootDisk"] = answerRow{outDifferent, "120", []string{machine + ": its disk", "exo compute instance delete --zone ch-gva-2", "oc delete node " + machine}}
		resize := "exoshift nodes resize --group " + role
		if role != "storage" { // the verbs of nodes replace workers and infra nodes, and change the type of masters
			table["sizing."+role+".type"] = answerRow{outDifferent, "standard.huge", []string{machine + ": its type is", "instead of standard.huge", resize + " --type standard.huge"}}
		}
		if role == "workers" || role == "infra" {
			table["sizing."+role+".rootDisk"] = answerRow{outDifferent, "120", []string{machine + ": its disk", resize + " --disk "}}
		}
		table["sizing."+role+".dataDisk"] = answerRow{outDifferent, "250", []string{machine + ": its disk", "exo compute instance delete --zone ch-gva-2"}}
	}
	return table
}

// effectsOf returns the documented effects that allow an outcome.
func effectsOf(o answerOutcome) []wizard.Effect {
	return map[answerOutcome][]wizard.Effect{
		outIgnored: {wizard.NoEffect}, outCarried: {wizard.Applied, wizard.Adds}, outRefused: {wizard.Rebuild, wizard.ByHand, wizard.Adds},
		outDifferent: {wizard.ByHand}, outContacted: {wizard.Applied}, outElsewhere: {wizard.Rebuild},
	}[o]
}

// Every answer is changed on one installed cluster. None is accepted without effect, unless that is its documented effect; a
// refused one changes nothing, including the answers in the folder.
func TestAnswerTable_EveryAnswerTakesEffect(t *testing.T) {
	long(t)
	t.Parallel()
	table, fields := answerTable(), map[string]wizard.Field{}
	for _, field := range wizard.Fields() {
		fields[field.Key] = field
		row, listed := table[field.Key]
		switch {
		case !listed:
			t.Errorf("%s: what does a change of it do? It has no row", field.Key)
		case row.outcome != outFixed && !slices.Contains(effectsOf(row.outcome), field.Effect):
			t.Errorf("%s says %q", field.Key, field.Effect)
		}
	}
	for key := range table {
		if _, known := fields[key]; !known {
			t.Errorf("%s has a row and is no answer", key)
		}
	}
	if t.Failed() {
		return
	}
	withData := func(spec *state.Spec) {
		connectedSpec(spec)
		spec.Sizing.Workers.DataDisk, spec.Sizing.Infra.DataDisk = 50, 50
	}
	virtuallyIn(t, circumstances{spec: withData}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		installed(t, s)
		w := answerWorld{t: t, s: s, zone: zone, fields: fields}
		var accepted []string
		for _, key := range slices.Sorted(maps.Keys(table)) {
			switch row := table[key]; row.outcome {
			case outFixed:
				w.isFixed(key)
			case outIgnored, outCarried:
				w.isPlanned(key, row)
				accepted = append(accepted, key)
			default:
				w.isRefused(key, row)
			}
		}
		w.areCarriedOut(table, accepted)
		w.areNotTakenBack(table)
	})
}

type answerWorld struct {
	t      *testing.T
	s      run.Run
	zone   *simcloud.Zone
	fields map[string]wizard.Field
}

func (w answerWorld) with(key, value string) run.Run {
	w.t.Helper()
	if value == catalogAtHand {
		value = w.s.Folder.Path(state.CatalogDir)
	}
	changed := w.s
	before := w.fields[key].Get(changed.Spec)
	if err := w.fields[key].Set(&changed.Spec, value); err != nil {
		w.t.Fatalf("%s: %v", key, err)
	}
	if w.fields[key].Get(changed.Spec) == before {
		w.t.Fatalf("%s is %q already", key, before)
	}
	return changed
}

func (w answerWorld) isFixed(key string) {
	w.t.Helper()
	spec := w.s.Spec
	for _, other := range []string{"other", "0", "1", "4", "7"} {
		if err := w.fields[key].Set(&spec, other); err == nil && w.fields[key].Get(spec) != w.fields[key].Get(w.s.Spec) {
			w.t.Errorf("%s can be changed to %s", key, other)
		}
	}
}

// isPlanned requires that a plan has exactly the expected changes, and refuses nothing.
func (w answerWorld) isPlanned(key string, row answerRow) {
	w.t.Helper()
	changed := w.with(key, row.value)
	answers, err := changes.Compare(changed.Folder, changed.Spec)
	if err != nil || len(answers) != 1 || answers[0].Key != key || answers[0].Refused {
		w.t.Errorf("%s: the changes are %+v: %v", key, answers, err)
	}
	preview, err := changed.Preview(w.t.Context())
	if err != nil {
		w.t.Errorf("%s: %v", key, err)
		return
	}
	names := pendingOf(preview)
	if changes.CheckPlan(preview) != nil || len(preview.Differences) > 0 || row.outcome == outIgnored && len(names) > 0 {
		w.t.Errorf("%s: the plan has %v, differences %v, %v", key, names, preview.Differences, preview.Refusal)
	}
	for _, name := range row.names {
		if !slices.Contains(names, name) {
			w.t.Errorf("%s: the plan has %v, and not %s", key, names, name)
		}
	}
	if err := changes.CheckUnchanged(answers, preview); (exit.Code(err) == exit.Checks) != (row.outcome == outCarried) {
		w.t.Errorf("%s: who expects no change hears %v", key, err)
	}
}

// isRefused requires the exit code, the list and the manual steps, and that nothing changes.
func (w answerWorld) isRefused(key string, row answerRow) {
	w.t.Helper()
	changed := w.with(key, row.value)
	before, inForce := w.zone.Mutations(), w.inForce()
	var out, log bytes.Buffer
	err := installWith(w.t.Context(), changed, cli.Streams{Out: &out, Err: &log})
	text := log.String() + out.String()
	if err != nil {
		text += err.Error() + "\n" + fault.HintOf(err)
	}
	codes := map[answerOutcome]int{outRefused: exit.Answers, outDifferent: exit.Answers, outElsewhere: exit.Usage}
	if code := exit.Code(err); row.outcome == outContacted && err == nil || row.outcome != outContacted && code != codes[row.outcome] {
		w.t.Errorf("%s: exit code %d: %v", key, code, err)
	}
	names := row.names
	if row.outcome == outRefused {
		names = append(slices.Clone(names), key+": "+cmp.Or(w.fields[key].Get(changed.Spec), "nothing")+", was ")
	}
	for _, name := range names {
		if !strings.Contains(text, name) {
			w.t.Errorf("%s: %q is not told:\n%s", key, name, lastLines(text))
		}
	}
	if zone := w.zone.Mutations(); zone != before || !bytes.Equal(inForce, w.inForce()) {
		w.t.Errorf("%s: %d changes of the zone, answers in force:\n%s", key, zone-before, w.inForce())
	}
	if row.outcome == outDifferent {
		w.planDiffers(key, changed)
	}
}

func (w answerWorld) planDiffers(key string, changed run.Run) {
	w.t.Helper()
	preview, err := changed.Preview(w.t.Context())
	if err != nil || len(preview.Differences) == 0 || exit.Code(changes.CheckPlan(preview)) != exit.Answers {
		w.t.Errorf("%s: the plan has %+v and %v: %v", key, preview.Differences, preview.Refusal, err)
	}
	if err := changes.CheckUnchanged(nil, preview); exit.Code(err) != exit.Checks {
		w.t.Errorf("%s: who expects no change hears %v", key, err)
	}
}

func (w answerWorld) inForce() []byte {
	w.t.Helper()
	content, err := w.s.Folder.Read(state.AnswersFile)
	if err != nil {
		w.t.Fatal(err)
	}
	return content
}

// areCarriedOut changes all accepted answers at once: one installation applies all planned changes.
func (w *answerWorld) areCarriedOut(table map[string]answerRow, keys []string) {
	w.t.Helper()
	var want []string
	for _, key := range keys {
		w.s = w.with(key, table[key].value)
		want = append(want, table[key].names...)
	}
	done := repaired(w.t, w.s)
	for _, name := range want {
		if !slices.Contains(done, name) {
			w.t.Errorf("%s is not done: %v", name, done)
		}
	}
	if before, _ := answersfile.Parse(state.AnswersFile, w.inForce()); len(answersfile.Diff(before, w.s.Spec)) > 0 {
		w.t.Errorf("not in force: %v", answersfile.Diff(before, w.s.Spec))
	}
	if rest := pending(w.t, w.s); len(rest) > 0 {
		w.t.Errorf("still to do: %v", rest)
	}
}

// areNotTakenBack reverts the additions: fewer machines and fewer facts are refused, a protection is removed.
func (w *answerWorld) areNotTakenBack(table map[string]answerRow) {
	w.t.Helper()
	for key, back := range map[string]answerRow{
		"sizing.infra.count":   {outDifferent, "4", []string{"infra-4: it is not in the answers", "exoshift nodes remove infra-4"}},
		"sizing.storage.count": {outDifferent, "3", []string{"storage-3: it is not in the answers", "purge its OSD first"}},
		"sizing.workers.count": {outDifferent, "3", []string{"worker-3: it is not in the answers", "exoshift nodes remove worker-3"}},
		"sizing.extraGroups":   {outDifferent, "", []string{"gpu-0: it is not in the answers"}},
		"syn.facts":            {outRefused, "maintenance_window=tuesday-1000", []string{"Lieutenant keeps facts that were set: sales_order"}},
	} {
		w.isRefused(key, back)
	}
	changed := w.with("syn.facts", "maintenance_window=monday-1400, sales_order=S10000")
	before, inForce := w.zone.Mutations(), w.inForce()
	_, err := finish(w.t, changed)
	if exit.Code(err) != exit.Answers || !strings.Contains(fault.HintOf(err), `-d '{"facts":{"maintenance_window":"monday-1400"}}'`) {
		w.t.Errorf("another value of a fact: exit code %d: %v\n%s", exit.Code(err), err, fault.HintOf(err))
	}
	if w.zone.Mutations() != before || !bytes.Equal(inForce, w.inForce()) {
		w.t.Error("another value of a fact changed something")
	}
	w.isPlanned("exoscale.protectMasters", answerRow{outCarried, "false", table["exoscale.protectMasters"].names})
}
