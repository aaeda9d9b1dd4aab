// Package state defines the data of an installation, what is wanted (Spec) and what was created (Facts), and the folder
// that stores it.
package state

import (
	"fmt"
	"slices"

	"exoshift/state/poolmember"
)

// APIVersion and Kind begin every answers file.
const (
	APIVersion = "exoshift/v1alpha1"
	Kind       = "Cluster"
)

// Spec is everything an operator decides about a cluster. It holds no secret, only references to secrets.
type Spec struct {
	APIVersion    string            `yaml:"apiVersion" json:"apiVersion"`
	Kind          string            `yaml:"kind" json:"kind"`
	Cluster       ClusterSpec       `yaml:"cluster" json:"cluster"`
	Exoscale      ExoscaleSpec      `yaml:"exoscale" json:"exoscale"`
	Sizing        SizingSpec        `yaml:"sizing" json:"sizing"`
	Network       NetworkSpec       `yaml:"network" json:"network"`
	DNS           DNSSpec           `yaml:"dns" json:"dns"`
	LoadBalancer  LoadBalancerSpec  `yaml:"loadBalancer" json:"loadBalancer"`
	Syn           SynSpec           `yaml:"syn" json:"syn"`
	OpenShift     OpenShiftSpec     `yaml:"openshift" json:"openshift"`
	ObjectStorage ObjectStorageSpec `yaml:"objectStorage" json:"objectStorage"`
	Checks        ChecksSpec        `yaml:"checks,omitempty" json:"checks,omitzero"`

	// Indices are no answers: they are the facts' NodeIndices, with which the machines of a group have their names.
	Indices map[Role][]int `yaml:"-" json:"-"`
	// Members are no answers either: they are the facts' PoolMembers, and those that this run has seen.
	Members *poolmember.Members[Role] `yaml:"-" json:"-"`
}

// ClusterSpec names the cluster.
type ClusterSpec struct {
	ID          string `yaml:"id" json:"id"`                                       // DNS-1123 label, at most 48 characters
	DisplayName string `yaml:"displayName,omitempty" json:"displayName,omitempty"` // for humans
	BaseDomain  string `yaml:"baseDomain" json:"baseDomain"`                       // the cluster's zone is <id>.<base domain>
	Profile     string `yaml:"profile,omitempty" json:"profile,omitempty"`         // whose defaults other answers have; see the constants

	Labels map[string]string `yaml:"labels,omitempty" json:"labels,omitempty"` // select it among a fleet's clusters
}

// Profiles. None is ProfileAPPUiO with Project Syn, and ProfilePlain without.
const (
	ProfileAPPUiO = "appuio" // of APPUiO Managed OpenShift 4
	ProfilePlain  = "plain"  // OpenShift's own defaults
)

// ExoscaleSpec is the zone and the credentials of the organization.
type ExoscaleSpec struct {
	Zone      string    `yaml:"zone" json:"zone"`
	APIKey    SecretRef `yaml:"apiKey" json:"apiKey"`
	APISecret SecretRef `yaml:"apiSecret" json:"apiSecret"`

	DeployTarget   string `yaml:"deployTarget,omitempty" json:"deployTarget,omitempty"`     // name of dedicated hypervisors; "" for any
	ProtectMasters bool   `yaml:"protectMasters,omitempty" json:"protectMasters,omitempty"` // masters cannot be deleted by mistake
}

// SecretRef refers to a secret; exactly one field is set.
type SecretRef struct {
	Env  string `yaml:"env,omitempty" json:"env,omitempty"`   // name of an environment variable
	File string `yaml:"file,omitempty" json:"file,omitempty"` // path of a file that only its owner can read
	Exo  string `yaml:"exo,omitempty" json:"exo,omitempty"`   // name of an account of the program exo; for exoscale.apiKey and apiSecret only
}

