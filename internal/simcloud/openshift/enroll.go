package openshift

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"net"
	"net/http"
	"time"

	"exoshift/internal/simcloud/certificate"
	"exoshift/internal/simcloud/kube"
)

// The two signers of a node's certificates.
const (
	clientSigner  = "kubernetes.io/kube-apiserver-client-kubelet"
	servingSigner = "kubernetes.io/kubelet-serving"
)

// wanted is a certificate that a kubelet asks for.
type wanted struct {
	file    string // below pkiFolder, without ending
	signer  string
	usage   string
	subject *x509.CertificateRequest
}

// identity is a certificate with its key, as PEM.
type identity struct{ certificate, key []byte }

const pkiFolder = "/var/lib/kubelet/pki/"

// retryRequest is when a kubelet forgets a request that nobody decided about, and files another.
const retryRequest = 15 * time.Minute

func (k *kubelet) subject() pkix.Name {
	return pkix.Name{CommonName: "system:node:" + k.node, Organization: []string{"system:nodes"}}
}

func (k *kubelet) clientRequest() wanted {
	subject := k.subject()
	if k.world.troubles.GreedyRequests && k.config.Role != "master" {
		subject.Organization = append(subject.Organization, "system:masters")
	}
	return wanted{file: "kubelet-client-current", signer: clientSigner, usage: "client auth", subject: &x509.CertificateRequest{Subject: subject}}
}

func (k *kubelet) servingRequest() wanted {
	address := net.IP(k.address().AsSlice())
	return wanted{file: "kubelet-server-current", signer: servingSigner, usage: "server auth",
		subject: &x509.CertificateRequest{Subject: k.subject(), DNSNames: []string{k.node}, IPAddresses: []net.IP{address}}}
}

// obtain returns the certificate from the disk, or asks for it until somebody approved. The key and the name of the
// request are kept on the disk, so that a machine that is started again waits for the same one.
func (k *kubelet) obtain(ctx context.Context, api *client, want wanted) (identity, bool) {
	key, ok := k.key(want)
	if !ok {
		return identity{}, false
	}
	filed := k.world.clock.Now()
	found := identity{key: key}
	ok = k.world.poll(ctx, 5*time.Second, func(ctx context.Context) bool {
		var issued bool
		if found.certificate, issued = k.machine.ReadFile(pkiFolder + want.file + ".crt"); issued {
			return true
		}
		name, _ := k.machine.ReadFile(pkiFolder + want.file + ".csr")
		if len(name) == 0 || k.world.clock.Now().Sub(filed) > retryRequest {
			filed = k.world.clock.Now()
			k.file(ctx, api, want, key)
			return false
		}
		k.fetch(ctx, api, want, string(name))
		return false
	})
	return found, ok
}

// fetch puts the certificate on the disk if it was issued, and forgets a request that is gone.
func (k *kubelet) fetch(ctx context.Context, api *client, want wanted, name string) {
	request, err := api.get(ctx, csrPath+"/"+name)
	issued, _ := base64.StdEncoding.DecodeString(request.Text("status.certificate"))
	switch {
	case err == nil && len(issued) > 0:
		err = k.machine.WriteFile(pkiFolder+want.file+".crt", issued)
	case isCode(err, http.StatusNotFound):
		err = k.machine.WriteFile(pkiFolder+want.file+".csr", nil)
	}
	if err != nil && ctx.Err() == nil {
		k.machine.Console("kubelet: %s: %v", name, err)
	}
}

// key returns the private key of a certificate, made when it is first needed.
func (k *kubelet) key(want wanted) ([]byte, bool) {
	path := pkiFolder + want.file + ".key"
	if kept, ok := k.machine.ReadFile(path); ok {
		return kept, true
	}
	made, err := certificate.NewKey()
	if err == nil {
		var encoded []byte
		if encoded, err = certificate.EncodeKey(made); err == nil {
			if err = k.machine.WriteFile(path, encoded); err == nil {
				return encoded, true
			}
		}
	}
	k.machine.Console("kubelet: %v", err)
	return nil, false
}

// file creates the request at the API; if that fails, the next look does it.
func (k *kubelet) file(ctx context.Context, api *client, want wanted, key []byte) {
	request, err := signedRequest(want, key)
	if err != nil {
		k.machine.Console("kubelet: %v", err)
		return
	}
	created, err := api.do(ctx, http.MethodPost, csrPath, kube.Object{
		"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": kube.Object{"generateName": "csr-"},
		"spec": kube.Object{"request": base64.StdEncoding.EncodeToString(request), "signerName": want.signer,
			"usages": []string{"digital signature", want.usage}},
	})
	if err == nil {
		k.machine.Console("kubelet: filed %s for %s", created.Name(), want.signer)
		err = k.machine.WriteFile(pkiFolder+want.file+".csr", []byte(created.Name()))
	}
	if err != nil && ctx.Err() == nil {
		k.machine.Console("kubelet: cannot create a certificate signing request: %v", err)
	}
}

func signedRequest(want wanted, key []byte) ([]byte, error) {
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

// serve gets the serving certificate and then answers on the kubelet's port.
func (k *kubelet) serve(ctx context.Context) {
	served, ok := k.obtain(ctx, k.api, k.servingRequest())
	if !ok {
		return
	}
	pair, err := certificate.Parse(served.certificate, served.key)
	if err == nil {
		err = serveHTTPS(ctx, k.machine, kubeletPort, servingTLS(always(pair)), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
		}))
	}
	if err != nil {
		k.machine.Console("kubelet: %v", err)
	}
}
