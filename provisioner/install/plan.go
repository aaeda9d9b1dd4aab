package install

import (
	"context"
	"slices"
	"time"

	"exoshift/provisioner"
	"exoshift/provisioner/install/machines"
	"exoshift/provisioner/install/network"
	"exoshift/provisioner/install/preflight"
	"exoshift/provisioner/install/syn"
	"exoshift/state"
)

// Phases of an installation; the exit code of a failure follows from the phase.
const (
	Preflight      = "preflight"
	Infrastructure = "infrastructure"
	Bootstrap      = "bootstrap"
	ControlPlane   = "control-plane"
	Nodes          = "nodes"
	Operators      = "operators"
	Syn            = "project-syn"
)

// Steps that code refers to, beside the plan.
const (
	stepReachability = "reachability"
	stepZone         = "dns-zone"
	stepAccess       = "bootstrap-access" // the end of the run deletes its rules
	stepGate         = "load-balancers-ready"
	stepMonitoring   = "monitoring"
)

// Plan returns the steps of the installation.
func (i *Installation) Plan() provisioner.Plan {
	return slices.Concat(i.syn.BuildPreflight(Preflight), i.buildPreflightSteps(), i.buildZoneStep(), i.syn.Register(Infrastructure), i.buildInfrastructureSteps(), i.buildMachineSteps(), i.watcher.EndByVerdict(slices.Concat(i.buildControlPlaneSteps(), i.buildClusterSteps())), i.syn.BuildHandover(Syn))
}

func (i *Installation) buildPreflightSteps() provisioner.Plan {
	return provisioner.Plan{
		{ID: "credentials", Phase: Preflight, Title: "Check the credentials, the zone and the clock", Do: i.checkCredentials},
		{ID: "permissions", Phase: Preflight, Title: "List the existing objects", Do: i.listObjects,
			Needs: listNeeds("credentials")},
		{ID: "manifests", Phase: Preflight, Title: "Read the additional manifests", Do: i.generator.CheckManifests},
		{ID: "openshift-install", Phase: Preflight, Title: "Download and verify openshift-install", Do: i.generator.Fetch,
			Needs: listNeeds("credentials", "manifests"), Usual: 2 * time.Minute},
		{ID: "install-config", Phase: Preflight, Title: "Validate install-config", Do: i.generator.Try,
			Needs: listNeeds("openshift-install")},
		{ID: "offers", Phase: Preflight, Title: "Check instance types, templates and hypervisors", Do: i.availability.Check,
			Needs: listNeeds("credentials", "openshift-install")},
		{ID: "collisions", Phase: Preflight, Title: "Check for name conflicts", Do: i.conflicts.Check,
			Needs: listNeeds("permissions")},
		{ID: "machines", Phase: Preflight, Title: "Compare the machines with the answers", Do: i.comparison.Check,
			Needs: listNeeds("collisions", "offers")},
		{ID: stepReachability, Phase: Preflight, Title: "Check connectivity", Do: preflight.CheckReachability(i.clients.Reach, i.facts)},
		{ID: "quotas", Phase: Preflight, Title: "Check the quotas and estimate the cost", Do: i.quotas.Check,
			Needs: i.withSyn(listNeeds(stepReachability, "permissions", "install-config", "offers", "collisions", "machines"), syn.StepVault, syn.StepConfiguration)},
	}
}

// The DNS zone comes before everything else that is created: the API tells whether the organization's DNS plan has a free zone
// only when one is created.
func (i *Installation) buildZoneStep() provisioner.Plan {
	return provisioner.Plan{{ID: stepZone, Phase: Infrastructure, Title: "Create the DNS zone", Do: i.dns.EnsureZone, Needs: listNeeds("quotas")}}
}

func (i *Installation) buildInfrastructureSteps() provisioner.Plan {
	steps := slices.Concat(i.buildBaseSteps(), i.buildPrivateNetworkStep(), i.syn.BuildToken(Infrastructure), provisioner.Plan{
		// After the delegation: earlier, they would query names that do not exist yet, and cache the negative answer.
		{ID: "load-balancers", Phase: Infrastructure, Title: "Start the load balancers", Do: i.roll.ensure,
			Needs: i.withSyn(listNeeds("anti-affinity-groups", "delegation"), syn.StepToken), Usual: time.Minute},
		{ID: stepGate, Phase: Infrastructure, Title: "Wait until the load balancers answer", Do: i.gate.Wait(),
			Needs: listNeeds("load-balancers", network.StepSecurityGroups), Usual: 2 * time.Minute},
		{ID: "image", Phase: Infrastructure, Title: "Register the node image", Do: i.image.Ensure,
			Needs: listNeeds(stepZone), Usual: 10 * time.Minute},
		{ID: "ignition", Phase: Infrastructure, Title: "Generate manifests, certificates and Ignition documents", Do: i.generator.Generate,
			Needs: i.withSyn(listNeeds("delegation", "api-keys"), syn.StepCatalog, syn.StepToken)},
	})
	if i.spec.HasProxy() {
		return steps
	}
	return append(steps, i.buildDocumentStep("ignition"))
}

