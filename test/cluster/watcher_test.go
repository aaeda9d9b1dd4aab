package cluster

import (
	"context"
	"net"
	"net/netip"
	"testing"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/certificate"
	"exoshift/provisioner/openshift"
	"exoshift/state"
)

// watcher is exoshift's own view of a cluster, as it is.
type watcher struct {
	*openshift.Cluster
	expected []state.ExpectedNode
}

// bootstrapAddress is where exoshift believes the bootstrap machine to be.
const bootstrapAddress = "192.0.2.10"

// watch looks at the API behind a port of loopback, as a user whose certificate is by authority.
func watch(t *testing.T, port string, authority, user certificate.Pair) *watcher {
	t.Helper()
	config := kubeconfig(t, "https://"+net.JoinHostPort(apiName, port), authority, user)
	loopback := network.Network{Dial: toLoopback(port), Lookup: onLoopback}
	w := &watcher{Cluster: openshift.NewCluster(loopback, func() ([]byte, error) { return config, nil })}
	t.Cleanup(w.Close)
	return w
}

// watch looks at the control plane as its administrator.
func (p *plane) watch(t *testing.T, port string) *watcher {
	t.Helper()
	return watch(t, port, p.authority, issueUser(t, p.authority, "system:admin", "system:masters"))
}

// toLoopback leads the API's name, and the API of the bootstrap machine, to a port of loopback; nothing else is there.
func toLoopback(port string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		switch address {
		case net.JoinHostPort(apiName, port), net.JoinHostPort(bootstrapAddress, "6443"):
			return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
		}
		return nil, &net.OpError{Op: "dial", Net: network, Err: &net.AddrError{Err: "nothing is there", Addr: address}}
	}
}

func onLoopback(_ context.Context, name string) ([]netip.Addr, error) {
	if name == apiName {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

// look takes a look that has to succeed.
func (w *watcher) poll(t *testing.T) state.Snapshot {
	t.Helper()
	seen, err := w.try(t)
	must(t, err)
	return seen
}

func (w *watcher) try(t *testing.T) (state.Snapshot, error) {
	t.Helper()
	return w.Poll(t.Context(), netip.MustParseAddr(bootstrapAddress), w.expected)
}
