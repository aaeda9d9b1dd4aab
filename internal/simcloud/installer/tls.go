package installer

import (
	"bytes"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"exoshift/internal/simcloud/certificate"
)

// Lifetimes of openshift-install's certificates (its pkg/asset/tls).
const (
	day   = 24 * time.Hour
	year  = 365 * day
	years = 10 * year
)

// nodeBootstrapper is the user of a new machine's first certificate request.
const nodeBootstrapper = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper"

type certificateSpec struct {
	file    string // below /opt/openshift/tls, without its ending
	asset   string // the real program's name for it in the state file
	signer  string // file of the authority; empty: self-signed
	request certificate.Request
}

func newAuthority(file, asset string, validity time.Duration) certificateSpec {
	return certificateSpec{file: file, asset: asset, request: certificate.Request{
		Subject: pkix.Name{CommonName: file, OrganizationalUnit: []string{"openshift"}}, Validity: validity, CA: true}}
}

func newServer(file, asset, signer string, names []string, ips ...net.IP) certificateSpec {
	return certificateSpec{file: file, asset: asset, signer: signer, request: certificate.Request{
		Subject: pkix.Name{CommonName: "system:kube-apiserver", Organization: []string{"kube-master"}},
		DNS:     names, IPs: ips, Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, Validity: day}}
}

func newClient(file, asset, signer, user string, validity time.Duration, groups ...string) certificateSpec {
	return certificateSpec{file: file, asset: asset, signer: signer, request: certificate.Request{
		Subject: pkix.Name{CommonName: user, Organization: groups},
		Usages:  []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, Validity: validity}}
}

// listCertificates lists every authority before what it signs.
func listCertificates(config installConfig) []certificateSpec {
	return slices.Concat(listAuthorities(), listServers(config), listClients())
}

func listAuthorities() []certificateSpec {
	return []certificateSpec{
		newAuthority("root-ca", "*tls.RootCA", years),
		newAuthority("admin-kubeconfig-signer", "*tls.AdminKubeConfigSignerCertKey", years),
		newAuthority("kube-apiserver-lb-signer", "*tls.KubeAPIServerLBSignerCertKey", years),
		newAuthority("kube-apiserver-localhost-signer", "*tls.KubeAPIServerLocalhostSignerCertKey", years),
		newAuthority("kube-apiserver-service-network-signer", "*tls.KubeAPIServerServiceNetworkSignerCertKey", years),
		newAuthority("kubelet-bootstrap-kubeconfig-signer", "*tls.KubeletBootstrapCertSigner", years),
		newAuthority("etcd-signer", "*tls.EtcdSignerCertKey", years),
		newAuthority("kube-control-plane-signer", "*tls.KubeControlPlaneSignerCertKey", year),
		newAuthority("kube-apiserver-to-kubelet-signer", "*tls.KubeAPIServerToKubeletSignerCertKey", year),
		newAuthority("kubelet-signer", "*tls.KubeletCSRSignerCertKey", day),
		newAuthority("aggregator-signer", "*tls.AggregatorSignerCertKey", day),
	}
}

// The certificates that depend on the install-config.
const (
	externalServer      = "*tls.KubeAPIServerExternalLBServerCertKey"
	internalServer      = "*tls.KubeAPIServerInternalLBServerCertKey"
	serviceServer       = "*tls.KubeAPIServerServiceNetworkServerCertKey"
	machineConfigServer = "*tls.MCSCertKey"
)

func listServers(config installConfig) []certificateSpec {
	api, apiInt := "api."+config.clusterDomain(), "api-int."+config.clusterDomain()
	services := []string{"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"}
	return []certificateSpec{
		newServer("kube-apiserver-lb-server", externalServer, "kube-apiserver-lb-signer", []string{api}),
		newServer("kube-apiserver-internal-lb-server", internalServer, "kube-apiserver-lb-signer", []string{apiInt}),
		newServer("kube-apiserver-localhost-server", "*tls.KubeAPIServerLocalhostServerCertKey", "kube-apiserver-localhost-signer",
			[]string{"localhost"}, net.IPv4(127, 0, 0, 1), net.IPv6loopback),
		newServer("kube-apiserver-service-network-server", serviceServer,
			"kube-apiserver-service-network-signer", services, computeFirstAddress(config.Networking.ServiceNetwork[0])),
		newRootCAServer("machine-config-server", machineConfigServer, "system:machine-config-server", apiInt),
		newRootCAServer("journal-gatewayd", "*tls.JournalCertKey", "journal-gatewayd", "journal-gatewayd"),
	}
}

