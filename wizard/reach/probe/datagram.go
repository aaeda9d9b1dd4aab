package probe

import (
	"context"
	"errors"
	"net"

	"exoshift/wizard/reach"
)

var errNoDatagrams = errors.New("this machine gets out by a proxy, which carries no UDP")

// Behind a proxy nothing is sent around it.
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

// No answer is a timeout, unless the host reported that the port is closed.
func (a *attempt) newUDPError(err error) error {
	if isTimeout(err) {
		return a.fail(&a.layers.TCP, reach.UDPTimeout, err)
	}
	return a.fail(&a.layers.TCP, mapConnectError(err), err)
}

func isNetwork(err error) bool {
	var broken *net.OpError
	return errors.As(err, &broken) || isTimeout(err) || isCut(err)
}
