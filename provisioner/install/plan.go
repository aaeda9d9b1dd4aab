package install

import (
	"slices"
	"time"

	"exoshift/provisioner"
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

// Plan returns the steps of the installation.
func (i *Installation) Plan() provisioner.Plan {
	return slices.Concat(i.syn.Preflight(Preflight), i.preflightSteps(), i.syn.Register(Infrastructure), i.infrastructureSteps(), i.machineSteps(), i.controlPlaneSteps(), i.clusterSteps(), i.syn.HandOver(Syn))
}

// preflightSteps only look.
func (i *Installation) preflightSteps() provisioner.Plan {
	return provisioner.Plan{
		{ID: "credentials", Phase: Preflight, Title: "Check the credentials, the zone and the clock", Do: i.credentials},
		{ID: "permissions", Phase: Preflight, Title: "Look at everything that is there", Do: i.permissions,
			Needs: on("credentials")},
		{ID: "manifests", Phase: Preflight, Title: "Read what is installed with the cluster", Do: i.checkManifests},
		{ID: "openshift-install", Phase: Preflight, Title: "Download and verify openshift-install", Do: i.openshiftInstall,
			Needs: on("credentials", "manifests"), Usual: 2 * time.Minute},
		{ID: "install-config", Phase: Preflight, Title: "Have openshift-install try the install-config", Do: i.tryConfig,
			Needs: on("openshift-install")},
		{ID: "offers", Phase: Preflight, Title: "Check instance types, templates and hypervisors", Do: i.offers,
			Needs: on("credentials", "openshift-install")},
		{ID: "collisions", Phase: Preflight, Title: "Look for names that others hold", Do: i.collisions,
			Needs: on("permissions")},
		{ID: "machines", Phase: Preflight, Title: "Compare the machines with the answers", Do: i.compareMachines,
			Needs: on("collisions", "offers")},
		{ID: stepReachability, Phase: Preflight, Title: "Check what has to be reached", Do: i.reachability},
		{ID: "quotas", Phase: Preflight, Title: "Check the quotas and estimate the cost", Do: i.quotas,
			Needs: i.withSyn(on(stepReachability, "permissions", "install-config", "offers", "collisions", "machines"), syn.StepVault, syn.StepConfiguration)},
	}
}

// infrastructureSteps make what machines need.
func (i *Installation) infrastructureSteps() provisioner.Plan {
	return slices.Concat(i.groundSteps(), i.syn.Token(Infrastructure), provisioner.Plan{
		// Not before the delegation: they would ask for names that nobody finds yet, and remember the answer.
		{ID: "load-balancers", Phase: Infrastructure, Title: "Start the load balancers", Do: i.loadBalancers,
			Needs: i.withSyn(on("ssh-key", "security-groups", "anti-affinity-groups", "delegation"), syn.StepToken), Usual: time.Minute},
		{ID: "image", Phase: Infrastructure, Title: "Register the node image", Do: i.nodeImage,
			Needs: on("quotas"), Usual: 10 * time.Minute},
		{ID: "ignition", Phase: Infrastructure, Title: "Generate manifests, certificates and Ignition documents", Do: i.generate,
			Needs: i.withSyn(on("delegation", "api-keys"), syn.StepCatalog, syn.StepToken)},
		{ID: "bootstrap-ignition", Phase: Infrastructure, Title: "Upload bootstrap.ign behind a signed link", Do: i.uploadBootstrap,
			Needs: on("ignition")},
	})
}

// groundSteps make what costs next to nothing, and what others have to be asked for.
func (i *Installation) groundSteps() provisioner.Plan {
	return provisioner.Plan{
		{ID: "ssh-key", Phase: Infrastructure, Title: "Register the SSH key", Do: i.sshKey,
			Needs: on("quotas")},
		{ID: "security-groups", Phase: Infrastructure, Title: "Create the security groups", Do: i.securityGroups,
			Needs: on("quotas"), Usual: 2 * time.Minute},
		{ID: "anti-affinity-groups", Phase: Infrastructure, Title: "Create the anti-affinity groups", Do: i.antiAffinityGroups,
			Needs: on("quotas")},
		{ID: "api-keys", Phase: Infrastructure, Title: "Make the cluster's own API keys", Do: i.access,
			Needs: on("quotas")},
		{ID: "buckets", Phase: Infrastructure, Title: "Create the cluster's buckets", Do: i.buckets,
			Needs: on("quotas")},
		{ID: "elastic-ips", Phase: Infrastructure, Title: "Reserve the elastic IPs", Do: i.elasticIPs,
			Needs: on("quotas")},
		{ID: "dns", Phase: Infrastructure, Title: "Create the DNS zone and its records", Do: i.dns,
			Needs: on("elastic-ips")},
		{ID: "delegation", Phase: Infrastructure, Title: "Wait until the domain is delegated", Do: i.delegation(),
			Needs: on("dns"), Usual: time.Minute},
	}
}

// machineSteps start the machines, all side by side: what one of them misses at first, it asks for again.
func (i *Installation) machineSteps() provisioner.Plan {
	return provisioner.Plan{
		{ID: "bootstrap-machine", Phase: Bootstrap, Title: "Start the bootstrap machine", Do: i.bootstrapMachine,
			Needs: on("bootstrap-ignition", "image", "ssh-key", "security-groups", "anti-affinity-groups"), Usual: time.Minute},
		{ID: "master-machines", Phase: ControlPlane, Title: "Start the masters", Do: i.masterMachines,
			Needs: i.beforeNodes(), Usual: time.Minute},
		{ID: "compute-machines", Phase: Nodes, Title: "Start infra, storage and worker machines", Do: i.computeMachines,
			Needs: i.beforeNodes(), Usual: 2 * time.Minute},
	}
}

// controlPlaneSteps watch the bootstrap, until the masters stand by themselves.
func (i *Installation) controlPlaneSteps() provisioner.Plan {
	return provisioner.Plan{
		{ID: stepAccess, Phase: Bootstrap, Title: "Open the bootstrap machine for a look inside", Do: i.bootstrapAccess,
			Needs: on("bootstrap-machine", "load-balancers"), Usual: time.Minute},
		{ID: "temporary-api", Phase: Bootstrap, Title: "Wait for the temporary Kubernetes API", Do: i.temporaryAPI(),
			Needs: on("bootstrap-machine", "load-balancers"), Usual: 8 * time.Minute},
		{ID: "masters", Phase: ControlPlane, Title: "Wait for the masters to join", Do: i.masters(),
			Needs: on("master-machines", "temporary-api"), Usual: 10 * time.Minute},
		{ID: "etcd", Phase: ControlPlane, Title: "Wait until etcd stands on the masters", Do: i.etcd(),
			Needs: on("master-machines", "temporary-api"), Usual: 15 * time.Minute},
		{ID: "bootstrap-complete", Phase: Bootstrap, Title: "Wait until the bootstrap is complete", Do: i.bootstrapComplete(),
			Needs: on("temporary-api"), Usual: 20 * time.Minute},
		{ID: "remove-bootstrap", Phase: Bootstrap, Title: "Remove the bootstrap machine and its document", Do: i.removeBootstrap,
			Needs: on("masters", "etcd", "bootstrap-complete", stepAccess), Usual: 3 * time.Minute},
	}
}

// clusterSteps make the cluster whole.
func (i *Installation) clusterSteps() provisioner.Plan {
	return provisioner.Plan{
		{ID: "nodes", Phase: Nodes, Title: "Wait until every node is Ready", Do: i.everyNode(),
			Needs: on("compute-machines", "masters"), Usual: 15 * time.Minute},
		{ID: "labels", Phase: Nodes, Title: "Label and taint the nodes", Do: i.labelNodes,
			Needs: on("nodes")},
		{ID: "ingress", Phase: Operators, Title: "Move the ingress to the infra nodes", Do: i.placeRouters(),
			Needs: on("labels")},
		{ID: "registry", Phase: Operators, Title: "Give the image registry its bucket", Do: i.registry(),
			Needs: on("masters", "api-keys", "buckets"), Usual: 5 * time.Minute},
		{ID: "cluster-version", Phase: Operators, Title: "Wait until the cluster version is installed", Do: i.clusterVersion(),
			Needs: on("remove-bootstrap", "ingress", "registry"), Usual: 15 * time.Minute},
		{ID: "console", Phase: Operators, Title: "Find the web console", Do: i.console,
			Needs: on("cluster-version")},
	}
}

func on(steps ...string) []string { return steps }

// withSyn adds steps of Project Syn to those that are needed, if there are any.
func (i *Installation) withSyn(needs []string, steps ...string) []string {
	if !i.syn.Connected() {
		return needs
	}
	return append(needs, steps...)
}

// beforeNodes are the steps that have to come before a machine that asks for the API. Without load balancers its name
// exists once the bootstrap machine has it; a machine that asks earlier would remember for minutes that there is none.
func (i *Installation) beforeNodes() []string {
	needs := on("ignition", "image", "ssh-key", "security-groups", "anti-affinity-groups")
	if i.spec.RoundRobin() {
		needs = append(needs, "bootstrap-machine")
	}
	return needs
}

// Steps returns the plan of a Spec for looking at; its steps cannot be run.
func Steps(spec state.Spec) provisioner.Plan {
	return (&Installation{spec: spec, syn: syn.New(syn.Installation{Spec: spec}, nil)}).Plan()
}
