package simcloud

import (
	"maps"
	"slices"
)

// What may happen in a zone. What is wrong inside of a cluster is told by troubles, what happens to the zone's own
// objects by incidents, which machines never boot by casualties, and what happens to packets and names by ways.
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
	NoCloudController   = "no-cloud-controller" // happens only where the cluster shall have a cloud controller
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

// Scenarios returns the names of what can happen in a zone, the ordinary case first.
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

// NetworkScenarios returns the scenarios in which something stands between the internet and those who need it.
func NetworkScenarios() []string {
	return []string{
		tlsInterception, cdnBlocked, splitDNS, noSuchName, proxyAuth, captivePortal, slowRegistry, wrongClock, zoneOnly,
	}
}

// SynScenarios returns the scenarios in which something is wrong in Project Syn. They happen only to clusters that are
// connected to it.
func SynScenarios() []string {
	return []string{tokenExpired, tokenUsed, factMissing, compileFailure, secretMissing, slowArgo, unexpectedAlert}
}

// mergeQuotas returns the limits that differ from the usual ones.
func (z *Zone) mergeQuotas() map[string]int {
	limits := map[string]int{}
	if z.options.Scenario == quotaExceeded {
		limits["instance"] = 10
	}
	maps.Copy(limits, z.options.Quotas)
	return limits
}