// SizingSpec holds the machines of each role.
type SizingSpec struct {
	Bootstrap     MachineSpec `yaml:"bootstrap" json:"bootstrap"` // its count is always 1
	LoadBalancers MachineSpec `yaml:"loadBalancers" json:"loadBalancers"`
	ControlPlane  MachineSpec `yaml:"controlPlane" json:"controlPlane"`
	Infra         MachineSpec `yaml:"infra" json:"infra"`
	Storage       MachineSpec `yaml:"storage" json:"storage"`
	Workers       MachineSpec `yaml:"workers" json:"workers"`
	ExtraGroups   []GroupSpec `yaml:"extraGroups,omitempty" json:"extraGroups,omitempty"`
}

// MachineSpec describes the equal machines of a role.
type MachineSpec struct {
	Type     string `yaml:"type" json:"type"`                             // <family>.<size>
	Count    int    `yaml:"count" json:"count"`                           //
	RootDisk int    `yaml:"rootDisk" json:"rootDisk"`                     // GiB
	DataDisk int    `yaml:"dataDisk,omitempty" json:"dataDisk,omitempty"` // GiB, added to the root disk
	TopoLVM  bool   `yaml:"topolvm,omitempty" json:"topolvm,omitempty"`   // the data disk is a volume group of TopoLVM
	Pool     bool   `yaml:"pool,omitempty" json:"pool,omitempty"`         // the machines are members of an instance pool
	Min      int    `yaml:"min,omitempty" json:"min,omitempty"`           // of a pool: the smallest count; 0: none
	Max      int    `yaml:"max,omitempty" json:"max,omitempty"`           // of a pool: the largest count; 0: none
}

// GroupSpec is an additional group of workers.
type GroupSpec struct {
	Name        string `yaml:"name" json:"name"`
	MachineSpec `yaml:",inline"`
}

// NetworkSpec holds the address ranges and the network plugin.
type NetworkSpec struct {
	PodCIDR          string   `yaml:"podCIDR" json:"podCIDR"`
	HostPrefix       int      `yaml:"hostPrefix" json:"hostPrefix"`
	ServiceCIDR      string   `yaml:"serviceCIDR" json:"serviceCIDR"`
	NodeCIDR         string   `yaml:"nodeCIDR" json:"nodeCIDR"`
	CNI              string   `yaml:"cni" json:"cni"` // OVNKubernetes or Cilium
	CustomerNetworks []string `yaml:"customerNetworks,omitempty" json:"customerNetworks,omitempty"`
	PrivateNetwork   string   `yaml:"privateNetwork,omitempty" json:"privateNetwork,omitempty"` // CIDR of a second interface of all nodes but the masters; "": none
}

// DNSSpec is the cluster's DNS zone, its delegation and its names.
type DNSSpec struct {
	Zone       string `yaml:"zone" json:"zone"`                                 // managed: Exoscale serves it
	Delegation string `yaml:"delegation" json:"delegation"`                     // manual: a human adds the NS records to the parent
	AppsDomain string `yaml:"appsDomain,omitempty" json:"appsDomain,omitempty"` // default apps.<cluster domain>
	ACME       bool   `yaml:"acme" json:"acme"`                                 // certificates by ACME once Project Syn runs
}

// LoadBalancerSpec chooses how the API and the ingress are reached.
type LoadBalancerSpec struct {
	Strategy      string `yaml:"strategy" json:"strategy"` // haproxy-pair or dns-round-robin
	Internal      string `yaml:"internal" json:"internal"` // addresses or elastic-ip; see the constants
	ProxyProtocol bool   `yaml:"proxyProtocol" json:"proxyProtocol"`
}

// How the cluster's own machines reach the API and the machine config server, by the name api-int, where there are load
// balancers.
const (
	InternalAddresses = "addresses"  // at the load balancers' own addresses
	InternalElasticIP = "elastic-ip" // at the elastic IP of the API
)

