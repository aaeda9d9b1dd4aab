// Package openshift observes and completes an installation through the cluster's API: Cluster joins the packages below, one for
// each thing that the API is used for. client-go is imported here and below only.
package openshift

import (
	"exoshift/internal/network"
	"exoshift/provisioner/openshift/adminaccess"
	"exoshift/provisioner/openshift/alerts"
	"exoshift/provisioner/openshift/apply"
	"exoshift/provisioner/openshift/ceph"
	"exoshift/provisioner/openshift/claims"
	"exoshift/provisioner/openshift/configure"
	"exoshift/provisioner/openshift/credentials"
	"exoshift/provisioner/openshift/csr"
	"exoshift/provisioner/openshift/drain"
	"exoshift/provisioner/openshift/dump"
	"exoshift/provisioner/openshift/emergency"
	"exoshift/provisioner/openshift/etcd"
	"exoshift/provisioner/openshift/hostbackup"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/provisioner/openshift/maintenance"
	"exoshift/provisioner/openshift/nodeauthority"
	"exoshift/provisioner/openshift/nodeprobe"
	"exoshift/provisioner/openshift/objectarchive"
	"exoshift/provisioner/openshift/objectrestore"
	"exoshift/provisioner/openshift/observe"
	"exoshift/provisioner/openshift/power"
	"exoshift/provisioner/openshift/synthesis"
	"exoshift/provisioner/openshift/upgrade"
)

// Cluster is the cluster that is being installed: all that its API is used for.
type Cluster struct {
	*kubeapi.Connector
	*observe.Observer
	*csr.Approver
	*configure.Configurer
	*apply.Applier
	*synthesis.Reader
	*maintenance.Scheduler
	*alerts.Alertmanager
	*emergency.Verifier
	*dump.Dumper
	*claims.Lister
	*drain.Drainer
	*etcd.Members
	*power.Inspector
	*nodeprobe.Prober
	*ceph.Administrator
	*credentials.Keeper
	*adminaccess.Changer
	*hostbackup.Maker
	*objectarchive.Archiver
	*objectrestore.Restorer
	NodeAuthority *nodeauthority.Reader // by its name: another one is embedded
	*upgrade.Updater
}

// NewCluster returns the cluster of a kubeconfig, which is read on every use: a different kubeconfig means a different cluster,
// whose history is empty. The API is reached through net, with the CAs and credentials that the kubeconfig embeds.
func NewCluster(net network.Network, kubeconfig func() ([]byte, error)) *Cluster {
	connector, reviewer := kubeapi.NewConnector(net, kubeconfig), &csr.Reviewer{}
	return &Cluster{
		Connector:     connector,
		Observer:      observe.New(connector, reviewer),
		Approver:      csr.NewApprover(connector, reviewer),
		Configurer:    configure.New(connector),
		Applier:       apply.New(connector),
		Reader:        synthesis.New(connector),
		Scheduler:     maintenance.New(connector),
		Alertmanager:  alerts.New(connector),
		Verifier:      emergency.New(connector),
		Dumper:        dump.New(connector),
		Lister:        claims.New(connector),
		Drainer:       drain.New(connector),
		Members:       etcd.New(connector),
		Inspector:     power.New(connector),
		Prober:        nodeprobe.New(connector),
		Administrator: ceph.New(connector),
		Keeper:        credentials.New(connector),
		Changer:       adminaccess.New(connector),
		Maker:         hostbackup.New(connector),
		Archiver:      objectarchive.New(connector),
		Restorer:      objectrestore.New(connector),
		NodeAuthority: nodeauthority.New(connector),
		Updater:       upgrade.New(connector),
	}
}

// Close stops background probes and closes idle connections; the Cluster stays usable.
func (c *Cluster) Close() {
	c.Observer.Close()
	c.Connector.Close()
}
