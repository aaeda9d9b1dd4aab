package cluster

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"net"
	"testing"
	"time"

	"exoshift/internal/simcloud/certificate"
	"exoshift/state"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// machine is what its kubelet does at the API server, with its own keys and certificates.
type machine struct {
	name    string
	address net.IP
	plane   *plane
	first   *rest.Config // of the bootstrapper, who asks for the first certificate
	key     *ecdsa.PrivateKey
}

func (m *machine) expected(role state.Role) state.ExpectedNode {
	return state.ExpectedNode{Name: m.name, Role: role, Addresses: []string{m.address.String()}, Created: time.Now().Add(-time.Minute)}
}

// ask asks for the first certificate and returns the name of the request.
func (m *machine) ask(t *testing.T) string {
	t.Helper()
	var err error
	m.key, err = certificate.NewKey()
	must(t, err)
	return m.file(t, m.first, certificatesv1.KubeAPIServerClientKubeletSignerName, certificatesv1.UsageClientAuth, x509.CertificateRequest{})
}

// askToServe asks, with the machine's own certificate, for that of the kubelet's server.
func (m *machine) askToServe(t *testing.T, own *rest.Config) string {
	t.Helper()
	return m.file(t, own, certificatesv1.KubeletServingSignerName, certificatesv1.UsageServerAuth, x509.CertificateRequest{
		DNSNames: []string{m.name}, IPAddresses: []net.IP{m.address},
	})
}

// file files a request as somebody, for what names says.
func (m *machine) file(t *testing.T, as *rest.Config, signer string, usage certificatesv1.KeyUsage, names x509.CertificateRequest) string {
	t.Helper()
	names.Subject = pkix.Name{CommonName: "system:node:" + m.name, Organization: []string{"system:nodes"}}
	der, err := x509.CreateCertificateRequest(rand.Reader, &names, m.key)
	must(t, err)
	request := &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "csr-"},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			Request:    pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}),
			SignerName: signer, Usages: []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, usage},
		},
	}
	client, err := kubernetes.NewForConfig(as)
	must(t, err)
	filed, err := client.CertificatesV1().CertificateSigningRequests().Create(t.Context(), request, metav1.CreateOptions{})
	must(t, err)
	return filed.Name
}

// collect waits for the certificate that was asked for, and returns how the machine connects with it.
func (m *machine) collect(t *testing.T, request string) *rest.Config {
	t.Helper()
	typed, _ := m.plane.objects(t)
	var issued []byte
	until(t, func() error {
		filed, err := typed.CertificatesV1().CertificateSigningRequests().Get(t.Context(), request, metav1.GetOptions{})
		if err == nil && len(filed.Status.Certificate) == 0 {
			err = errors.New("no certificate was issued for " + request + " of " + m.name)
		}
		if err == nil {
			issued = filed.Status.Certificate
		}
		return err
	})
	key, err := certificate.EncodeKey(m.key)
	must(t, err)
	if _, err := tls.X509KeyPair(issued, key); err != nil {
		t.Fatalf("the certificate of %s is not for its key: %v", m.name, err)
	}
	config := m.plane.admin(t)
	config.CertData, config.KeyData = bytes.Clone(issued), key
	return config
}

// register creates the machine's Node as the machine itself.
func (m *machine) register(t *testing.T, own *rest.Config) {
	t.Helper()
	client, err := kubernetes.NewForConfig(own)
	must(t, err)
	_, err = client.CoreV1().Nodes().Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: m.name, Labels: map[string]string{"kubernetes.io/hostname": m.name},
	}}, metav1.CreateOptions{})
	must(t, err)
	m.report(t, own, corev1.ConditionFalse, "container runtime network not ready")
}

// report reports how the machine is, as its kubelet does.
func (m *machine) report(t *testing.T, own *rest.Config, ready corev1.ConditionStatus, message string) {
	t.Helper()
	client, err := kubernetes.NewForConfig(own)
	must(t, err)
	node, err := client.CoreV1().Nodes().Get(t.Context(), m.name, metav1.GetOptions{})
	must(t, err)
	node.Status.Addresses = []corev1.NodeAddress{
		{Type: corev1.NodeHostName, Address: m.name}, {Type: corev1.NodeInternalIP, Address: m.address.String()},
	}
	node.Status.Conditions = []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: ready, Reason: "KubeletReady", Message: message,
		LastHeartbeatTime: metav1.Now(), LastTransitionTime: metav1.Now(),
	}}
	_, err = client.CoreV1().Nodes().UpdateStatus(t.Context(), node, metav1.UpdateOptions{})
	must(t, err)
}
