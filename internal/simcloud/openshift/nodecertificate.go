package openshift

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
	"time"

	"exoshift/internal/simcloud/certificate"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/hostnet"
)

const (
	clientSigner  = "kubernetes.io/kube-apiserver-client-kubelet"
	servingSigner = "kubernetes.io/kubelet-serving"
)

type certificateRequest struct {
	file    string // below pkiFolder, without ending
	signer  string
	usage   string
	subject *x509.CertificateRequest
}

type identity struct{ certificate, key []byte }

const pkiFolder = "/var/lib/kubelet/pki/"

// retryRequest is how long a kubelet waits for a request before it creates another.
const retryRequest = 15 * time.Minute

// certificateLosses is one more than the number of keys that the installation approves for a node by itself.
const certificateLosses = 4

func (k *kubelet) buildSubject() pkix.Name {
	return pkix.Name{CommonName: "system:node:" + k.node, Organization: []string{"system:nodes"}}
}

func (k *kubelet) newClientRequest() certificateRequest {
	subject := k.buildSubject()
	if k.clusters.faults.GreedyRequests && k.config.Role != "master" {
		subject.Organization = append(subject.Organization, "system:masters")
	}
	return certificateRequest{file: "kubelet-client-current", signer: clientSigner, usage: "client auth", subject: &x509.CertificateRequest{Subject: subject}}
}

func (k *kubelet) newServingRequest() certificateRequest {
	address := net.IP(k.getAddress().AsSlice())
	return certificateRequest{file: "kubelet-server-current", signer: servingSigner, usage: "server auth",
		subject: &x509.CertificateRequest{Subject: k.buildSubject(), DNSNames: []string{k.node}, IPAddresses: []net.IP{address}}}
}

// ensureCertificate returns the certificate from the disk, or requests it until it is issued; after a failure or retryRequest,
// with another key. The key and the name of the request are stored on the disk, so that a restarted machine waits for the same
// request.
func (k *kubelet) ensureCertificate(ctx context.Context, api *client, want certificateRequest) (identity, bool) {
	filed := k.clusters.clock.Now()
	var found identity
	ok := k.clusters.poll(ctx, 5*time.Second, func(ctx context.Context) bool {
		var issued bool
		if found.certificate, issued = k.machine.ReadFile(pkiFolder + want.file + ".crt"); issued {
			found.key, _ = k.machine.ReadFile(pkiFolder + want.file + ".key")
			return true
		}
		name, _ := k.machine.ReadFile(pkiFolder + want.file + ".csr")
		if len(name) == 0 || k.clusters.clock.Now().Sub(filed) > retryRequest {
			filed = k.clusters.clock.Now()
			if err := k.createRequest(ctx, api, want); err != nil && ctx.Err() == nil {
				k.machine.Console("kubelet: cannot create a certificate signing request: %v", err)
			}
			return false
		}
		if err := k.fetch(ctx, api, want, string(name)); err != nil && ctx.Err() == nil {
			k.machine.Console("kubelet: %s: %v", name, err)
		}
		return false
	})
	return found, ok
}

func (k *kubelet) fetch(ctx context.Context, api *client, want certificateRequest, name string) error {
	request, err := api.get(ctx, csrPath+"/"+name)
	issued, _ := base64.StdEncoding.DecodeString(request.GetString("status.certificate"))
	switch {
	case isCode(err, http.StatusNotFound), err == nil && (len(request.Condition("Denied")) > 0 || len(request.Condition("Failed")) > 0):
		return k.resetRequest(want)
	case err != nil || len(issued) == 0:
		return err
	case k.injectCertificateLoss(want):
		k.machine.Console("kubelet: %s: the certificate was lost: unexpected EOF", name)
		return k.resetRequest(want)
	}
	return k.machine.WriteFile(pkiFolder+want.file+".crt", issued)
}

func (k *kubelet) resetRequest(want certificateRequest) error {
	return k.machine.WriteFile(pkiFolder+want.file+".csr", nil)
}

func (k *kubelet) injectCertificateLoss(want certificateRequest) bool {
	const noted = pkiFolder + "lost"
	lost, _ := k.machine.ReadFile(noted)
	if !k.clusters.faults.LostCertificates || want.signer != clientSigner || k.node != "worker-0" || len(lost) >= certificateLosses {
		return false
	}
	return k.machine.WriteFile(noted, append(lost[:len(lost):len(lost)], '.')) == nil
}

// createRequest: a failure is retried by the next poll.
func (k *kubelet) createRequest(ctx context.Context, api *client, want certificateRequest) error {
	key, err := certificate.NewKey()
	if err != nil {
		return err
	}
	encoded, err := certificate.EncodeKey(key)
	if err != nil {
		return err
	}
	if err := errors.Join(k.resetRequest(want), k.machine.WriteFile(pkiFolder+want.file+".key", encoded)); err != nil {
		return err
	}
	request, err := buildCSR(want, encoded)
	if err != nil {
		return err
	}
	created, err := api.do(ctx, http.MethodPost, csrPath, kube.Object{
		"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": kube.Object{"generateName": "csr-"},
		"spec": kube.Object{"request": base64.StdEncoding.EncodeToString(request), "signerName": want.signer,
			"usages": []string{"digital signature", want.usage}},
	})
	if err != nil {
		return err
	}
	k.machine.Console("kubelet: filed %s for %s", created.Name(), want.signer)
	return k.machine.WriteFile(pkiFolder+want.file+".csr", []byte(created.Name()))
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

const kubeletPort = 10250

func (k *kubelet) serve(ctx context.Context) {
	served, ok := k.ensureCertificate(ctx, k.api, k.newServingRequest())
	if !ok {
		return
	}
	pair, err := certificate.Parse(served.certificate, served.key)
	if err == nil {
		err = hostnet.ListenAndServe(ctx, k.machine, kubeletPort, hostnet.NewTLSConfig(hostnet.UseCertificate(pair)), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
		}))
	}
	if err != nil {
		k.machine.Console("kubelet: %v", err)
	}
}
