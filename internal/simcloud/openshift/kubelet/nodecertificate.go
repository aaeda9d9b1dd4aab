package kubelet

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"time"

	"exoshift/internal/simcloud/certificate"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/operators"
)

type certificateRequest struct {
	file    string // below pkiFolder, without ending
	signer  string
	usage   string
	subject *x509.CertificateRequest
}

type identity struct{ certificate, key []byte }

const pkiFolder = "/var/lib/kubelet/pki/"

// The certificates of a node, below pkiFolder, without ending.
const (
	clientFile  = "kubelet-client-current"
	servingFile = "kubelet-server-current"
)

// retryRequest is how long a kubelet waits for a request before it creates another.
const retryRequest = 15 * time.Minute

// certificateLosses is one more than the number of keys that the installation approves for a node by itself.
const certificateLosses = 4

// certificateManager requests the certificates of a node, and keeps them on its disk.
type certificateManager struct {
	cluster *cluster.Cluster
	machine machine.Machine
	node    string
	role    string
	address netip.Addr // of the node
}

func (c certificateManager) buildSubject() pkix.Name {
	return pkix.Name{CommonName: "system:node:" + c.node, Organization: []string{"system:nodes"}}
}

func (c certificateManager) newClientRequest() certificateRequest {
	subject := c.buildSubject()
	if c.cluster.Faults.GreedyRequests && c.role != "master" {
		subject.Organization = append(subject.Organization, "system:masters")
	}
	return certificateRequest{file: clientFile, signer: operators.ClientSigner, usage: "client auth", subject: &x509.CertificateRequest{Subject: subject}}
}

func (c certificateManager) newServingRequest() certificateRequest {
	address := net.IP(c.address.AsSlice())
	return certificateRequest{file: servingFile, signer: operators.ServingSigner, usage: "server auth",
		subject: &x509.CertificateRequest{Subject: c.buildSubject(), DNSNames: []string{c.node}, IPAddresses: []net.IP{address}}}
}

// ensure returns the certificate from the disk, or requests it until it is issued; after a failure or retryRequest,
// with another key. The key and the name of the request are stored on the disk, so that a restarted machine waits for the same
// request.
func (c certificateManager) ensure(ctx context.Context, api *apiclient.Client, want certificateRequest) (identity, bool) {
	filed := c.cluster.Clock.Now()
	var found identity
	ok := c.cluster.Poll(ctx, 5*time.Second, func(ctx context.Context) bool {
		var issued bool
		if found.certificate, issued = c.machine.ReadFile(pkiFolder + want.file + ".crt"); issued && len(found.certificate) > 0 {
			if !c.isExpired(want.file) {
				found.key, _ = c.machine.ReadFile(pkiFolder + want.file + ".key")
				return true
			}
			if err := c.discard(want); err != nil {
				c.machine.Console("kubelet: %v", err)
				return false
			}
		}
		name, _ := c.machine.ReadFile(pkiFolder + want.file + ".csr")
		if len(name) == 0 || c.cluster.Clock.Now().Sub(filed) > retryRequest {
			filed = c.cluster.Clock.Now()
			if err := c.createRequest(ctx, api, want); err != nil && ctx.Err() == nil {
				c.machine.Console("kubelet: cannot create a certificate signing request: %v", err)
			}
			return false
		}
		if err := c.fetch(ctx, api, want, string(name)); err != nil && ctx.Err() == nil {
			c.machine.Console("kubelet: %s: %v", name, err)
		}
		return false
	})
	return found, ok
}

func (c certificateManager) fetch(ctx context.Context, api *apiclient.Client, want certificateRequest, name string) error {
	request, err := api.Get(ctx, apiclient.CSRPath+"/"+name)
	issued, _ := base64.StdEncoding.DecodeString(request.GetString("status.certificate"))
	switch {
	case apiclient.IsCode(err, http.StatusNotFound), err == nil && (len(request.Condition("Denied")) > 0 || len(request.Condition("Failed")) > 0):
		return c.resetRequest(want)
	case err != nil || len(issued) == 0:
		return err
	case c.injectCertificateLoss(want):
		c.machine.Console("kubelet: %s: the certificate was lost: unexpected EOF", name)
		return c.resetRequest(want)
	}
	return errors.Join(c.machine.WriteFile(pkiFolder+want.file+".crt", issued), c.beginLife(want.file))
}

func (c certificateManager) resetRequest(want certificateRequest) error {
	return c.machine.WriteFile(pkiFolder+want.file+".csr", nil)
}

func (c certificateManager) injectCertificateLoss(want certificateRequest) bool {
	const noted = pkiFolder + "lost"
	lost, _ := c.machine.ReadFile(noted)
	if !c.cluster.Faults.LostCertificates || want.signer != operators.ClientSigner || c.node != "worker-0" || len(lost) >= certificateLosses {
		return false
	}
	return c.machine.WriteFile(noted, append(lost[:len(lost):len(lost)], '.')) == nil
}

// createRequest: a failure is retried by the next poll.
func (c certificateManager) createRequest(ctx context.Context, api *apiclient.Client, want certificateRequest) error {
	key, err := certificate.NewKey()
	if err != nil {
		return err
	}
	encoded, err := certificate.EncodeKey(key)
	if err != nil {
		return err
	}
	if err := errors.Join(c.resetRequest(want), c.machine.WriteFile(pkiFolder+want.file+".key", encoded)); err != nil {
		return err
	}
	request, err := buildCSR(want, encoded)
	if err != nil {
		return err
	}
	created, err := api.Do(ctx, http.MethodPost, apiclient.CSRPath, kube.Object{
		"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": kube.Object{"generateName": "csr-"},
		"spec": kube.Object{"request": base64.StdEncoding.EncodeToString(request), "signerName": want.signer,
			"usages": []string{"digital signature", want.usage}},
	})
	if err != nil {
		return err
	}
	c.machine.Console("kubelet: filed %s for %s", created.Name(), want.signer)
	return c.machine.WriteFile(pkiFolder+want.file+".csr", []byte(created.Name()))
}

func buildCSR(want certificateRequest, key []byte) ([]byte, error) {
	block, _ := pem.Decode(key)
	private, err := x509.ParseECPrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, want.subject, private)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}), nil
}
