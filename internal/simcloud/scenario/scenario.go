package scenario

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// Scenario is a named setting of the simulated zone in which something fails.
type Scenario struct {
	Name string
	// Description is a line for people.
	Description string
	Topic       Topic
	Fault       Fault
	// RequiresOperator: an installation is blocked until another person has acted.
	RequiresOperator bool
	// RequiresCloudController: only clusters with an external cloud controller are affected.
	RequiresCloudController bool
}

// Topic is what a scenario is about.
type Topic int

// The topics of scenarios.
const (
	// Zone is the zone, its machines and the clusters on them.
	Zone Topic = iota
	// Internet is what is between the services of the internet and their clients.
	Internet
	// ProjectSyn is Project Syn: only clusters that are connected to it are affected.
	ProjectSyn
)

// None is the name of the scenario without a fault.
const None = "happy"

// List returns all scenarios, None first.
func List() []Scenario {
	return slices.Concat(listZone(), listInternet(), listProjectSyn())
}

// Names returns the names of the scenarios of some topics, or of all.
func Names(topics ...Topic) []string {
	var names []string
	for _, s := range List() {
		if len(topics) == 0 || slices.Contains(topics, s.Topic) {
			names = append(names, s.Name)
		}
	}
	return names
}

// Parse returns the scenario of a name, or the composition of several, separated by commas. "" is None.
func Parse(names string) (Scenario, error) {
	if names == "" {
		names = None
	}
	all, joined := List(), Scenario{Name: names}
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(all, func(s Scenario) bool { return s.Name == name })
		if i < 0 {
			return Scenario{}, fmt.Errorf("unknown scenario %q, want one of %v", name, Names())
		}
		found := all[i]
		joined.Description = strings.TrimPrefix(joined.Description+"; "+found.Description, "; ")
		joined.Topic = max(joined.Topic, found.Topic)
		joined.Fault = Compose(joined.Fault, found.Fault)
		joined.RequiresOperator = joined.RequiresOperator || found.RequiresOperator
		joined.RequiresCloudController = joined.RequiresCloudController || found.RequiresCloudController
	}
	return joined, nil
}

const (
	apiPort           = 6443
	machineConfigPort = 22623
	etcdPeerPort      = 2380
	// otherRelease has a boot image that other releases refuse.
	otherRelease = "4.18.24"
)

