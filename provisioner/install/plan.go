package install

import (
	"time"

	"exoshift/provisioner"
)

// Phases of an installation; the exit code of a failure follows from the phase.
const (
	Preflight      = "preflight"
	Infrastructure = "infrastructure"
	Bootstrap      = "bootstrap"
	ControlPlane   = "control-plane"
	Nodes          = "nodes"
	Operators      = "operators"
)

// Plan returns the steps of the installation.
func (i *Installation) Plan() provisioner.Plan {
	return provisioner.Plan{
		{ID: "credentials", Phase: Preflight, Title: "Check the credentials and the zone", Do: i.credentials},
		{ID: "quotas", Phase: Preflight, Title: "Check quotas and instance types", Do: i.quotas,
			Needs: on("credentials")},

		{ID: "ssh-key", Phase: Infrastructure, Title: "Register the SSH key", Do: i.sshKey,
			Needs: on("quotas")},
		{ID: "security-groups", Phase: Infrastructure, Title: "Create the security groups", Do: i.securityGroups,
			Needs: on("quotas"), Usual: 2 * time.Minute},
		{ID: "anti-affinity-groups", Phase: Infrastructure, Title: "Create the anti-affinity groups", Do: i.antiAffinityGroups,
			Needs: on("quotas")},
		{ID: "elastic-ips", Phase: Infrastructure, Title: "Reserve the elastic IPs", Do: i.elasticIPs,
			Needs: on("quotas")},
		{ID: "dns", Phase: Infrastructure, Title: "Create the DNS zone and its records", Do: i.dns,
			Needs: on("elastic-ips")},
		{ID: "delegation", Phase: Infrastructure, Title: "Wait until the domain resolves", Do: i.delegation(),
			Needs: on("dns"), Usual: time.Minute},
		{ID: "load-balancers", Phase: Infrastructure, Title: "Start the load balancers", Do: i.loadBalancers,
			Needs: on("ssh-key", "security-groups", "anti-affinity-groups", "elastic-ips", "dns"), Usual: 2 * time.Minute},
		{ID: "openshift-install", Phase: Infrastructure, Title: "Download and verify openshift-install", Do: i.openshiftInstall,
			Needs: on("credentials"), Usual: 2 * time.Minute},
		{ID: "image", Phase: Infrastructure, Title: "Register the node image", Do: i.nodeImage,
			Needs: on("quotas", "openshift-install"), Usual: 10 * time.Minute},
		{ID: "ignition", Phase: Infrastructure, Title: "Generate manifests, certificates and Ignition documents", Do: i.generate,
			Needs: on("quotas", "openshift-install")},
		{ID: "bootstrap-ignition", Phase: Infrastructure, Title: "Upload bootstrap.ign behind a signed link", Do: i.uploadBootstrap,
			Needs: on("ignition")},

		{ID: "bootstrap-machine", Phase: Bootstrap, Title: "Start the bootstrap machine", Do: i.bootstrapMachine,
			Needs: on("bootstrap-ignition", "image", "load-balancers", "delegation"), Usual: time.Minute},
		{ID: "master-machines", Phase: ControlPlane, Title: "Start the masters", Do: i.masterMachines,
			Needs: on("ignition", "image", "load-balancers", "delegation"), Usual: time.Minute},
		{ID: "compute-machines", Phase: Nodes, Title: "Start infra, storage and worker machines", Do: i.computeMachines,
			Needs: on("ignition", "image", "load-balancers", "delegation"), Usual: 2 * time.Minute},

		{ID: "temporary-api", Phase: Bootstrap, Title: "Wait for the temporary Kubernetes API", Do: i.temporaryAPI(),
			Needs: on("bootstrap-machine"), Usual: 8 * time.Minute},
		{ID: "masters", Phase: ControlPlane, Title: "Wait for the masters to join", Do: i.explained(i.masters()),
			Needs: on("master-machines", "temporary-api"), Usual: 10 * time.Minute},
		{ID: "etcd", Phase: ControlPlane, Title: "Wait until etcd stands on the masters", Do: i.explained(i.etcd()),
			Needs: on("master-machines", "temporary-api"), Usual: 15 * time.Minute},
		{ID: "bootstrap-complete", Phase: Bootstrap, Title: "Wait until the bootstrap is complete", Do: i.bootstrapComplete(),
			Needs: on("temporary-api"), Usual: 20 * time.Minute},
		{ID: "remove-bootstrap", Phase: Bootstrap, Title: "Remove the bootstrap machine and its document", Do: i.removeBootstrap,
			Needs: on("masters", "etcd", "bootstrap-complete"), Usual: time.Minute},

		{ID: "nodes", Phase: Nodes, Title: "Wait until every node is Ready", Do: i.everyNode(),
			Needs: on("compute-machines", "masters"), Usual: 15 * time.Minute},
		{ID: "labels", Phase: Nodes, Title: "Label and taint the nodes", Do: i.labelNodes,
			Needs: on("nodes")},
		{ID: "ingress", Phase: Operators, Title: "Move the ingress to the infra nodes", Do: i.placeIngress,
			Needs: on("labels")},
		{ID: "cluster-version", Phase: Operators, Title: "Wait until the cluster version is installed", Do: i.clusterVersion(),
			Needs: on("remove-bootstrap", "ingress"), Usual: 15 * time.Minute},
		{ID: "console", Phase: Operators, Title: "Find the web console", Do: i.console,
			Needs: on("cluster-version")},
	}
}

func on(steps ...string) []string { return steps }
