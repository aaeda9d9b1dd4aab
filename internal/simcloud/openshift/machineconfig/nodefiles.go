package machineconfig

import (
	"encoding/json"

	"exoshift/internal/simcloud/machine"
)

// Files of a node.
const (
	machineConfigFile   = "/etc/mcs-machine-config-content.json" // what the machine config server gave the machine
	BootstrapAccessFile = "/etc/kubernetes/kubeconfig"           // of the node bootstrapper
	HostnameFile        = "/etc/hostname"
)

// IsNode reports whether a machine has got a configuration from the machine config server.
func IsNode(m machine.Machine) bool {
	_, ok := m.ReadFile(machineConfigFile)
	return ok
}

// NodeConfig is what the software of a node needs to know.
type NodeConfig struct {
	Role    string `json:"role"`
	InfraID string `json:"infraID"`
	Version string `json:"version"` // of OpenShift
	// Rendered is the name of the rendered configuration of the machine's role.
	Rendered string `json:"rendered,omitempty"`
	// ExternalCloud: nodes start tainted until a cloud controller has initialized them.
	ExternalCloud bool `json:"externalCloud"`
}

// ReadNodeConfig reads it from a machine's disk.
func ReadNodeConfig(m machine.Machine) (NodeConfig, error) {
	var config NodeConfig
	content, _ := m.ReadFile(machineConfigFile)
	err := json.Unmarshal(content, &config)
	return config, err
}