func listZone() []Scenario {
	return []Scenario{
		{Name: None, Description: "nothing fails"},
		{Name: "bad-credentials", Description: "the API refuses the credentials", Fault: Fault{API: API{RefuseCredentials: true}}},
		{Name: "quota", Description: "the quota of instances is too small", Fault: Fault{API: API{Quotas: map[string]int{"instance": 10}}}},
		{Name: "no-dns-plan", Description: "the organization has no plan for DNS zones", Fault: Fault{API: API{NoDNSPlan: true}}},
		{Name: "no-block-storage", Description: "the zone has no block storage", Fault: Fault{API: API{NoBlockStorage: true}}},
		{Name: "unconditional-storage", Description: "the object storage ignores the conditions of writes", Fault: Fault{API: API{UnconditionalStorage: true}}},
		{Name: "backup-unreadable", Description: "the object storage returns the snapshots of etcd in backups with a changed byte",
			Fault: Fault{API: API{DamagedObjects: "*/*/snapshot.db*"}}},
		{Name: "template-echoes-little", Description: "the API returns templates without build, boot mode, user and description",
			Fault: Fault{API: API{TerseTemplates: true}}},
		{Name: "slow-uplink", Description: "the operator's uplink takes twelve minutes for an image", Fault: Fault{Network: Network{PartUpload: 12 * time.Minute}}},
		{Name: "mcs-blocked", Description: "the masters' security group loses the rule for the machine config server",
			Fault: Fault{Objects: []ObjectChange{{Machine: "master-", Rules: Rules{"_control_plane", machineConfigPort}}}}},
		{Name: "master-never-joins", Description: "the third master never boots", Fault: Fault{SilentMachines: []string{"master-2."}}},
		{Name: "late-dns", Description: "the domain is delegated after 20 minutes", Fault: Fault{Delegation: Delegation{Delay: 20 * time.Minute}}},
		{Name: "no-delegation", Description: "the domain is never delegated", Fault: Fault{Delegation: Delegation{Never: true}}},
		{Name: "wrong-delegation", Description: "the domain is delegated to a name server that does not exist", Fault: Fault{Delegation: Delegation{Misspelled: true}}},
		{Name: "api-name-missing", Description: "the records of the API are deleted",
			Fault: Fault{Objects: []ObjectChange{{Machine: "bootstrap", Records: []string{"api", "api-int"}}}}},
		{Name: "load-balancer-blocked", Description: "the load balancers' security group loses the rule for the API",
			Fault: Fault{Objects: []ObjectChange{{Machine: "bootstrap", Rules: Rules{"_load_balancers", apiPort}}}}},
		{Name: "api-name-moved", Description: "the record of the API is changed to another address",
			Fault: Fault{Objects: []ObjectChange{{Machine: "bootstrap", Moved: []string{"api"}}}}},
		{Name: "elastic-ip-detached", Description: "the elastic IPs are detached from the load balancers",
			Fault: Fault{Objects: []ObjectChange{{Machine: "bootstrap", Detached: true}}}},
		{Name: "machine-stopped", Description: "the first worker is stopped",
			Fault: Fault{Objects: []ObjectChange{{Machine: "worker-0", Stopped: "worker-0"}}}},
		{Name: "bootstrap-silent", Description: "the bootstrap machine never boots", Fault: Fault{SilentMachines: []string{"bootstrap."}}},
		{Name: "masters-silent", Description: "no master boots", Fault: Fault{SilentMachines: []string{"master-"}}},
		{Name: "node-never-returns", Description: "the fourth worker, which is added later, never boots", Fault: Fault{SilentMachines: []string{"worker-3."}}},
		{Name: "pdb-blocks", Description: "a disruption budget permits no eviction of an application that runs on all workers", Fault: Fault{Cluster: Cluster{StrictBudget: true}}},
		{Name: "drain-kills-router", Description: "a router that is moved starts after half an hour, and no disruption budget keeps the others",
			Fault: Fault{Cluster: Cluster{SlowRouters: true}}},
		{Name: "machine-config-lags", Description: "nodes that are added later have an earlier machine configuration than their pool for a while",
			Fault: Fault{Cluster: Cluster{LaggingConfigs: true}}},
		{Name: "ceph-degraded", Description: "the storage nodes have Ceph, and when the data of an OSD is moved first, another OSD is down for a while",
			Fault: Fault{Cluster: Cluster{FailingOSD: true}}},
		{Name: "pool-evicts-wrong", Description: "an instance pool that is asked to evict a machine destroys another one of its machines",
			Fault: Fault{API: API{EvictsAnother: true}}},
		{Name: "key-revoked-early", Description: "an API key is revoked as soon as another one of its name is created, before that is in use",
			Fault: Fault{API: API{RevokesReplaced: true}}},
		{Name: "expired-while-off", Description: "the certificates of nodes are valid for two hours, so those of a cluster that is off for longer end",
			Fault: Fault{Cluster: Cluster{BriefCertificates: true}}},
		{Name: "upgrade-stuck-operator", Description: "the monitoring has a setting that the release of an update refuses", Fault: Fault{Cluster: Cluster{UnknownSetting: true}}},
		{Name: "upgrade-pool-degraded", Description: "the machine config daemon of a worker cannot install the operating system of an update, until its pod is deleted",
			Fault: Fault{Cluster: Cluster{HungDaemon: true}}},
		{Name: "member-unhealthy", Description: "the disk of the last master fails as soon as another master is cordoned", Fault: Fault{Cluster: Cluster{MemberFails: true}}},
		{Name: "quorum-lost", Description: "the disks of two masters fail half an hour after the installation: etcd has no quorum, and the cluster no API",
			Fault: Fault{Cluster: Cluster{QuorumLost: true}}},
		{Name: "slow", Description: "everything on the machines takes four times as long", Fault: Fault{Cluster: Cluster{Slowness: 4}}},
		{Name: "etcd-slow-disk", Description: "the disks of the masters are too slow for etcd", Fault: Fault{Cluster: Cluster{SlowDisks: true}}},
		{Name: "bootstrap-member-stays", Description: "a master loses its etcd's data, so that the bootstrap member stays", Fault: Fault{Cluster: Cluster{MemberBreaks: true}}},
		{Name: "etcd-incomplete", Description: "the disk of a master holds the data of another etcd", Fault: Fault{Cluster: Cluster{LeftoverData: true}}},
		{Name: "rules-missing", Description: "the masters' security group loses the rule for etcd",
			Fault: Fault{Objects: []ObjectChange{{Machine: "master-", Rules: Rules{"_control_plane", etcdPeerPort}}}}},
		{Name: "routes-unreachable", Description: "the record of the applications is deleted",
			Fault: Fault{Objects: []ObjectChange{{Machine: "worker-", Records: []string{`\*.*`}}}}},
		{Name: "operators-stalled", Description: "the nodes have too little memory for the monitoring", Fault: Fault{Cluster: Cluster{SmallNodes: true}}},
		{Name: "certificate-expired", Description: "the API serves an expired certificate", Fault: Fault{Cluster: Cluster{ExpiredCertificates: true}}},
		{Name: "foreign-authority", Description: "the API serves a certificate of another cluster's authority", Fault: Fault{Cluster: Cluster{ForeignAuthority: true}}},
		{Name: "worker-config-unserved", Description: "the configuration of the workers is never rendered", Fault: Fault{Cluster: Cluster{WorkersUnserved: true}}},
		{Name: "requests-left", Description: "nodes request certificates that must not be approved", Fault: Fault{Cluster: Cluster{GreedyRequests: true}}},
		{Name: "certificate-lost", Description: "a worker loses its certificate and makes a new key", Fault: Fault{Cluster: Cluster{LostCertificates: true}}},
		{Name: "no-hostname", Description: "nodes have no host name", Fault: Fault{Cluster: Cluster{BlankHostnames: true}}},
		{Name: "machine-config-mismatch", Description: "masters boot a configuration that the cluster does not have", Fault: Fault{Cluster: Cluster{MixedConfigs: true}}},
		{Name: "wrong-node-address", Description: "a master prefers the address of its second interface", Fault: Fault{Cluster: Cluster{SecondInterface: true}}},
		{Name: "no-cloud-controller", Description: "the key of the cloud controller is revoked", RequiresCloudController: true,
			Fault: Fault{Objects: []ObjectChange{{Machine: "bootstrap", Keys: "ccm-exoscale"}}}},
		{Name: "wrong-boot-image", Description: "the boot image is replaced by one of another release",
			Fault: Fault{Objects: []ObjectChange{{Machine: "bootstrap", Image: otherRelease}}}},
		{Name: "routers-on-masters", Description: "the routers are moved to the masters", Fault: Fault{Cluster: Cluster{RoutersOnMasters: true}}},
		{Name: "image-pull-failed", Description: "the machines do not reach the registry of the release",
			Fault: Fault{Network: Network{Blocked: []Traffic{{From: Machines, To: []string{"quay.io"}}}}}},
		{Name: "address-clash", Description: "the elastic IPs are inside the default pod network",
			Fault: Fault{API: API{ElasticIPs: netip.MustParsePrefix("10.131.0.0/16")}}},
		{Name: "load-balancer-packages", Description: "the load balancers cannot install packages when they boot", Fault: Fault{WithoutPackages: []string{"lb-"}}},
		{Name: "load-balancer-cloud-init", Description: "cloud-init fails on the load balancers before it reads their user data", Fault: Fault{WithoutCloudInit: []string{"lb-"}}},
		{Name: "eip-source-rewritten", Description: "a managed elastic IP does not preserve the source of connections",
			Fault: Fault{API: API{SourceRewritten: true}}},
		{Name: "api-throttled", Description: "the API rejects every change once, until five seconds later", Fault: Fault{API: API{RetryAfter: 5 * time.Second}}},
		{Name: "api-away", Description: "the API is away for five minutes while machines are created", Fault: Fault{API: API{Away: 5 * time.Minute, AwayMachines: 5}}},
	}
}

