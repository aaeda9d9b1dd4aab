package probe

import (
	"context"
	"errors"
	"net"

	"exoshift/wizard/reach"
)

// errNoDatagrams: what is asked by UDP cannot be found out behind a proxy.
var errNoDatagrams = errors.New("this machine gets out by a proxy, which carries no UDP")

// resolveUDP looks up the host and returns where its answers by UDP come from. Where a proxy is the way out, nothing is
// sent around it.
func (a *attempt) resolveUDP(ctx context.Context) ([]string, error) {
	if proxy, err := a.findProxy(); err == nil && proxy != nil {
		return nil, errNoDatagrams
	}
	if err := a.resolve(ctx); err != nil {
		return nil, err
	}
	var list []string
	for _, address := range a.addresses {
		list = append(list, net.JoinHostPort(address.String(), a.target.port))
	}
	return list, nil
}

// newUDPError notes that nothing came back. That is no timeout only if the host said that nobody listens.
func (a *attempt) newUDPError(err error) error {
	if isTimeout(err) {
		return a.fail(&a.layers.TCP, reach.UDPTimeout, err)
	}
	return a.fail(&a.layers.TCP, mapConnectError(err), err)
}

// isNetwork tells whether an error came with the connection, and not with what was said.
func isNetwork(err error) bool {
	var broken *net.OpError
	return errors.As(err, &broken) || isTimeout(err) || isCut(err)
}
