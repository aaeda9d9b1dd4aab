package dashboard

import (
	"fmt"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
)

// began is the start time of every scripted run.
var began = time.Date(2026, 5, 4, 14, 2, 0, 0, time.UTC)

// demoPlan is a realistic plan of 27 steps.
func demoPlan() provisioner.Plan {
	var plan provisioner.Plan
	add := func(phase string, steps ...string) {
		for i := 0; i < len(steps); i += 2 {
			plan = append(plan, provisioner.Step{ID: steps[i], Title: steps[i+1], Phase: phase})
		}
	}
	add("preflight", "credentials", "Check the credentials", "quotas", "Check the quotas",
		"instance-types", "Check the instance types", "installer", "Fetch openshift-install")
	add("infrastructure", "ssh-key", "Register the SSH key", "buckets", "Create the buckets",
		"security-groups", "Create the security groups", "anti-affinity", "Create the anti-affinity groups",
		"elastic-ips", "Reserve the elastic IPs", "dns-zone", "Create the DNS zone", "dns-records", "Create the DNS records",
		"template", "Register the boot image", "ignition", "Generate the Ignition documents",
		"upload", "Upload the bootstrap's Ignition", "load-balancers", "Create the load balancers")
	add("bootstrap", "bootstrap-machine", "Create the bootstrap machine", "masters", "Create the masters",
		"wait-api", "Wait for the temporary API", "wait-bootstrap", "Wait for the bootstrap to complete",
		"remove-bootstrap", "Remove the bootstrap machine")
	add("nodes", "compute", "Create the compute machines", "approve-csrs", "Approve certificates of our nodes",
		"wait-nodes", "Wait for every node to be ready", "label-nodes", "Label and taint the nodes")
	add("operators", "ingress", "Place the routers", "wait-operators", "Wait for the operators to settle",
		"clean-up", "Delete the bootstrap bucket")
	return plan
}

// machines are the thirteen nodes of the default cluster.
func machines() []state.Machine { return state.Default().Nodes() }

// tape is a scripted run.
type tape struct {
	events []provisioner.Event
	now    time.Time
}

func (t *tape) add(after time.Duration, e provisioner.Event) {
	t.now = t.now.Add(after)
	e.V, e.Seq, e.Time = provisioner.Version, len(t.events)+1, t.now
	t.events = append(t.events, e)
}

func (t *tape) step(after time.Duration, id, state, text string) {
	for _, step := range demoPlan() {
		if step.ID == id {
			if state == provisioner.Started {
				text = step.Title
			}
			t.add(after, provisioner.Event{Type: provisioner.TypeStep, Step: id, Phase: step.Phase, State: state, Text: text})
		}
	}
}

// do runs a step from start to end.
func (t *tape) do(id string, took time.Duration, inside ...func()) {
	t.step(time.Second/5, id, provisioner.Started, "")
	for _, one := range inside {
		one()
	}
	t.step(took, id, provisioner.Done, "")
}

func (t *tape) wait(step string, usual, limit time.Duration, since time.Time, last string) {
	e := provisioner.Event{Type: provisioner.TypeWait, Step: step, Since: &since, Last: last}
	e.Usual, e.Limit = usual.Seconds(), limit.Seconds()
	for _, one := range demoPlan() {
		if one.ID == step {
			e.What, e.Phase = one.Title, one.Phase
		}
	}
	t.add(time.Second, e)
}

func (t *tape) object(kind string, names ...string) func() {
	return func() {
		for _, name := range names {
			t.add(300*time.Millisecond, provisioner.Event{
				Type: provisioner.TypeObject, Kind: kind, Name: name, ID: "b1c3-" + name, Action: string(state.Created),
			})
		}
	}
}

func (t *tape) certificates() {
	since, until := t.now, t.now.Add(24*time.Hour)
	t.add(8*time.Second, provisioner.Event{Type: provisioner.TypeCertificates, Step: "ignition", Since: &since, Until: &until})
}