func listInternet() []Scenario {
	list := []Scenario{
		{Name: "tls-interception", Description: "a proxy intercepts the operator's TLS connections",
			Fault: Fault{Network: Network{Intercepted: []Traffic{{From: Operator}}}}},
		{Name: "cdn-blocked", Description: "the hosts of quay.io's image layers are unreachable for all",
			Fault: Fault{Network: Network{Blocked: []Traffic{{From: Anyone, To: []string{"cdn*.quay.io"}}}}}},
		{Name: "split-dns", Description: "the operator's resolver returns internal addresses for registries",
			Fault: Fault{Network: Network{Records: map[string]netip.Addr{"quay.io": unusedAddress(), "registry.redhat.io": unusedAddress()}}}},
		{Name: "nxdomain", Description: "the name of a registry does not exist", Fault: Fault{Network: Network{MissingNames: []string{"registry.redhat.io"}}}},
		{Name: "proxy-auth", Description: "the operator reaches the internet only through a proxy with authentication", Fault: Fault{Network: Network{Proxy: true}}},
		{Name: "captive-portal", Description: "a captive portal answers all requests of the operator", Fault: Fault{Network: Network{Portal: true}}},
		{Name: "slow-registry", Description: "registries answer after five seconds", Fault: Fault{Network: Network{RegistryDelay: 5 * time.Second}}},
		{Name: "wrong-clock", Description: "the operator's clock is 17 minutes slow", Fault: Fault{Network: Network{ClockOffset: 17 * time.Minute}}},
		{Name: "zone-only", Description: "the machines of the zone, but not the operator, are blocked and intercepted",
			Fault: Fault{Network: Network{
				Blocked:     []Traffic{{From: Machines, To: []string{"cdn01.quay.io"}}},
				Intercepted: []Traffic{{From: Machines, To: []string{"registry.redhat.io"}}},
			}}},
	}
	for i := range list {
		list[i].Topic = Internet
	}
	return list
}