// SynSpec connects the cluster to Project Syn; with an empty Lieutenant URL it is not connected.
type SynSpec struct {
	LieutenantURL string            `yaml:"lieutenantURL,omitempty" json:"lieutenantURL,omitempty"`
	Tenant        string            `yaml:"tenant,omitempty" json:"tenant,omitempty"`
	Facts         map[string]string `yaml:"facts,omitempty" json:"facts,omitempty"`
	CatalogDir    string            `yaml:"catalogDir,omitempty" json:"catalogDir,omitempty"`
	VaultAddress  string            `yaml:"vaultAddress,omitempty" json:"vaultAddress,omitempty"` // default: from Lieutenant
	VaultMount    string            `yaml:"vaultMount,omitempty" json:"vaultMount,omitempty"`     // default: DefaultVaultMount
	// GitToken is the token of the Git host, for its HTTPS and its API; without one Git uses SSH and the agent's keys.
	GitToken SecretRef `yaml:"gitToken,omitempty" json:"gitToken,omitzero"`
}

// OpenShiftSpec is the release to install and its configuration.
type OpenShiftSpec struct {
	Distribution string    `yaml:"distribution" json:"distribution"` // ocp or okd
	Version      string    `yaml:"version" json:"version"`           // x.y.z, of OKD x.y.z-okd-scos.n, or a channel: stable-x.y
	PullSecret   SecretRef `yaml:"pullSecret" json:"pullSecret"`
	SSHKey       string    `yaml:"sshKey" json:"sshKey"` // one authorized_keys line
	Proxy        ProxySpec `yaml:"proxy,omitempty" json:"proxy,omitzero"`
	TrustBundle  string    `yaml:"trustBundle,omitempty" json:"trustBundle,omitempty"` // path of a PEM file

	// CloudControllerManager is "External" if Exoscale's cloud controller runs in the cluster, or "".
	CloudControllerManager string `yaml:"cloudControllerManager,omitempty" json:"cloudControllerManager,omitempty"`
	// Capabilities are the optional parts of the release; none given: all of them.
	Capabilities CapabilitiesSpec `yaml:"capabilities,omitempty" json:"capabilities,omitzero"`
	// ImageDigestSources has the mirrors of each repository of images, separated by spaces.
	ImageDigestSources map[string]string `yaml:"imageDigestSources,omitempty" json:"imageDigestSources,omitempty"`

	// FIPS makes the nodes use FIPS 140 validated cryptography only.
	FIPS bool `yaml:"fips,omitempty" json:"fips,omitempty"`

	ManifestsDir string `yaml:"manifestsDir,omitempty" json:"manifestsDir,omitempty"` // directory of manifests that are installed with the cluster
}

// CapabilitiesSpec are the optional parts of a release that the cluster has.
type CapabilitiesSpec struct {
	Baseline   string   `yaml:"baselineCapabilitySet,omitempty" json:"baselineCapabilitySet,omitempty"`                 // None, v4.11 and so on, or vCurrent
	Additional []string `yaml:"additionalEnabledCapabilities,omitempty" json:"additionalEnabledCapabilities,omitempty"` // by their names
}

// ProxySpec is the proxy that the nodes use.
type ProxySpec struct {
	HTTP    string `yaml:"http,omitempty" json:"http,omitempty"`
	HTTPS   string `yaml:"https,omitempty" json:"https,omitempty"`
	NoProxy string `yaml:"noProxy,omitempty" json:"noProxy,omitempty"`
}

// ObjectStorageSpec names the buckets.
type ObjectStorageSpec struct {
	BucketPrefix string `yaml:"bucketPrefix,omitempty" json:"bucketPrefix,omitempty"` // default: the cluster id
}

// ChecksSpec has the operator's additional checks, and those to skip.
type ChecksSpec struct {
	// Endpoints are services of the operator's own that the cluster has to reach; the scheme of each URL is the kind of
	// its probe, e.g. https://registry.example.net/v2/ or tcp://10.9.0.5:5000.
	Endpoints []string `yaml:"endpoints,omitempty" json:"endpoints,omitempty"`
	// Skip has a reason for each skipped check, by its ID: "<reason> until <YYYY-MM-DD>".
	Skip map[string]string `yaml:"skip,omitempty" json:"skip,omitempty"`
}