func (i *Installation) buildDocumentStep(needs ...string) provisioner.Step {
	return provisioner.Step{ID: "bootstrap-ignition", Phase: Infrastructure, Title: "Upload bootstrap.ign behind a signed link", Do: i.bootstrap.Upload,
		Needs: needs}
}

func (i *Installation) buildBaseSteps() provisioner.Plan {
	return provisioner.Plan{
		{ID: network.StepSecurityGroups, Phase: Infrastructure, Title: "Create the security groups", Do: i.securityGroups.Ensure,
			Needs: listNeeds(stepZone), Usual: 2 * time.Minute},
		{ID: "anti-affinity-groups", Phase: Infrastructure, Title: "Create the anti-affinity groups", Do: i.antiAffinity.Ensure,
			Needs: listNeeds(stepZone)},
		{ID: "api-keys", Phase: Infrastructure, Title: "Create the cluster's API keys", Do: i.keys.Ensure,
			Needs: listNeeds(stepZone)},
		{ID: "buckets", Phase: Infrastructure, Title: "Create the cluster's buckets", Do: i.buckets.Ensure,
			Needs: listNeeds(stepZone)},
		{ID: "elastic-ips", Phase: Infrastructure, Title: "Reserve the elastic IPs", Do: i.elasticIPs.Ensure,
			Needs: listNeeds(stepZone)},
		{ID: "dns", Phase: Infrastructure, Title: "Create the DNS records", Do: i.dns.EnsureRecords,
			Needs: listNeeds("elastic-ips")},
		{ID: "delegation", Phase: Infrastructure, Title: "Wait until the domain is delegated", Do: i.delegation.Wait(),
			Needs: listNeeds("dns"), Usual: time.Minute},
	}
}

func (i *Installation) buildPrivateNetworkStep() provisioner.Plan {
	if !i.privateNetwork.IsWanted() {
		return nil
	}
	return provisioner.Plan{{ID: network.StepPrivateNetwork, Phase: Infrastructure, Title: "Create the private network", Do: i.privateNetwork.Ensure,
		Needs: listNeeds(stepZone)}}
}

// All nodes start concurrently: a missing dependency is retried by the machine. They start once the load balancers
// answer, whose addresses may be those of the API's name, and without which nobody would ever hear of a node. The step of the
// other nodes waits until the masters were requested, not until they run. Behind a proxy the document of the bootstrap machine
// names the addresses of all nodes, which start before it.
func (i *Installation) buildMachineSteps() provisioner.Plan {
	bootstrap := provisioner.Step{ID: "bootstrap-machine", Phase: Bootstrap, Title: "Start the bootstrap machine", Do: i.bootstrap.Ensure,
		Needs: listNeeds("bootstrap-ignition", "image", stepGate), Usual: time.Minute}
	nodes := provisioner.Plan{
		{ID: machines.StepMasters, Phase: ControlPlane, Title: "Start the masters", Do: i.ensureMasters,
			Needs: i.listNodeNeeds(), Usual: time.Minute},
		{ID: "compute-machines", Phase: Nodes, Title: "Start infra, storage and worker machines", Do: i.machines.EnsureComputeMachines,
			Needs: i.listNodeNeeds(), Usual: 2 * time.Minute},
	}
	if i.privateNetwork.IsWanted() {
		compute := &nodes[len(nodes)-1]
		compute.Needs = append(compute.Needs, network.StepPrivateNetwork)
		nodes = append(nodes, provisioner.Step{ID: "private-interfaces", Phase: Nodes, Title: "Attach the nodes to the private network", Do: machines.Interfaces{Machines: i.machines}.Attach,
			Needs: listNeeds("compute-machines")})
	}
	if i.spec.HasProxy() {
		return append(nodes, i.buildDocumentStep("ignition", machines.StepMasters, "compute-machines"), bootstrap)
	}
	return append(provisioner.Plan{bootstrap}, nodes...)
}