func (t *tape) phase(after time.Duration, phase string) {
	t.add(after, provisioner.Event{Type: provisioner.TypeBootstrap, Step: "wait-bootstrap", Phase: phase})
}

func (t *tape) etcd(after time.Duration, members ...string) {
	e := provisioner.Event{Type: provisioner.TypeEtcd, Step: "wait-bootstrap"}
	for i := 0; i < len(members); i += 2 {
		member := provisioner.Member{Name: members[i], State: members[i+1]}
		if member.Name != "etcd-bootstrap" {
			member.Revision = 2 + len(members)/2
			e.Reason = fmt.Sprintf("%d of 4 members, and all four have to be healthy first", len(members)/2)
		}
		e.Members = append(e.Members, member)
	}
	if len(members) > 0 && members[0] != "etcd-bootstrap" {
		e.Reason = ""
	}
	n := len(e.Members)
	e.Count = &n
	t.add(after, e)
}

func (t *tape) node(after time.Duration, name string, role state.Role, nodeState, reason string) {
	e := provisioner.Event{
		Type: provisioner.TypeNode, Step: "wait-nodes", Name: name, Role: string(role), State: nodeState, Reason: reason,
		Machine: "running",
	}
	switch nodeState {
	case "NotReady", "Ready":
		e.Client, e.Serving = state.RequestIssued, state.RequestIssued
	case "Booting":
		e.Client = reason
		e.Reason = ""
	}
	t.add(after, e)
}

func (t *tape) csr(name, node string) {
	t.add(time.Second, provisioner.Event{
		Type: provisioner.TypeCSR, Step: "approve-csrs", Name: name, Node: node, Decision: state.Approved,
	})
}

func (t *tape) probe(way, reason string) {
	e := provisioner.Event{Type: provisioner.TypeProbe, Step: "wait-api", Name: way, State: provisioner.Reached}
	if e.Text = "https://192.0.2.7:6443/readyz"; reason != "" {
		e.State, e.Reason = provisioner.Unreachable, reason
	}
	t.add(time.Second, e)
}

func (t *tape) stage(after time.Duration, service, stageState, stage, reason string) {
	t.add(after, provisioner.Event{
		Type: provisioner.TypeStage, Step: "wait-bootstrap", Name: service, State: stageState, Text: stage, Reason: reason,
	})
}

func (t *tape) journal(lines ...string) {
	for _, line := range lines {
		t.add(0, provisioner.Event{Type: provisioner.TypeJournal, Step: "wait-bootstrap", Name: "bootkube.service", Text: line})
	}
}

// inside reports the services of the bootstrap machine until it waits for etcd.
func (t *tape) inside() {
	t.stage(0, "release-image", provisioner.Done, "", "")
	for _, stage := range []string{"openshift-manifests", "api-bootstrap", "cvo-bootstrap", "etcd-bootstrap", "mco-bootstrap", "wait-for-etcd", "cb-bootstrap"} {
		t.stage(0, "bootkube", provisioner.Started, stage, "")
	}
	t.journal("Starting etcd certificate signer...", "Waiting for etcd bootstrap to complete...", "Starting cluster-bootstrap...",
		"Pod Status:openshift-kube-apiserver/kube-apiserver\tDoesNotExist", "Pod Status:openshift-kube-scheduler/openshift-kube-scheduler\tRunningNotReady")
}

func (t *tape) version(state string, percent int, text string) {
	t.add(time.Second, provisioner.Event{
		Type: provisioner.TypeVersion, Step: "wait-operators", State: state, Percent: &percent, Text: text,
	})
}

func (t *tape) operator(name, operatorState, message string) {
	t.add(0, provisioner.Event{
		Type: provisioner.TypeOperator, Step: "wait-operators", Name: name, State: operatorState, Reason: message,
	})
}

