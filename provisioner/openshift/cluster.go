package openshift

import "exoshift/internal/network"

// Cluster is the cluster that is being installed: all that its API is used for.
type Cluster struct {
	*Connector
	*Observer
	*Approver
	*Configurer
	*Applier
	*Reader
	*Scheduler
	*Alertmanager
	*Verifier
	*Dumper
	*Lister
}

// NewCluster returns the cluster of a kubeconfig, which is read on every use: a different kubeconfig means a different cluster,
// whose history is empty. The API is reached through net, with the CAs and credentials that the kubeconfig embeds.
func NewCluster(net network.Network, kubeconfig func() ([]byte, error)) *Cluster {
	connector, reviewer := NewConnector(net, kubeconfig), &Reviewer{}
	return &Cluster{
		Connector:    connector,
		Observer:     NewObserver(connector, reviewer),
		Approver:     NewApprover(connector, reviewer),
		Configurer:   NewConfigurer(connector),
		Applier:      NewApplier(connector),
		Reader:       NewReader(connector),
		Scheduler:    NewScheduler(connector),
		Alertmanager: NewAlertmanager(connector),
		Verifier:     NewVerifier(connector),
		Dumper:       NewDumper(connector),
		Lister:       NewLister(connector),
	}
}

// Close stops background probes and closes idle connections; the Cluster stays usable.
func (c *Cluster) Close() {
	c.Observer.Close()
	c.Connector.Close()
}
