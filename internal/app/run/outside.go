package run

import (
	"context"
	"net"
	"strconv"

	"exoshift/internal/network"
	"exoshift/provisioner/balancers"
	provisionernetwork "exoshift/provisioner/install/network"
	"exoshift/provisioner/openshift"
	"exoshift/provisioner/openshift/bootstraphost"
)

// outside asks load balancers from this workstation.
type outside struct {
	*bootstraphost.Host
	network    network.Network
	kubeconfig func() ([]byte, error)
}

// NewOutside returns what asks load balancers, and the API by each of them.
func NewOutside(network network.Network, host *bootstraphost.Host, kubeconfig func() ([]byte, error)) balancers.Outside {
	return outside{host, network, kubeconfig}
}

// CheckAPI sends a request to the cluster's API by one address, whatever the name of the API leads to.
func (o outside) CheckAPI(ctx context.Context, address string) error {
	through := o.network
	through.Dial = func(ctx context.Context, proto, _ string) (net.Conn, error) {
		return o.network.Dial(ctx, proto, net.JoinHostPort(address, strconv.Itoa(provisionernetwork.PortAPI)))
	}
	api := openshift.NewCluster(through, o.kubeconfig)
	defer api.Close()
	return api.CheckAPI(ctx)
}
