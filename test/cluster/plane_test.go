package cluster

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"exoshift/internal/simcloud/certificate"
)

// plane is a control plane: an etcd, an API server and a controller manager that signs, all on loopback.
type plane struct {
	dir                string
	authority          certificate.Pair // of everything: servers, users, nodes
	front              certificate.Pair // what a proxy in front of the API server shows
	etcdPort, apiPort  string
	etcd, api, manager *process
}

// start brings a control plane up; it ends with the test, the API server before its etcd.
func start(t *testing.T) *plane {
	t.Helper()
	began := time.Now()
	p := &plane{dir: t.TempDir(), authority: newAuthority(t, "root-ca"), etcdPort: freePort(t)}
	write(t, p.dir, "ca", p.authority)
	must(t, os.WriteFile(p.file("clients.crt"), p.authority.CertPEM(), 0o600)) // whom the API server believes: it reads the file again
	write(t, p.dir, "server", issueServer(t, p.authority))
	write(t, p.dir, "accounts", newAuthority(t, "accounts"))
	frontAuthority := newAuthority(t, "front-ca")
	write(t, p.dir, "front-ca", frontAuthority)
	p.front = issueUser(t, frontAuthority, "front-proxy")
	write(t, p.dir, "front", p.front)
	peers := freePort(t)
	p.etcd = launch(t, p.file("etcd.log"), append([]string{
		"etcd", "--name=storage", "--data-dir=" + p.file("etcd"), "--unsafe-no-fsync", "--log-level=warn",
		"--listen-client-urls=" + local(p.etcdPort), "--advertise-client-urls=" + local(p.etcdPort),
		"--listen-peer-urls=" + local(peers), "--initial-advertise-peer-urls=" + local(peers), "--initial-cluster=storage=" + local(peers),
	}, etcdTrust(p.dir)...)...)
	p.apiPort = freePort(t)
	p.serve(t)
	p.await(t)
	p.manager = p.manage(t) // it does not wait for long
	t.Logf("the control plane was ready within %s", time.Since(began).Round(100*time.Millisecond))
	return p
}

func (p *plane) file(name string) string { return filepath.Join(p.dir, name) }

// etcdTrust are the flags by which an etcd knows its clients and its peers.
func etcdTrust(dir string) []string {
	ca, crt, key := filepath.Join(dir, "ca.crt"), filepath.Join(dir, "server.crt"), filepath.Join(dir, "server.key")
	return []string{
		"--client-cert-auth", "--trusted-ca-file=" + ca, "--cert-file=" + crt, "--key-file=" + key,
		"--peer-client-cert-auth", "--peer-trusted-ca-file=" + ca, "--peer-cert-file=" + crt, "--peer-key-file=" + key,
	}
}

// serve starts the API server, also a second time.
func (p *plane) serve(t *testing.T) {
	t.Helper()
	p.api = launch(t, p.file("api.log"),
		"kube-apiserver", "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port="+p.apiPort,
		"--etcd-servers="+local(p.etcdPort), "--etcd-cafile="+p.file("ca.crt"),
		"--etcd-certfile="+p.file("server.crt"), "--etcd-keyfile="+p.file("server.key"),
		"--tls-cert-file="+p.file("server.crt"), "--tls-private-key-file="+p.file("server.key"), "--client-ca-file="+p.file("clients.crt"),
		"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction", "--disable-admission-plugins=ServiceAccount",
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file="+p.file("accounts.crt"),
		"--service-account-signing-key-file="+p.file("accounts.key"), "--service-cluster-ip-range=172.30.0.0/16",
		"--requestheader-client-ca-file="+p.file("front-ca.crt"), "--requestheader-allowed-names=front-proxy",
		"--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file="+p.file("front.crt"), "--proxy-client-key-file="+p.file("front.key"),
		"--kubelet-certificate-authority="+p.file("ca.crt"), "--endpoint-reconciler-type=none", "--profiling=false", "-v=0")
}

// manage starts the controllers that sign certificates, make tokens and delete the contents of namespaces.
func (p *plane) manage(t *testing.T) *process {
	t.Helper()
	config := p.file("manager.kubeconfig")
	must(t, os.WriteFile(config, p.userConfig(t, "system:kube-controller-manager", "system:masters"), 0o600))
	return launch(t, p.file("manager.log"),
		"kube-controller-manager", "--kubeconfig="+config, "--bind-address=127.0.0.1", "--secure-port=0", "--leader-elect=false",
		"--controllers=certificatesigningrequest-signing-controller,serviceaccount-token-controller,namespace-controller",
		"--cluster-signing-cert-file="+p.file("ca.crt"), "--cluster-signing-key-file="+p.file("ca.key"),
		"--root-ca-file="+p.file("ca.crt"), "--service-account-private-key-file="+p.file("accounts.key"))
}

// await waits until the API server is ready.
func (p *plane) await(t *testing.T) {
	t.Helper()
	config := p.admin(t)
	config.Timeout = 20 * time.Second
	client, err := rest.HTTPClientFor(config)
	must(t, err)
	until(t, func() error {
		answer, err := client.Get(local(p.apiPort) + "/readyz")
		if err != nil {
			select {
			case <-p.api.ended:
				t.Fatalf("the API server ended:\n%s", p.api.tail())
			default:
			}
			return err
		}
		defer func() { _ = answer.Body.Close() }()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("the API server is not ready: %s", answer.Status)
		}
		return nil
	})
}

// userConfig leads a user to the API server.
func (p *plane) userConfig(t *testing.T, name string, groups ...string) []byte {
	t.Helper()
	return kubeconfig(t, local(p.apiPort), p.authority, issueUser(t, p.authority, name, groups...))
}

// admin returns how the administrator connects, without a limit of requests.
func (p *plane) admin(t *testing.T) *rest.Config {
	t.Helper()
	return p.user(t, "system:admin", "system:masters")
}

func (p *plane) user(t *testing.T, name string, groups ...string) *rest.Config {
	t.Helper()
	config, err := clientcmd.RESTConfigFromKubeConfig(p.userConfig(t, name, groups...))
	must(t, err)
	config.QPS = -1
	return config
}

// objects returns the administrator's clients: for what Kubernetes has, and for every kind.
func (p *plane) objects(t *testing.T) (*kubernetes.Clientset, *dynamic.DynamicClient) {
	t.Helper()
	config := p.admin(t)
	typed, err := kubernetes.NewForConfig(config)
	must(t, err)
	all, err := dynamic.NewForConfig(config)
	must(t, err)
	return typed, all
}
