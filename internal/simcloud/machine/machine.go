// Package machine is the interface of a simulated virtual machine for the software that runs on it: an address, a network under
// the security groups in force, ports to listen on, a disk that survives a restart of the zone.
package machine

import (
	"context"
	"net"
	"net/netip"

	"exoshift/internal/network"
)

// Machine is a running virtual machine as its software uses it.
type Machine interface {
	// ID is the UUID of the firmware: on Exoscale that of the instance.
	ID() string
	Name() string
	Address() netip.Addr
	// DefaultAddress is the address of the interface with the default route at boot, which the kubelet takes for that of its node. It
	// differs from Address on a private network with a router.
	DefaultAddress() netip.Addr
	// Network dials from this machine's address; names are resolved by the zone's resolvers.
	Network() network.Network
	// Listen opens a port on this machine's address. Security groups decide who can reach it.
	Listen(port int) (net.Listener, error)
	ReadFile(path string) ([]byte, bool)
	// WriteFile persists a file at once: after a kill of the process the machine resumes with its disk unchanged.
	WriteFile(path string, content []byte) error
	// Console writes a line to the machine's console, for debugging the simulation.
	Console(format string, args ...any)
}

// Software runs on a machine from its boot until ctx ends, when the machine stops. It must return soon after that,
// with all its goroutines ended, its listeners and connections closed.
type Software func(ctx context.Context, m Machine)