func listClients() []certificateSpec {
	const controlPlane = "kube-control-plane-signer"
	return []certificateSpec{
		newClient("admin-kubeconfig-client", "*tls.AdminKubeConfigClientCertKey", "admin-kubeconfig-signer", "system:admin", years, "system:masters"),
		newClient("kubelet-client", "*tls.KubeletClientCertKey", "kubelet-bootstrap-kubeconfig-signer", nodeBootstrapper, years,
			"system:serviceaccounts:openshift-machine-config-operator", "system:serviceaccounts"),
		newClient("kube-control-plane-kube-controller-manager-client", "*tls.KubeControlPlaneKubeControllerManagerClientCertKey",
			controlPlane, "system:admin", year, "system:masters"),
		newClient("kube-control-plane-kube-scheduler-client", "*tls.KubeControlPlaneKubeSchedulerClientCertKey",
			controlPlane, "system:admin", year, "system:masters"),
		newClient("kube-apiserver-to-kubelet-client", "*tls.KubeAPIServerToKubeletClientCertKey", "kube-apiserver-to-kubelet-signer",
			"system:kube-apiserver", year, "kube-master"),
		newClient("apiserver-proxy", "*tls.AggregatorClientCertKey", "aggregator-signer", "system:kube-apiserver-proxy", day, "kube-master"),
	}
}

func newRootCAServer(file, asset, name, host string) certificateSpec {
	return certificateSpec{file: file, asset: asset, signer: "root-ca", request: certificate.Request{
		Subject: pkix.Name{CommonName: name}, DNS: []string{host}, Validity: years,
		Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}}
}

// computeFirstAddress returns the address of the service "kubernetes".
func computeFirstAddress(network string) net.IP {
	prefix, err := netip.ParsePrefix(network)
	if err != nil {
		return nil
	}
	return net.IP(prefix.Addr().Next().AsSlice())
}

type certKey struct{ CertRaw, KeyRaw []byte }

// pki holds a cluster's certificates by file name below /opt/openshift/tls, with extension.
type pki map[string][]byte

// generatePKI generates the certificates that the assets lack.
func generatePKI(kept assets, config installConfig, now time.Time) (pki, error) {
	files, signers := pki{}, map[string]certificate.Pair{}
	for _, plan := range listCertificates(config) {
		raw, err := loadOrGenerate(kept, plan.asset, func() (certKey, error) { return plan.make(signers, now) })
		if err != nil {
			return nil, err
		}
		files[plan.file+".crt"], files[plan.file+".key"] = raw.CertRaw, raw.KeyRaw
		if plan.request.CA {
			if signers[plan.file], err = certificate.Parse(raw.CertRaw, raw.KeyRaw); err != nil {
				return nil, fmt.Errorf("failed to parse the certificate %s of the state file: %w", plan.file, err)
			}
		}
	}
	files.addBundle("aggregator-ca", "aggregator-signer")
	files.addBundle("kube-apiserver-complete-server-ca-bundle",
		"kube-apiserver-lb-signer", "kube-apiserver-localhost-signer", "kube-apiserver-service-network-signer")
	files.addBundle("kube-apiserver-complete-client-ca-bundle",
		"admin-kubeconfig-signer", "kubelet-signer", "kubelet-bootstrap-kubeconfig-signer", "kube-control-plane-signer")
	return files, nil
}

func (b certificateSpec) make(signers map[string]certificate.Pair, now time.Time) (certKey, error) {
	var made certificate.Pair
	var err error
	if b.signer == "" {
		made, err = certificate.NewAuthority(b.request.Subject, b.request.Validity, now)
	} else {
		made, err = signers[b.signer].Issue(b.request, now)
	}
	if err != nil {
		return certKey{}, err
	}
	key, err := made.KeyPEM()
	return certKey{CertRaw: made.CertPEM(), KeyRaw: key}, err
}

func (p pki) addBundle(name string, signers ...string) {
	var parts [][]byte
	for _, signer := range signers {
		parts = append(parts, p[signer+".crt"])
	}
	p[name+".crt"] = bytes.Join(parts, nil)
}
