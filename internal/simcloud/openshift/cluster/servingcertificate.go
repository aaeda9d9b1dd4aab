package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"time"

	"exoshift/internal/simcloud/certificate"
	"exoshift/internal/simcloud/openshift/hostnet"
)

// newAPITLS selects the certificate by SNI: on the bootstrap host those of the installer, on masters those that the cluster
// issued.
func (c *Cluster) newAPITLS(issued bool) (*tls.Config, error) {
	internal, shown := "api-int."+c.Record().Domain, map[string]*tls.Certificate{}
	for name, file := range map[string]string{"api." + c.Record().Domain: "kube-apiserver-lb-server", internal: "kube-apiserver-internal-lb-server"} {
		pair, err := c.getServingPair(name, file, issued)
		if err != nil {
			return nil, err
		}
		certificate := hostnet.ToTLSCertificate(pair)
		shown[name] = &certificate
	}
	config := hostnet.NewTLSConfig(func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		if found, ok := shown[hello.ServerName]; ok {
			return found, nil
		}
		return shown[internal], nil
	})
	config.ClientAuth = tls.RequestClientCert
	return config, nil
}

// The lifetime of short-lived certificates, and how long ago those expired that were not renewed.
const (
	dayLifetime = 24 * time.Hour
	overdue     = time.Hour
)

func (c *Cluster) getServingPair(name, file string, issued bool) (certificate.Pair, error) {
	if !issued && !c.Faults.ExpiredCertificates && !c.Faults.ForeignAuthority {
		return c.Record().LoadPair(file)
	}
	signer, err := c.getServingSigner()
	if err != nil {
		return signer, err
	}
	request := certificate.Request{Subject: pkix.Name{CommonName: name}, DNS: []string{name}, Validity: servingLifetime,
		Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	now := time.Now()
	if c.Faults.ExpiredCertificates {
		request.Validity, now = dayLifetime, now.Add(-dayLifetime-overdue)
	}
	return signer.Issue(request, now)
}

// getServingSigner returns the signer of the API servers' certificates: the cluster's own, or under the ForeignAuthority fault
// that of another cluster.
func (c *Cluster) getServingSigner() (certificate.Pair, error) {
	const name = "kube-apiserver-lb-signer"
	if c.Faults.ForeignAuthority {
		return certificate.NewAuthority(pkix.Name{CommonName: name}, signerLifetime, time.Now())
	}
	return c.Record().LoadPair(name)
}
