package openshift

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"exoshift/internal/simcloud/machine"
)

// namelessHost is the name of every machine that was given none.
const namelessHost = "localhost.localdomain"

// getNodeName is the machine's host name; without one it is the same everywhere, as in reality.
func getNodeName(m machine.Machine) string {
	content, _ := m.ReadFile(hostnameFile)
	if name := strings.TrimSpace(string(content)); name != "" {
		return name
	}
	return namelessHost
}

// hostnameTimeout is how long the start of a machine waits for a name (from memory, unverified).
const hostnameTimeout = 5 * time.Minute

// awaitHostname is node-valid-hostname.service, after which the kubelet starts with whatever name there is; false if
// ctx ended before.
func (k *kubelet) awaitHostname(ctx context.Context) bool {
	if k.node != namelessHost {
		return true
	}
	k.machine.Console("node-valid-hostname.service: waiting for non-localhost hostname to be assigned")
	if k.clusters.clock.Sleep(ctx, hostnameTimeout) != nil {
		return false
	}
	k.machine.Console("node-valid-hostname.service: Failed with result 'timeout'")
	return true
}

// getAddress is what the kubelet takes for the machine's address: that of the second interface, if there is one.
func (k *kubelet) getAddress() netip.Addr {
	own := k.machine.Address()
	if !k.clusters.faults.SecondInterface || !strings.HasPrefix(k.node+".", "master-1.") {
		return own
	}
	bytes := own.As4()
	return netip.AddrFrom4([4]byte{10, 100, 0, bytes[3]})
}
