package installer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml"

	"exoshift/internal/simcloud/mirror"
)

// installConfig is install-config.yaml. Fields without effect on the simulated cluster are raw.
type installConfig struct {
	APIVersion      string        `json:"apiVersion"`
	BaseDomain      string        `json:"baseDomain"`
	Metadata        metadataField `json:"metadata"`
	Networking      networking    `json:"networking"`
	ControlPlane    machinePool   `json:"controlPlane"`
	Compute         []machinePool `json:"compute"`
	Platform        platformField `json:"platform"`
	Publish         string        `json:"publish,omitempty"`
	CredentialsMode string        `json:"credentialsMode,omitempty"`
	PullSecret      string        `json:"pullSecret"`
	SSHKey          string        `json:"sshKey,omitempty"`
	TrustBundle     string        `json:"additionalTrustBundle,omitempty"`
	TrustPolicy     string        `json:"additionalTrustBundlePolicy,omitempty"`
	Proxy           *proxy        `json:"proxy,omitempty"`
	FIPS            bool          `json:"fips,omitempty"`

	Capabilities       any `json:"capabilities,omitempty"`
	FeatureSet         any `json:"featureSet,omitempty"`
	FeatureGates       any `json:"featureGates,omitempty"`
	BootstrapInPlace   any `json:"bootstrapInPlace,omitempty"`
	ImageDigestSources any `json:"imageDigestSources,omitempty"`
	CPUPartitioning    any `json:"cpuPartitioningMode,omitempty"`
}

type metadataField struct {
	Name              string `json:"name"`
	CreationTimestamp any    `json:"creationTimestamp,omitempty"`
}

type platformField struct {
	None     *struct{}         `json:"none,omitempty"`
	External *externalPlatform `json:"external,omitempty"`
}

type networking struct {
	NetworkType    string        `json:"networkType"`
	MachineNetwork []networkCIDR `json:"machineNetwork"`
	ClusterNetwork []networkCIDR `json:"clusterNetwork"`
	ServiceNetwork []string      `json:"serviceNetwork"`
	OVN            *ovn          `json:"ovnKubernetesConfig,omitempty"`
}

type networkCIDR struct {
	CIDR       string `json:"cidr"`
	HostPrefix int    `json:"hostPrefix,omitempty"`
}

type ovn struct {
	IPv4 *struct {
		InternalJoinSubnet string `json:"internalJoinSubnet,omitempty"`
	} `json:"ipv4,omitempty"`
}

type machinePool struct {
	Name           string `json:"name"`
	Replicas       *int   `json:"replicas"`
	Hyperthreading string `json:"hyperthreading,omitempty"`
	Architecture   string `json:"architecture,omitempty"`
	Platform       any    `json:"platform,omitempty"`
}

type externalPlatform struct {
	PlatformName           string `json:"platformName"`
	CloudControllerManager string `json:"cloudControllerManager"`
}

// parseConfig applies openshift-install's defaults for a release and validates. Warnings about what is accepted anyway go to
// warn. fips is set for the build that may install clusters in FIPS mode.
func parseConfig(content []byte, release mirror.Release, fips bool, warn func(string)) (installConfig, error) {
	var config installConfig
	encoded, err := yaml.YAMLToJSON(content)
	if err != nil {
		return config, fmt.Errorf("failed to unmarshal %s: error converting YAML to JSON: %w", configFile, err)
	}
	unknown, err := decode(encoded, &config)
	if err != nil {
		return config, fmt.Errorf("failed to unmarshal %s: error unmarshaling JSON: while decoding JSON: %w", configFile, err)
	}
	if unknown != nil {
		warn(fmt.Sprintf("failed to parse first occurrence of unknown field: failed to unmarshal %s: error unmarshaling JSON: while decoding JSON: %v", configFile, unknown))
	}
	config.setDefaults()
	return config, config.validate(release, fips, warn)
}

// decode is strict at first, and returns the strict error as a warning when lenient decoding succeeds.
func decode(encoded []byte, config *installConfig) (unknown, err error) {
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.DisallowUnknownFields()
	if err = decoder.Decode(config); err == nil || errors.Is(err, io.EOF) {
		return nil, nil
	}
	if !strings.Contains(err.Error(), "unknown field") {
		return nil, err
	}
	*config = installConfig{}
	return err, json.Unmarshal(encoded, config)
}

func (c *installConfig) setDefaults() {
	three := 3
	c.ControlPlane.Name = defaultTo(c.ControlPlane.Name, "master")
	c.ControlPlane.Replicas = defaultTo(c.ControlPlane.Replicas, &three)
	if len(c.Compute) == 0 {
		c.Compute = []machinePool{{Name: "worker"}}
	}
	c.Compute[0].Replicas = defaultTo(c.Compute[0].Replicas, &three)
	network := &c.Networking
	network.NetworkType = defaultTo(network.NetworkType, ovnKubernetes)
	if len(network.MachineNetwork) == 0 {
		network.MachineNetwork = []networkCIDR{{CIDR: "10.0.0.0/16"}}
	}
	if len(network.ClusterNetwork) == 0 {
		network.ClusterNetwork = []networkCIDR{{CIDR: "10.128.0.0/14", HostPrefix: 23}}
	}
	if len(network.ServiceNetwork) == 0 {
		network.ServiceNetwork = []string{"172.30.0.0/16"}
	}
	c.Publish = defaultTo(c.Publish, "External")
	c.TrustPolicy = defaultTo(c.TrustPolicy, trustForProxyOnly)
}

func defaultTo[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

func (c installConfig) clusterDomain() string {
	return c.Metadata.Name + "." + strings.TrimSuffix(c.BaseDomain, ".")
}

// computeReplicas returns the number of compute machines; 0 makes masters schedulable.
func (c installConfig) computeReplicas() int {
	total := 0
	for _, pool := range c.Compute {
		if pool.Replicas != nil {
			total += *pool.Replicas
		}
	}
	return total
}

func (c installConfig) platformName() string {
	if c.Platform.External != nil {
		return "external"
	}
	return "none"
}