func unusedAddress() netip.Addr { return netip.AddrFrom4([4]byte{10, 20, 30, 40}) }

func listProjectSyn() []Scenario {
	list := []Scenario{
		{Name: "token-expired", Description: "the bootstrap token expires before it is used", RequiresOperator: true,
			Fault: Fault{Lieutenant: Lieutenant{TokenLife: 30 * time.Minute}}},
		{Name: "token-used", Description: "someone else uses the bootstrap token", RequiresOperator: true,
			Fault: Fault{Lieutenant: Lieutenant{UsedAfter: 15 * time.Minute}}},
		{Name: "fact-missing", Description: "the configuration refers to a fact that the cluster does not have", RequiresOperator: true,
			Fault: Fault{Compilation: Compilation{FactMissing: true}}},
		{Name: "compile-failure", Description: "the catalog does not compile", RequiresOperator: true,
			Fault: Fault{Compilation: Compilation{CompileFailure: true}}},
		{Name: "vault-secret-missing", Description: "the catalog refers to a secret that does not exist", RequiresOperator: true,
			Fault: Fault{Compilation: Compilation{SecretMissing: true}}},
		{Name: "secrets-deleted", Description: "Lieutenant deletes the secrets of a deleted cluster for good", RequiresOperator: true,
			Fault: Fault{Lieutenant: Lieutenant{DeletesSecrets: true}}},
		{Name: "slow-argo", Description: "Argo CD's operator is in a deadlock for a while", Fault: Fault{Cluster: Cluster{SlowArgo: true}}},
		{Name: "unexpected-alert", Description: "an alert fires that is not expected on a new cluster", Fault: Fault{Cluster: Cluster{UnexpectedAlert: true}}},
	}
	for i := range list {
		list[i].Topic = ProjectSyn
	}
	return list
}
