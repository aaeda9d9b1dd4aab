package install

import (
	"exoshift/provisioner"
	"exoshift/provisioner/balancers"
	"exoshift/provisioner/install/access"
	"exoshift/provisioner/install/bootstrap"
	"exoshift/provisioner/install/generation"
	"exoshift/provisioner/install/machines"
	"exoshift/provisioner/install/network"
	"exoshift/provisioner/install/nodeimage"
	"exoshift/provisioner/install/operators"
	"exoshift/provisioner/install/preflight"
	"exoshift/provisioner/install/supportbundle"
	"exoshift/provisioner/install/syn"
	"exoshift/provisioner/install/watch"
	"exoshift/state"
)

// Clients is the clients of the recipe. Each group of steps declares the part of them that it needs.
type Clients struct {
	Cloud     Cloud
	Objects   Objects
	Installer Installer
	Images    nodeimage.Source
	Cluster   Cluster
	Names     network.Resolver
	Clock     provisioner.Clock
	// ImageCopier copies images by machines in the zone; nil: images pass this machine.
	ImageCopier nodeimage.Copier
	Bootstrap   bootstrap.Host         // nil: no access to the bootstrap machine
	Authority   machines.Authority     // nil: new nodes of a cluster that runs trust the authority of its installation
	Balancers   machines.Balancers     // nil: load balancers are not asked whether they work
	Roll        *balancers.Clients     // nil: load balancers of a running cluster are not replaced
	BootLogs    machines.BootLogs      // nil: what load balancers said while they booted is not read
	Reach       preflight.Reachability // nil: not checked
	Syn         *syn.Clients           // nil: without Project Syn
}

// Cloud is the part of Exoscale's API that the recipe uses. Every Ensure method searches by name and label first: one
// object of that name is used (and awaited until it is ready), with none it is created, several are a fault.Conflict.
// The action is the outcome. Every Delete method accepts an object that is gone already and then reports state.Found.
type Cloud interface {
	preflight.Cloud
	network.Cloud
	access.Cloud
	nodeimage.Cloud
	machines.Cloud
	bootstrap.Cloud
	// OnOutage makes the client patient with an API that is away. notify is called once when an outage is more than a
	// moment and once when it is over; it must not call the client.
	OnOutage(notify func(state.Outage))
}

// Objects is the object storage.
type Objects interface {
	preflight.Objects
	access.Objects
	nodeimage.Objects
	bootstrap.Objects
}

// Installer is openshift-install of one version.
type Installer interface {
	generation.Installer
	nodeimage.Finder
}

// Cluster is the OpenShift cluster during its installation. Errors of an API that does not answer (yet) are
// fault.Transient.
type Cluster interface {
	watch.Cluster
	operators.Cluster
	supportbundle.Cluster
}
