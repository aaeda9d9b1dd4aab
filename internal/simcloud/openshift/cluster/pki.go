package cluster

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"maps"
	"net"
	"time"

	"exoshift/internal/simcloud/certificate"
	"exoshift/internal/simcloud/kube"
)

// Lifetimes of certificates that the cluster itself issues. Certificates expire by the wall clock.
const (
	servingLifetime = 30 * 24 * time.Hour
	signerLifetime  = 60 * 24 * time.Hour
	routerLifetime  = 2 * 365 * 24 * time.Hour
)

// LoadPair returns a certificate and its key by their name on the bootstrap host.
func (r Record) LoadPair(name string) (certificate.Pair, error) {
	found, err := certificate.Parse(r.Files[name+".crt"], r.Files[name+".key"])
	if err != nil {
		return found, fmt.Errorf("certificate %s: %w", name, err)
	}
	return found, nil
}

func (c *Cluster) getClientCAs() *x509.CertPool {
	version := c.Objects.ResourceVersion(ConfigMapResource, "openshift-config", AdminAuthority)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.clients != nil && c.clientsVersion == version {
		return c.clients
	}
	c.clients, c.clientsVersion = x509.NewCertPool(), version
	files := c.Record().Files
	for _, signer := range []string{"kubelet-bootstrap-kubeconfig-signer", "kubelet-signer", "csr-signer"} {
		c.clients.AppendCertsFromPEM(files[signer+".crt"])
	}
	admin := files["admin-kubeconfig-signer.crt"]
	if bundle, exists := c.Objects.Get(ConfigMapResource, "openshift-config", AdminAuthority); exists {
		text, _ := bundle.Map("data")["ca-bundle.crt"].(string)
		admin = []byte(text)
	}
	c.clients.AppendCertsFromPEM(admin)
	return c.clients
}

// AdminAuthority is the ConfigMap with the CA of the installer's kubeconfig; emptying it revokes that kubeconfig. The real API
// servers take minutes to react.
const AdminAuthority = "admin-kubeconfig-client-ca"

// PublishAdminAuthority creates the ConfigMap AdminAuthority.
func (c *Cluster) PublishAdminAuthority() error {
	bundle := kube.NewNamed(AdminAuthority)
	bundle["data"] = kube.Object{"ca-bundle.crt": string(c.Record().Files["admin-kubeconfig-signer.crt"])}
	return c.Objects.Ensure(ConfigMapResource, "openshift-config", bundle, nil)
}

// GetSigner returns the signer of the kubelets' certificates: the installer's, valid for one day, during the bootstrap, then one
// of the cluster's own.
func (c *Cluster) GetSigner(bootstrapped bool) (certificate.Pair, error) {
	known := c.Record()
	if !bootstrapped {
		return known.LoadPair("kubelet-signer")
	}
	if _, ok := known.Files["csr-signer.key"]; ok {
		if signer, err := known.LoadPair("csr-signer"); err != nil || time.Now().Before(signer.Certificate.NotAfter) {
			return signer, err
		}
	}
	made, err := certificate.NewAuthority(pkix.Name{CommonName: "openshift-kube-controller-manager-operator_csr-signer"}, signerLifetime, time.Now())
	if err != nil {
		return made, err
	}
	return made, c.savePair("csr-signer", made)
}

// EnsureRouterCertificate returns the certificate of the routers and its authority.
func (c *Cluster) EnsureRouterCertificate() (serving, authority certificate.Pair, err error) {
	known := c.Record()
	if _, ok := known.Files["router-certs-default.key"]; ok {
		if serving, err = known.LoadPair("router-certs-default"); err != nil {
			return serving, authority, err
		}
		authority, err = known.LoadPair("router-ca")
		return serving, authority, err
	}
	if authority, err = certificate.NewAuthority(pkix.Name{CommonName: "ingress-operator"}, routerLifetime, time.Now()); err != nil {
		return serving, authority, err
	}
	apps := "*." + c.AppsDomain()
	serving, err = authority.Issue(certificate.Request{Subject: pkix.Name{CommonName: apps}, DNS: []string{apps}, Validity: routerLifetime,
		Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, time.Now())
	if err != nil {
		return serving, authority, err
	}
	if err = c.savePair("router-ca", authority); err != nil {
		return serving, authority, err
	}
	return serving, authority, c.savePair("router-certs-default", serving)
}

func (c *Cluster) savePair(name string, made certificate.Pair) error {
	key, err := made.KeyPEM()
	if err != nil {
		return err
	}
	changed := c.Record()
	files := maps.Clone(changed.Files)
	files[name+".crt"], files[name+".key"] = made.CertPEM(), key
	changed.Files = files
	return c.SaveRecord(changed)
}

// IssueNodeCertificate signs the request of a node.
func IssueNodeCertificate(signer certificate.Pair, request *x509.CertificateRequest, usage x509.ExtKeyUsage) (*x509.Certificate, error) {
	if err := request.CheckSignature(); err != nil {
		return nil, err
	}
	return signer.Certify(certificate.Request{Subject: request.Subject, DNS: request.DNSNames, IPs: append([]net.IP(nil), request.IPAddresses...),
		Usages: []x509.ExtKeyUsage{usage}, Validity: servingLifetime}, request.PublicKey, time.Now())
}
