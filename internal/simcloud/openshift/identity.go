package openshift

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"exoshift/internal/simcloud/machine"
)

const namelessHost = "localhost.localdomain"

// getNodeName returns the host name; machines without one share namelessHost, as in reality.
func getNodeName(m machine.Machine) string {
	content, _ := m.ReadFile(hostnameFile)
	if name := strings.TrimSpace(string(content)); name != "" {
		return name
	}
	return namelessHost
}

// hostnameTimeout limits the wait for a host name at boot (from memory, unverified).
const hostnameTimeout = 5 * time.Minute

// awaitHostname is node-valid-hostname.service, after which the kubelet starts with any name; false if ctx ended.
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

// getAddress returns the node IP that the kubelet chooses: that of the second interface, if there is one.
func (k *kubelet) getAddress() netip.Addr {
	own := k.machine.Address()
	if !k.clusters.faults.SecondInterface || !strings.HasPrefix(k.node+".", "master-1.") {
		return own
	}
	bytes := own.As4()
	return netip.AddrFrom4([4]byte{10, 100, 0, bytes[3]})
}