func (i *Installation) buildControlPlaneSteps() provisioner.Plan {
	return provisioner.Plan{
		{ID: stepAccess, Phase: Bootstrap, Title: "Open access to the bootstrap machine", Do: i.access.Open,
			Needs: listNeeds("bootstrap-machine", "load-balancers"), Usual: time.Minute},
		{ID: "temporary-api", Phase: Bootstrap, Title: "Wait for the temporary Kubernetes API", Do: i.controlPlane.WaitTemporaryAPI(),
			Needs: listNeeds("bootstrap-machine", "load-balancers"), Usual: 8 * time.Minute},
		{ID: "masters", Phase: ControlPlane, Title: "Wait for the masters to join", Do: i.controlPlane.WaitMasters(),
			Needs: listNeeds(machines.StepMasters, "temporary-api"), Usual: 10 * time.Minute},
		{ID: "etcd", Phase: ControlPlane, Title: "Wait until etcd has a member on every master", Do: i.controlPlane.WaitEtcd(),
			Needs: listNeeds(machines.StepMasters, "temporary-api"), Usual: 15 * time.Minute},
		{ID: "bootstrap-complete", Phase: Bootstrap, Title: "Wait until the bootstrap is complete", Do: i.controlPlane.WaitBootstrapComplete(),
			Needs: listNeeds("temporary-api"), Usual: 20 * time.Minute},
		{ID: "remove-bootstrap", Phase: Bootstrap, Title: "Remove the bootstrap machine and its document", Do: i.bootstrap.Remove,
			Needs: listNeeds("masters", "etcd", "bootstrap-complete", stepAccess), Usual: 3 * time.Minute},
	}
}

func (i *Installation) buildClusterSteps() provisioner.Plan {
	monitoring, complete := i.buildMonitoringStep(), listNeeds("etcd", "bootstrap-complete", "ingress", "registry")
	if len(monitoring) > 0 {
		complete = append(complete, stepMonitoring)
	}
	return slices.Concat(provisioner.Plan{
		{ID: "nodes", Phase: Nodes, Title: "Wait until every node is Ready", Do: i.controlPlane.WaitNodes(),
			Needs: listNeeds("compute-machines", "masters"), Usual: 15 * time.Minute},
		{ID: "labels", Phase: Nodes, Title: "Label and taint the nodes", Do: i.operators.LabelNodes,
			Needs: listNeeds("nodes")},
		{ID: "ingress", Phase: Operators, Title: "Move the ingress to the infra nodes", Do: i.operators.PlaceIngress(),
			Needs: listNeeds("labels")},
		{ID: "registry", Phase: Operators, Title: "Configure the image registry", Do: i.operators.EnsureRegistry(),
			Needs: listNeeds("masters", "api-keys", "buckets"), Usual: 5 * time.Minute},
	}, monitoring, provisioner.Plan{
		{ID: "cluster-version", Phase: Operators, Title: "Wait until the cluster version is installed", Do: i.operators.WaitClusterVersion(),
			// Not after remove-bootstrap, which waits for caches.
			Needs: complete, Usual: 15 * time.Minute},
		{ID: "console", Phase: Operators, Title: "Get the console URL", Do: i.operators.RecordConsole,
			Needs: listNeeds("remove-bootstrap", "cluster-version")},
	})
}

// Project Syn's catalog configures the monitoring of a connected cluster.
func (i *Installation) buildMonitoringStep() provisioner.Plan {
	if i.syn.IsConnected() || i.spec.RouterRole() != state.RoleInfra {
		return nil
	}
	return provisioner.Plan{{ID: stepMonitoring, Phase: Operators, Title: "Move the monitoring to the infra nodes", Do: i.operators.PlaceMonitoring(),
		Needs: listNeeds("labels")}}
}

func (i *Installation) checkCredentials(ctx context.Context, _ provisioner.Report) error {
	return preflight.CheckAccess(ctx, i.clients.Cloud)
}

func (i *Installation) listObjects(ctx context.Context, report provisioner.Report) error {
	if err := i.inventory.List(ctx, report); err != nil {
		return err
	}
	return i.machines.RefreshPools(ctx)
}

func listNeeds(steps ...string) []string { return steps }

func (i *Installation) withSyn(needs []string, steps ...string) []string {
	if !i.syn.IsConnected() {
		return needs
	}
	return append(needs, steps...)
}

// The steps before a machine that queries the API's name. Without load balancers that name exists once the bootstrap
// machine has an address; a machine that queries it earlier would cache the negative answer for minutes.
func (i *Installation) listNodeNeeds() []string {
	needs := listNeeds("ignition", "image", stepGate)
	if i.spec.IsRoundRobin() && !i.spec.HasProxy() {
		needs = append(needs, "bootstrap-machine")
	}
	return needs
}

func (i *Installation) ensureMasters(ctx context.Context, report provisioner.Report) error {
	if err := i.bootstrap.RecordNodesFirst(ctx); err != nil {
		return err
	}
	return i.machines.EnsureMasters(ctx, report)
}

// Steps returns the plan of a Spec for display; its steps cannot be run.
func Steps(spec state.Spec) provisioner.Plan {
	return newInstallation(spec, Options{}, state.Folder{}, Clients{}, state.Facts{}, nil).Plan()
}