// operators reports twenty of them, of which few are stable.
func (t *tape) operators() {
	for _, name := range []string{"cloud-credential", "dns", "etcd", "kube-scheduler", "machine-api", "network", "node-tuning"} {
		t.operator(name, "stable", "")
	}
	t.operator("authentication", "degraded", "OAuthServerRouteEndpointAccessibleControllerDegraded: no route to oauth-openshift.apps.c-demo-1.example.ch")
	t.operator("kube-apiserver", "progressing", "NodeInstallerProgressing: 1 node is at revision 5; 2 nodes are at revision 6")
	t.operator("machine-config", "available", "")
	for _, name := range []string{"console", "image-registry", "ingress", "insights", "monitoring"} {
		t.operator(name, "waiting", "no node takes its pods yet")
	}
	t.version("installing", 71, "Working towards 4.19.3: 640 of 903 done (70% complete), waiting on authentication, console, ingress, monitoring")
}

func (t *tape) finding(rule, confidence, cause, fix string, evidence ...string) {
	since := t.now.Add(-4 * time.Minute)
	t.add(time.Second, provisioner.Event{
		Type: provisioner.TypeDiagnosis, Step: "wait-bootstrap", State: provisioner.Present, Name: rule, Confidence: confidence,
		Text: cause, Hint: fix, Evidence: evidence, Since: &since,
	})
}

// blocked reports the diagnosis that masters cannot fetch their configuration, and less certain ones.
func (t *tape) blocked() {
	t.finding("slow", "low", "Everything takes longer than usual, and still moves", "Wait: etcd and the API server still get new revisions.",
		"etcd went from 3 to 4 members 14m ago")
	t.finding("machine-config-blocked", "high", "The master master-2 cannot fetch its configuration from port 22623",
		"Add the missing rule to the security group, then run the same command again:\nexo compute security-group rule add c-demo-1_control_plane --protocol tcp --port 22623 --security-group c-demo-1_all",
		"master-2 runs, and was never heard of for 14m", "the machine config server answers on the bootstrap machine",
		"the security group c-demo-1_control_plane lacks tcp 22623 from c-demo-1_all")
}

// beginning is a run in its preflight steps.
func beginning() *tape {
	t := &tape{now: began}
	t.add(0, provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Started})
	t.do("credentials", 400*time.Millisecond)
	t.step(0, "quotas", provisioner.Started, "")
	t.step(0, "instance-types", provisioner.Started, "")
	t.step(0, "installer", provisioner.Started, "")
	t.step(2*time.Second, "quotas", provisioner.Done, "")
	t.step(time.Second, "installer", provisioner.Progress, "downloading, 112 of 391 MB")
	return t
}

func (t *tape) infrastructure() {
	t.step(time.Second, "instance-types", provisioner.Done, "")
	t.step(20*time.Second, "installer", provisioner.Done, "")
	t.do("ssh-key", time.Second, t.object("ssh-key", "c-demo-1"))
	t.do("buckets", 2*time.Second, t.object("bucket", "c-demo-1-bootstrap", "c-demo-1-image-registry"))
	t.do("security-groups", 9*time.Second, t.object("security-group", "c-demo-1_lb", "c-demo-1_control_plane", "c-demo-1_all"))
	t.do("anti-affinity", 4*time.Second, t.object("anti-affinity-group", "c-demo-1_master", "c-demo-1_infra", "c-demo-1_storage"))
	t.do("elastic-ips", 6*time.Second, t.object("elastic-ip", "api", "ingress"))
	t.do("dns-zone", 3*time.Second, t.object("dns-zone", "c-demo-1.example.ch"))
	t.do("dns-records", 8*time.Second, t.object("dns-record", "api", "api-int", "*.apps", "lb-0", "lb-1"))
	t.do("template", 205*time.Second, t.object("template", "rhcos-9.6.20250523-0"))
	t.do("ignition", 11*time.Second, t.certificates)
	t.do("upload", 2*time.Second, t.object("object", "bootstrap.ign"))
	t.do("load-balancers", 48*time.Second, t.object("instance", "lb-0", "lb-1"))
}

