package installer

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"golang.org/x/crypto/ssh"
)

// installConfig is the part of install-config.yaml that the simulated cluster depends on.
type installConfig struct {
	APIVersion string `yaml:"apiVersion"`
	BaseDomain string `yaml:"baseDomain"`
	Metadata   struct {
		Name string `yaml:"name"`
	} `yaml:"metadata"`
	Networking   networking    `yaml:"networking"`
	ControlPlane machinePool   `yaml:"controlPlane"`
	Compute      []machinePool `yaml:"compute"`
	Platform     struct {
		None     *struct{}         `yaml:"none"`
		External *externalPlatform `yaml:"external"`
	} `yaml:"platform"`
	Publish         string `yaml:"publish"`
	CredentialsMode string `yaml:"credentialsMode"`
	PullSecret      string `yaml:"pullSecret"`
	SSHKey          string `yaml:"sshKey"`
}

type networking struct {
	NetworkType    string        `yaml:"networkType"`
	MachineNetwork []networkCIDR `yaml:"machineNetwork"`
	ClusterNetwork []networkCIDR `yaml:"clusterNetwork"`
	ServiceNetwork []string      `yaml:"serviceNetwork"`
}

type networkCIDR struct {
	CIDR       string `yaml:"cidr"`
	HostPrefix int    `yaml:"hostPrefix,omitempty"`
}

type machinePool struct {
	Name     string `yaml:"name"`
	Replicas *int   `yaml:"replicas"`
}

type externalPlatform struct {
	PlatformName           string `yaml:"platformName"`
	CloudControllerManager string `yaml:"cloudControllerManager"`
}

// parseConfig reads an install-config and fills in openshift-install's defaults.
func parseConfig(content []byte) (installConfig, error) {
	var config installConfig
	if err := yaml.Unmarshal(content, &config); err != nil {
		return config, fmt.Errorf("failed to unmarshal install-config.yaml: %w", err)
	}
	three := 3
	config.ControlPlane.Replicas = orDefault(config.ControlPlane.Replicas, &three)
	if len(config.Compute) == 0 {
		config.Compute = []machinePool{{Name: "worker"}}
	}
	config.Compute[0].Replicas = orDefault(config.Compute[0].Replicas, &three)
	network := &config.Networking
	network.NetworkType = orDefault(network.NetworkType, "OVNKubernetes")
	if len(network.MachineNetwork) == 0 {
		network.MachineNetwork = []networkCIDR{{CIDR: "10.0.0.0/16"}}
	}
	if len(network.ClusterNetwork) == 0 {
		network.ClusterNetwork = []networkCIDR{{CIDR: "10.128.0.0/14", HostPrefix: 23}}
	}
	if len(network.ServiceNetwork) == 0 {
		network.ServiceNetwork = []string{"172.30.0.0/16"}
	}
	return config, config.validate()
}

func orDefault[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// domain returns the cluster domain.
func (c installConfig) domain() string { return c.Metadata.Name + "." + c.BaseDomain }

// computeReplicas counts the compute machines; it decides whether masters take workloads.
func (c installConfig) computeReplicas() int {
	total := 0
	for _, pool := range c.Compute {
		if pool.Replicas != nil {
			total += *pool.Replicas
		}
	}
	return total
}

var domainName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

func (c installConfig) validate() error {
	var faults []string
	check := func(ok bool, field, format string, args ...any) {
		if !ok {
			faults = append(faults, field+": "+fmt.Sprintf(format, args...))
		}
	}
	check(c.APIVersion == "v1", "apiVersion", `Invalid value: %q: install-config version must be "v1"`, c.APIVersion)
	check(domainName.MatchString(c.Metadata.Name) && len(c.Metadata.Name) <= 54, "metadata.name",
		"Invalid value: %q: must be a lower case DNS name of at most 54 characters", c.Metadata.Name)
	check(domainName.MatchString(c.BaseDomain) && len(c.domain()) <= 253, "baseDomain",
		"Invalid value: %q: must be a lower case DNS name", c.BaseDomain)
	check((c.Platform.None == nil) != (c.Platform.External == nil), "platform",
		"Invalid value: must specify exactly one of none, external")
	check(*c.ControlPlane.Replicas == 1 || *c.ControlPlane.Replicas >= 3, "controlPlane.replicas",
		"Invalid value: %d: number of control plane replicas must be 1 or at least 3", *c.ControlPlane.Replicas)
	check(c.Publish == "" || c.Publish == "External", "publish", "Invalid value: %q: not supported on this platform", c.Publish)
	check(c.CredentialsMode == "", "credentialsMode", "Invalid value: %q: cannot be set on this platform", c.CredentialsMode)
	check(validPullSecret(c.PullSecret), "pullSecret", "Invalid value: must be JSON with non-empty auths, each with auth or credsStore")
	_, _, _, _, err := ssh.ParseAuthorizedKey([]byte(c.SSHKey))
	check(c.SSHKey == "" || err == nil, "sshKey", "Invalid value: not a public key in authorized_keys form")
	faults = append(faults, c.Networking.faults()...)
	if len(faults) > 0 {
		return errors.New(`invalid "install-config.yaml" file: [` + strings.Join(faults, ", ") + "]")
	}
	return nil
}

func validPullSecret(text string) bool {
	var secret struct {
		Auths map[string]struct {
			Auth       string `json:"auth"`
			CredsStore string `json:"credsStore"`
		} `json:"auths"`
	}
	if json.Unmarshal([]byte(text), &secret) != nil || len(secret.Auths) == 0 {
		return false
	}
	for _, entry := range secret.Auths {
		if entry.Auth == "" && entry.CredsStore == "" {
			return false
		}
	}
	return true
}

// faults checks the address ranges: canonical, and none overlapping another.
func (n networking) faults() []string {
	var faults []string
	var seen []netip.Prefix
	check := func(field, cidr string) {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil || prefix.Masked() != prefix {
			faults = append(faults, fmt.Sprintf("%s: Invalid value: %q: invalid network address", field, cidr))
			return
		}
		for _, other := range seen {
			if other.Overlaps(prefix) {
				faults = append(faults, fmt.Sprintf("%s: Invalid value: %q: must not overlap with %s", field, cidr, other))
			}
		}
		seen = append(seen, prefix)
	}
	for _, network := range n.MachineNetwork {
		check("networking.machineNetwork[0]", network.CIDR)
	}
	for _, network := range n.ServiceNetwork {
		check("networking.serviceNetwork[0]", network)
	}
	for _, network := range n.ClusterNetwork {
		check("networking.clusterNetwork[0].cidr", network.CIDR)
	}
	if n.NetworkType == "OpenShiftSDN" || n.NetworkType == "Kuryr" {
		faults = append(faults, fmt.Sprintf("networking.networkType: Invalid value: %q: not supported", n.NetworkType))
	}
	return faults
}