// Default returns a Spec with every default in place: the sizing that is supported in production, OpenShift's own
// address ranges, and a pair of HAProxy machines.
func Default() Spec {
	node := func(count int) MachineSpec {
		return MachineSpec{Type: "standard.extra-large", Count: count, RootDisk: 100}
	}
	return Spec{
		APIVersion: APIVersion,
		Kind:       Kind,
		Exoscale: ExoscaleSpec{
			APIKey:    SecretRef{Env: "EXOSCALE_API_KEY"},
			APISecret: SecretRef{Env: "EXOSCALE_API_SECRET"},
		},
		Sizing: SizingSpec{
			Bootstrap:     node(1),
			LoadBalancers: MachineSpec{Type: "standard.medium", Count: 2, RootDisk: 20},
			ControlPlane:  node(3),
			Infra:         node(4),
			Storage:       MachineSpec{Type: "cpu.extra-large", Count: 3, RootDisk: 100, DataDisk: 180},
			Workers:       node(3),
		},
		Network: NetworkSpec{
			PodCIDR: "10.128.0.0/14", HostPrefix: 23,
			ServiceCIDR: "172.30.0.0/16",
			NodeCIDR:    "10.0.0.0/16",
			CNI:         "OVNKubernetes",
		},
		DNS:          DNSSpec{Zone: "managed", Delegation: "manual"},
		LoadBalancer: LoadBalancerSpec{Strategy: "haproxy-pair", Internal: InternalAddresses, ProxyProtocol: true},
		OpenShift:    OpenShiftSpec{Distribution: "ocp"},
	}
}

// HasAPPUiOProfile reports whether answers that nobody gave have the defaults of APPUiO Managed OpenShift 4.
func (s Spec) HasAPPUiOProfile() bool {
	return s.Cluster.Profile == ProfileAPPUiO || s.Cluster.Profile == "" && s.Syn.LieutenantURL != ""
}

// Domain returns the cluster domain, <id>.<base domain>.
func (s Spec) Domain() string { return s.Cluster.ID + "." + s.Cluster.BaseDomain }

// AppsDomain returns the domain of the applications.
func (s Spec) AppsDomain() string {
	if s.DNS.AppsDomain != "" {
		return s.DNS.AppsDomain
	}
	return "apps." + s.Domain()
}

// Bucket returns the name of the cluster's bucket for a purpose, e.g. "bootstrap".
func (s Spec) Bucket(purpose string) string {
	prefix := s.ObjectStorage.BucketPrefix
	if prefix == "" {
		prefix = s.Cluster.ID
	}
	return prefix + "-" + purpose
}

// BucketNames returns the names of all buckets that an installation of the cluster creates.
func (s Spec) BucketNames() []string {
	var names []string
	for _, purpose := range slices.Concat(ListPersistentBuckets(), ListTemporaryBuckets()) {
		names = append(names, s.Bucket(purpose))
	}
	return names
}

// ObjectName returns the name of one of the cluster's objects on Exoscale, e.g. "c-example_api".
func (s Spec) ObjectName(suffix string) string { return s.Cluster.ID + "_" + suffix }

// ObjectDescription returns the description of one of the cluster's objects on Exoscale.
func (s Spec) ObjectDescription(what string) string { return what + " of cluster " + s.Cluster.ID }

// SSHKeyName returns the name by which earlier versions registered the operator's SSH key on Exoscale; a teardown deletes it.
func (s Spec) SSHKeyName() string { return s.Cluster.ID + "-admin" }

// Labels returns a new map of the labels that every object of the cluster has.
func (s Spec) Labels() map[string]string { return map[string]string{LabelCluster: s.Cluster.ID} }

// Role is the purpose of a machine in the cluster.
type Role string

// The roles; additional groups use their name as the role.
const (
	RoleLoadBalancer Role = "lb"
	RoleBootstrap    Role = "bootstrap"
	RoleMaster       Role = "master"
	RoleInfra        Role = "infra"
	RoleStorage      Role = "storage"
	RoleWorker       Role = "worker"
)

// Machine is one virtual machine of the Spec.
type Machine struct {
	Name  string // also its host name and, for nodes, its node name
	Role  Role
	Index int
	MachineSpec
}