// middle is a run whose etcd waits for its last member.
func middle() *tape {
	t := beginning()
	t.infrastructure()
	t.do("bootstrap-machine", 31*time.Second, t.object("instance", "bootstrap"))
	t.do("masters", 33*time.Second, t.object("instance", "master-0", "master-1", "master-2"))
	t.step(0, "approve-csrs", provisioner.Started, "")
	t.step(0, "compute", provisioner.Started, "")
	t.do("wait-api", 285*time.Second, func() {
		t.probe("ssh", "")
		t.probe("api-direct", "")
		t.probe("api", "http: 503 Service Unavailable")
	})
	t.step(0, "wait-bootstrap", provisioner.Started, "")
	since := t.now
	t.phase(0, state.PhaseMachine)
	t.phase(0, state.PhaseMachineConfig)
	t.phase(time.Second, state.PhaseTemporaryAPI)
	t.phase(14*time.Second, state.PhaseManifests)
	t.inside()
	t.etcd(5*time.Second, "etcd-bootstrap", "voter")
	t.phase(0, state.PhaseMastersBoot)
	for i := range 3 {
		t.master(i)
	}
	t.phase(0, state.PhaseMasters)
	t.etcd(42*time.Second, "etcd-bootstrap", "voter", "master-0", "learner")
	t.phase(0, state.PhaseEtcd)
	t.etcd(31*time.Second, "etcd-bootstrap", "voter", "master-0", "voter", "master-1", "learner")
	t.object("instance", "infra-0", "infra-1", "infra-2", "infra-3")()
	t.etcd(29*time.Second, "etcd-bootstrap", "voter", "master-0", "voter", "master-1", "voter", "master-2", "learner")
	t.wait("wait-bootstrap", 20*time.Minute, 45*time.Minute, since, "etcd member master-2 is a learner, not yet a voter")
	t.step(0, "compute", provisioner.Progress, "7 of 10 machines run")
	t.node(31*time.Second, "infra-0", state.RoleInfra, "Booting", state.RequestPending)
	t.node(0, "infra-1", state.RoleInfra, "Booting", "")
	return t
}

func (t *tape) master(i int) {
	name := fmt.Sprintf("master-%d", i)
	t.csr("csr-"+name+"-client", name)
	t.node(2*time.Second, name, state.RoleMaster, "NotReady", "container runtime network not ready")
	t.csr("csr-"+name+"-serving", name)
	if i != 2 {
		t.node(20*time.Second, name, state.RoleMaster, "Ready", "")
	}
}

// failing is a run that fails at the masters.
func failing() *tape {
	t := middle()
	t.now = t.now.Add(20 * time.Minute)
	t.blocked()
	t.step(21*time.Minute+34*time.Second, "wait-bootstrap", provisioner.Failed,
		"gave up after 45m: etcd has 3 of 4 members: master-2 has not joined, because port 22623 of api-int.c-demo-1.example.ch "+
			"refuses connections from 10.0.0.14 (security group c-demo-1_control_plane lacks tcp 22623)")
	t.events[len(t.events)-1].Hint = "add the rule tcp 22623 from c-demo-1_all to the security group c-demo-1_control_plane, then resume"
	for _, id := range []string{"remove-bootstrap", "wait-nodes", "label-nodes", "ingress", "wait-operators", "clean-up"} {
		t.step(0, id, provisioner.Skipped, "not reached, because wait-bootstrap did not succeed")
		t.events[len(t.events)-1].Reason = provisioner.Unreached
	}
	t.step(0, "compute", provisioner.Done, "")
	t.step(0, "approve-csrs", provisioner.Done, "")
	code := 12
	t.add(time.Second, provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Finished, Result: "failed", ExitCode: &code})
	return t
}

