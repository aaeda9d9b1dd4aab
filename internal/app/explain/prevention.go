package explain

const (
	foreignHands = "Let nothing but exoshift change the cluster's objects while it is installed; who did it is in Exoscale's list of events. exoshift plan shows what differs."
	largerTypes  = "Keep the default instance types, or larger ones: exoshift plan and the review warn of smaller ones."
	rehearseIt   = "Rehearse your answers first: exoshift rehearse -a FILE."
	cleanNames   = "Do not use the ID and the base domain of a cluster again before exoshift destroy has ended with exit code 0."
	testZone     = "Run exoshift conformance once in the zone before the first real installation there."
	checkZone    = "Check from inside the zone before the installation: exoshift check -a FILE --vantage zone."
)

// getRulePrevention returns how a finding is prevented the next time.
func getRulePrevention(id string) string {
	return map[string]string{
		"api-name-missing":        foreignHands,
		"routes-unreachable":      foreignHands,
		"load-balancer-blocked":   foreignHands,
		"machine-config-blocked":  foreignHands,
		"source-rewritten":        testZone + " Keep loadBalancer.internal: addresses, the default.",
		"rules-missing":           foreignHands,
		"elastic-ip-detached":     foreignHands,
		"address-clash":           "Choose network.podCIDR and network.serviceCIDR apart from all networks that the cluster has to reach, and list yours in network.customerNetworks: the wizard and exoshift answers validate compare them.",
		"certificate-expired":     "Keep the clock of this machine right, by NTP, and finish an installation within the 24 hours that the first certificates live.",
		"foreign-authority":       cleanNames,
		"image-pull-failed":       checkZone,
		"wrong-boot-image":        "Leave the templates that an installation registered as they are, and let exoshift choose the image: it takes that of the release.",
		"no-hostname":             rehearseIt + " Manifests of your own must not set the host names of nodes.",
		"wrong-node-address":      "Do not attach further interfaces to machines before the cluster is installed.",
		"worker-config-unserved":  rehearseIt + " Manifests of your own with errors for one pool are a common cause.",
		"machine-stopped":         foreignHands,
		"machine-silent":          testZone + " It boots machines like those of a cluster.",
		"requests-left":           "Let no other machine than the cluster's use its bootstrap credentials; they are in the Ignition documents.",
		"etcd-slow-disk":          largerTypes + " Where others slow the disks down, dedicated hypervisors (exoscale.deployTarget) do not.",
		"machine-config-mismatch": rehearseIt + " Machine configurations among your manifests must be complete before the installation, and not change during it.",
		"no-cloud-controller":     "Do not revoke the cluster's own API keys, and leave openshift.cloudControllerManager empty if no application needs Exoscale's load balancers.",
		"routers-on-masters":      "Have one repository manage the ingress controller and the scheduler, and give it the placement on infra nodes.",
		"slow":                    largerTypes,
		"bootstrap-silent":        testZone + " " + checkZone,
		"no-master":               testZone + " " + checkZone,
		"etcd-incomplete":         "Install on new machines: never attach a disk of an earlier cluster.",
		"bootstrap-member-stays":  largerTypes,
		"operators-stalled":       largerTypes,
		"pdb-blocks":              "Have every application run with one replica more than its disruption budget needs, and on several nodes.",
		"key-revoked-early":       "Replace the API keys of a cluster by exoshift rotate api-keys alone, which deletes the old ones last.",
		"backup-unreadable":       "Keep more than one backup, and have them read back on a schedule: exoshift backup show latest --verify.",
		"pool-evicts-wrong":       "Change instance pools that hold nodes by this program alone, and one at a time.",
		"quorum-lost":             "Replace a master that is not well at once, while two others are, and have the masters on hypervisors of their own.",
		"drain-kills-router":      "Have at least one infra node more than routers, and leave the routers' own disruption budget as it is.",
		"upgrade-stuck-operator":  "Rehearse the update, or update a test cluster of the same settings first, and read what the release notes say about removed settings.",
		"upgrade-pool-degraded":   "Update some nodes before the others: exoshift upgrade --canary POOL.",
		"ceph-degraded":           "Change storage nodes when their machines and disks are not being changed otherwise, and have a node more than Ceph needs.",
		"member-unhealthy":        "Watch the operator etcd, and replace a master whose member does not come back before anything else is done with masters.",
		"expired-while-off":       "Stop a cluster by exoshift stop, start it by exoshift start, and do both before the time that the plan names.",
		"machine-config-lags":     "Change machine configurations, and update the cluster, at other times than its nodes.",
	}[id]
}

const (
	allowList   = "Have the services allowed before the day of the installation: the end of the report of exoshift check is the request, with every host and port."
	fixResolver = "Have the resolver answer for all names of the catalogue, as public DNS does, before the day of the installation; exoshift check -a FILE lists them."
	exemptTLS   = "Have the services exempted from inspection, or have the authority in the trust store of this machine and in openshift.trustBundle from the beginning."
	proxySet    = "Test the proxy with exoshift check from the very machine, account and shell that will install."
	stableLine  = "Install from a machine with a wired and stable connection, such as one in a data centre; --image-from zone keeps the largest transfer off the line."
	watchIt     = "Watch the connections for a while before the installation: exoshift check --watch."
	updateIt    = "Check again shortly before the installation: exoshift check -a FILE."
)

// getClassPrevention returns how a connection problem is prevented the next time.
func getClassPrevention(class string) string {
	return map[string]string{
		"block-page": allowList, "captive-portal": "Install from a network that needs no sign-in.", "connection-reset": allowList,
		"credentials":  "Take the pull secret from the account that has the subscription, shortly before the installation; exoshift check -a FILE tries it at each registry.",
		"dns-nxdomain": fixResolver, "dns-refused": fixResolver, "dns-servfail": fixResolver, "dns-split-view": fixResolver, "dns-timeout": fixResolver,
		"exposed": foreignHands, "http-401": "There is nothing to prevent: the service was reached.",
		"http-403-geo": "Plan the way out of this machine and of the zone in a country that the service serves.",
		"http-5xx":     updateIt, "http-timeout": allowList, "http-unexpected": allowList, "malformed": allowList,
		"missing": "Choose a release that is published, or a channel such as stable-4.20.",
		"mtu":     "Set the MTU of tunnels and VPNs to what passes, and let ICMP pass.",
		"no-ipv4": "Choose a machine and a zone network with IPv4.", "no-resolver": "Configure a name server before the installation.",
		"no-route": allowList, "packet-loss": stableLine, "prohibited": allowList, "proxy-auth": proxySet, "proxy-password": proxySet,
		"proxy-port": proxySet, "proxy-refused": proxySet, "proxy-timeout": proxySet, "proxy-unresolved": proxySet,
		"slow": stableLine, "ssh-host-key": "Keep the host key in known_hosts, and have its change announced.",
		"tcp-refused": allowList, "tcp-timeout": allowList, "tls-clock-skew": "Keep the clock right by NTP.",
		"tls-expired": updateIt, "tls-failure": exemptTLS, "tls-hostname": fixResolver, "tls-inspected": exemptTLS, "tls-shared-issuer": exemptTLS,
		"tls-timeout": stableLine, "tls-untrusted-issuer": exemptTLS, "udp-timeout": allowList, "unstable": watchIt,
	}[class]
}
