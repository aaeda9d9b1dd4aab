package simcloud

import (
	"maps"
	"slices"
)

// Names of scenarios. Faults of a cluster, of objects of the zone, of booting machines and of the network implement them.
const (
	noFault             = "happy"
	badCredentials      = "bad-credentials"
	quotaExceeded       = "quota"
	lateDNS             = "late-dns"
	noDelegation        = "no-delegation"
	wrongDelegation     = "wrong-delegation"
	mcsBlocked          = "mcs-blocked"
	apiNameMissing      = "api-name-missing"
	loadBalancerBlocked = "load-balancer-blocked"
	routesUnreachable   = "routes-unreachable"
	masterNeverJoins    = "master-never-joins"
	bootstrapSilent     = "bootstrap-silent"
	mastersSilent       = "masters-silent"
	slowMachines        = "slow"
	etcdSlowDisk        = "etcd-slow-disk"
	bootstrapStays      = "bootstrap-member-stays"
	etcdIncomplete      = "etcd-incomplete"
	rulesMissing        = "rules-missing"
	operatorsStalled    = "operators-stalled"
	certificateExpired  = "certificate-expired"
	foreignAuthority    = "foreign-authority"
	workerUnserved      = "worker-config-unserved"
	requestsLeft        = "requests-left"
	certificateLost     = "certificate-lost"
	noHostname          = "no-hostname"
	configMismatch      = "machine-config-mismatch"
	wrongNodeAddress    = "wrong-node-address"
	NoCloudController   = "no-cloud-controller" // requires a cluster with a cloud controller
	wrongBootImage      = "wrong-boot-image"
	routersOnMasters    = "routers-on-masters"
	imagePullFailed     = "image-pull-failed"
	addressClash        = "address-clash"
	tlsInterception     = "tls-interception"
	cdnBlocked          = "cdn-blocked"
	splitDNS            = "split-dns"
	noSuchName          = "nxdomain"
	proxyAuth           = "proxy-auth"
	captivePortal       = "captive-portal"
	slowRegistry        = "slow-registry"
	wrongClock          = "wrong-clock"
	zoneOnly            = "zone-only"
	tokenExpired        = "token-expired"
	tokenUsed           = "token-used"
	factMissing         = "fact-missing"
	compileFailure      = "compile-failure"
	secretMissing       = "vault-secret-missing"
	slowArgo            = "slow-argo"
	unexpectedAlert     = "unexpected-alert"
)

// Scenarios returns the names of all scenarios, the one without faults first. The faults of each are in buildClusterFaults
// (inside of a cluster), listObjectFaults (the zone's objects), listBootFaults (machines that never boot), newNetworkFault
// (packets and names), buildSynFaults and buildGitFaults (Project Syn).
func Scenarios() []string {
	return append([]string{
		noFault, badCredentials, quotaExceeded, mcsBlocked, masterNeverJoins, lateDNS, noDelegation, wrongDelegation,
		apiNameMissing, loadBalancerBlocked, bootstrapSilent, mastersSilent, slowMachines, etcdSlowDisk, bootstrapStays,
		etcdIncomplete, rulesMissing,
		routesUnreachable, operatorsStalled, certificateExpired, foreignAuthority, workerUnserved, requestsLeft, certificateLost, noHostname,
		configMismatch, wrongNodeAddress, NoCloudController, wrongBootImage, routersOnMasters, imagePullFailed,
		addressClash,
	}, slices.Concat(NetworkScenarios(), SynScenarios())...)
}

// NetworkScenarios returns the scenarios with a fault between the internet and its clients.
func NetworkScenarios() []string {
	return []string{
		tlsInterception, cdnBlocked, splitDNS, noSuchName, proxyAuth, captivePortal, slowRegistry, wrongClock, zoneOnly,
	}
}

// SynScenarios returns the scenarios with a fault in Project Syn. They affect only clusters that are connected to it.
func SynScenarios() []string {
	return []string{tokenExpired, tokenUsed, factMissing, compileFailure, secretMissing, slowArgo, unexpectedAlert}
}

// mergeQuotas returns the limits of a scenario, and those that override them.
func mergeQuotas(scenario string, overrides map[string]int) map[string]int {
	limits := map[string]int{}
	if scenario == quotaExceeded {
		limits["instance"] = 10
	}
	maps.Copy(limits, overrides)
	return limits
}
