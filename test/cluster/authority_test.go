package cluster

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"exoshift/internal/simcloud/certificate"
)

// apiName is what the cluster's API is called.
const apiName = "api.c1.example.net"

func newAuthority(t *testing.T, name string) certificate.Pair {
	t.Helper()
	authority, err := certificate.NewAuthority(pkix.Name{CommonName: name}, 24*time.Hour, time.Now())
	must(t, err)
	return authority
}

// issueServer makes a certificate that serves on loopback and under the API's name, to peers as well.
func issueServer(t *testing.T, authority certificate.Pair, more ...net.IP) certificate.Pair {
	t.Helper()
	issued, err := authority.Issue(certificate.Request{
		Subject: pkix.Name{CommonName: apiName}, DNS: []string{apiName, "localhost"}, IPs: append(more, net.IPv4(127, 0, 0, 1)),
		Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, Validity: time.Hour,
	}, time.Now())
	must(t, err)
	return issued
}

// issueUser makes a certificate that tells who somebody is.
func issueUser(t *testing.T, authority certificate.Pair, name string, groups ...string) certificate.Pair {
	t.Helper()
	issued, err := authority.Issue(certificate.Request{
		Subject: pkix.Name{CommonName: name, Organization: groups},
		Usages:  []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, Validity: time.Hour,
	}, time.Now())
	must(t, err)
	return issued
}

// write puts a certificate and its key into files NAME.crt and NAME.key.
func write(t *testing.T, dir, name string, pair certificate.Pair) {
	t.Helper()
	key, err := pair.KeyPEM()
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, name+".crt"), pair.CertPEM(), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, name+".key"), key, 0o600))
}

// kubeconfig leads a user to a server.
func kubeconfig(t *testing.T, server string, authority certificate.Pair, user certificate.Pair) []byte {
	t.Helper()
	key, err := user.KeyPEM()
	must(t, err)
	encode := base64.StdEncoding.EncodeToString
	return fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters: [{name: c1, cluster: {server: %q, certificate-authority-data: %s}}]
contexts: [{name: c1, context: {cluster: c1, user: user}}]
current-context: c1
users: [{name: user, user: {client-certificate-data: %s, client-key-data: %s}}]
`, server, encode(authority.CertPEM()), encode(user.CertPEM()), encode(key))
}