// IsRoundRobin reports whether DNS alone balances the load, without load balancers.
func (s Spec) IsRoundRobin() bool { return s.LoadBalancer.Strategy == "dns-round-robin" }

// HasProxy reports whether the nodes use a proxy, for anything at all.
func (s Spec) HasProxy() bool {
	proxy := s.OpenShift.Proxy
	return (proxy.HTTP != "" || proxy.HTTPS != "") && proxy.NoProxy != "*"
}

// HasOwnStorageDriver reports whether the installation brings Exoscale's driver for block storage, with a default storage class.
// Project Syn brings what the cluster's configuration says.
func (s Spec) HasOwnStorageDriver() bool { return s.Syn.LieutenantURL == "" && s.Syn.CatalogDir == "" }

// HasInternalAddresses reports whether the name api-int has the load balancers' own addresses.
func (s Spec) HasInternalAddresses() bool {
	return !s.IsRoundRobin() && s.LoadBalancer.Internal != InternalElasticIP
}

// HasInternalElasticIP reports whether the name api-int has the elastic IP of the API.
func (s Spec) HasInternalElasticIP() bool {
	return !s.IsRoundRobin() && s.LoadBalancer.Internal == InternalElasticIP
}

// Machines returns the machines of a role in order, named <role>-<index>; the bootstrap machine is just "bootstrap". The indices
// have gaps where nodes were removed. The names of an instance pool's machines are those of its members; see FormatUnmade.
func (s Spec) Machines(role Role) []Machine {
	switch {
	case role == RoleBootstrap:
		return []Machine{{Name: string(role), Role: role, MachineSpec: s.Sizing.Bootstrap}}
	case role == RoleLoadBalancer && s.IsRoundRobin():
		return nil
	}
	spec := s.findMachineSpec(role)
	if spec.Pool {
		return newMembers(s.Members.List(role), role, spec)
	}
	indices := s.listIndices(role)
	machines := make([]Machine, len(indices))
	for i, index := range indices {
		machines[i] = Machine{Name: fmt.Sprintf("%s-%d", role, index), Role: role, Index: index, MachineSpec: spec}
	}
	return machines
}

// Group returns the MachineSpec of a role, with the count of Machines.
func (s Spec) Group(role Role) MachineSpec {
	group := s.findMachineSpec(role)
	switch {
	case role == RoleBootstrap:
		group = s.Sizing.Bootstrap
		group.Count = 1
	case role == RoleLoadBalancer && s.IsRoundRobin():
		group.Count = 0
	}
	return group
}

func (s Spec) findMachineSpec(role Role) MachineSpec {
	switch role {
	case RoleLoadBalancer:
		return s.Sizing.LoadBalancers
	case RoleMaster:
		return s.Sizing.ControlPlane
	case RoleInfra:
		return s.Sizing.Infra
	case RoleStorage:
		return s.Sizing.Storage
	case RoleWorker:
		return s.Sizing.Workers
	}
	for _, group := range s.Sizing.ExtraGroups {
		if group.Name == string(role) {
			return group.MachineSpec
		}
	}
	return MachineSpec{}
}

// ComputeRoles returns the roles of all nodes but the masters, in the order in which they are shown.
func (s Spec) ComputeRoles() []Role {
	roles := []Role{RoleInfra, RoleStorage, RoleWorker}
	for _, group := range s.Sizing.ExtraGroups {
		roles = append(roles, Role(group.Name))
	}
	return roles
}

// Nodes returns every machine that becomes a node of the cluster: masters first.
func (s Spec) Nodes() []Machine {
	nodes := s.Machines(RoleMaster)
	for _, role := range s.ComputeRoles() {
		nodes = append(nodes, s.Machines(role)...)
	}
	return nodes
}

// ComputeNodes returns every node but the masters.
func (s Spec) ComputeNodes() []Machine { return s.Nodes()[len(s.Machines(RoleMaster)):] }

// RouterRole returns the role of the nodes that the ingress routers run on.
func (s Spec) RouterRole() Role {
	if s.Sizing.Infra.Count > 0 {
		return RoleInfra
	}
	return RoleWorker
}