// complete is a run that succeeds.
func complete() *tape {
	t := middle()
	t.etcd(time.Minute, "etcd-bootstrap", "voter", "master-0", "voter", "master-1", "voter", "master-2", "voter")
	for _, phase := range state.ListPhases()[7:13] {
		t.phase(70*time.Second, phase)
	}
	t.etcd(2*time.Second, "master-0", "voter", "master-1", "voter", "master-2", "voter")
	t.probe("api", "")
	t.step(0, "wait-bootstrap", provisioner.Done, "")
	t.do("remove-bootstrap", 12*time.Second)
	t.add(0, provisioner.Event{Type: provisioner.TypeObject, Kind: "instance", Name: "bootstrap", Action: string(state.Deleted)})
	t.object("instance", "storage-0", "storage-1", "storage-2", "worker-0", "worker-1", "worker-2")()
	t.step(0, "compute", provisioner.Done, "")
	t.step(0, "wait-nodes", provisioner.Started, "")
	for _, m := range machines()[2:] {
		t.csr("csr-"+m.Name+"-client", m.Name)
		t.csr("csr-"+m.Name+"-serving", m.Name)
		t.node(9*time.Second, m.Name, m.Role, "Ready", "")
	}
	t.step(0, "approve-csrs", provisioner.Done, "")
	t.step(0, "wait-nodes", provisioner.Done, "")
	t.do("label-nodes", 4*time.Second)
	t.do("ingress", 2*time.Second)
	t.phase(0, state.PhaseNodes)
	t.do("wait-operators", 9*time.Minute, t.operators, t.settled)
	t.do("clean-up", 2*time.Second)
	code := 0
	t.add(time.Second, provisioner.Event{
		Type: provisioner.TypeRun, State: provisioner.Finished, Result: "ok", ExitCode: &code,
		Text: "the cluster is installed: https://console-openshift-console.apps.c-demo-1.example.ch",
	})
	return t
}

// settled makes every operator stable.
func (t *tape) settled() {
	for _, name := range []string{"authentication", "kube-apiserver", "machine-config", "console", "image-registry", "ingress", "insights", "monitoring"} {
		t.operator(name, "stable", "")
	}
	t.version("installed", 100, "Cluster version is 4.19.3")
	t.phase(0, state.PhaseVersion)
	t.phase(35*time.Second, state.PhaseStable)
}

// late is a run that waits for operators, with a diagnosis of the unstable ones.
func late() *tape {
	t := complete()
	end := 0
	for i, e := range t.events {
		if e.Step == "wait-operators" && e.State == provisioner.Started {
			end = i + 1
		}
	}
	t.events, t.now = t.events[:end], t.events[end-1].Time
	since := t.now
	t.operators()
	t.wait("wait-operators", 15*time.Minute, time.Hour, since, "8 of 15 operators are not stable: authentication, console, image-registry, ingress, …")
	t.now = t.now.Add(12 * time.Minute)
	t.finding("routes-unreachable", "medium", "The names below *.apps lead elsewhere than to the load balancers",
		"Let *.apps.c-demo-1.example.ch lead to 203.0.113.11.", "console-openshift-console.apps.c-demo-1.example.ch leads to 198.51.100.9", "authentication complains about its route")
	return t
}

// thousand is a run with a thousand nodes, a few of them with problems.
func thousand() *tape {
	t := middle()
	for i := range 1000 {
		name := fmt.Sprintf("worker-%d", i)
		nodeState, reason := "Ready", ""
		switch {
		case i%250 == 17:
			nodeState, reason = "NotReady", "container runtime network not ready"
		case i > 950:
			nodeState, reason = "Booting", state.RequestPending
		}
		t.csr("csr-"+name, name)
		t.node(time.Second/10, name, state.RoleWorker, nodeState, reason)
	}
	t.add(0, provisioner.Event{
		Type: provisioner.TypeCSR, Name: "csr-x7kq2", Node: "laptop-of-eve", Decision: state.Skipped, Reason: "no node of this installation",
	})
	return t
}
