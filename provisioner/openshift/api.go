package openshift

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"exoshift/internal/fault"
	"exoshift/internal/network"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

type api struct {
	address *url.URL
	trust   *tls.Config // of its server, with the client's certificate
	http    *http.Client
	objects dynamic.Interface
	counter *requestCounter
}

func newAPI(net network.Network, kubeconfig []byte, tally *requestCounter) (*api, error) {
	const op = "load the cluster's kubeconfig"
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	address, err := url.Parse(config.Host)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	if err := checkTrust(config, address); err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	trust, err := buildTLSConfig(net, config)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	made := &api{address: address, trust: trust, http: newClient(net, trust), counter: tally}
	if made.objects, err = dynamic.NewForConfigAndClient(newRESTConfig(config), made.http); err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	return made, nil
}

// checkTrust refuses a kubeconfig with which any server would be trusted.
func checkTrust(config *rest.Config, address *url.URL) error {
	switch {
	case address.Scheme != "https":
		return fmt.Errorf("the server %q is not reached by https", config.Host)
	case config.Insecure:
		return errors.New("it turns the verification of the server off")
	case len(config.CAData) == 0:
		return errors.New("it embeds no certificate authority")
	case len(config.CertData) == 0 || len(config.KeyData) == 0:
		return errors.New("it embeds no client certificate")
	}
	return nil
}

// buildTLSConfig trusts public CAs besides those of the kubeconfig: a catalog may configure the API with a public certificate,
// which openshift-install's kubeconfig does not cover.
func buildTLSConfig(net network.Network, config *rest.Config) (*tls.Config, error) {
	trust, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, err
	}
	roots, err := loadPublicRoots(net)
	if err != nil {
		return nil, err
	}
	if !roots.AppendCertsFromPEM(config.CAData) {
		return nil, errors.New("it embeds an authority that is no certificate")
	}
	trust.RootCAs = roots
	// Probes do a handshake every few seconds; resuming a session costs both sides a fraction.
	trust.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	return trust, nil
}

// newClient follows no redirects, which would expose the credentials to another host. It creates its own transport: client-go
// caches its transports for the lifetime of the process, uses HTTP/2, whose connections outlive the API server behind a load
// balancer, and takes a proxy from the environment.
func newClient(net network.Network, trust *tls.Config) *http.Client {
	transport := net.NewTransport()
	transport.TLSClientConfig = trust.Clone()
	limits := network.Limits{Bytes: maxAnswer}
	return &http.Client{Transport: limits.Wrap(transport), Timeout: requestTimeout, CheckRedirect: network.KeepRedirect}
}

func newRESTConfig(config *rest.Config) *rest.Config {
	limited := rest.CopyConfig(config)
	limited.QPS = -1 // no limit: a few objects are polled every few seconds
	limited.WarningHandler = rest.NoWarnings{}
	return limited
}

// domain returns "" if the API's host name does not contain it.
func (a *api) domain() string {
	domain, found := strings.CutPrefix(a.address.Hostname(), "api.")
	if !found {
		return ""
	}
	return domain
}

func (a *api) patch(ctx context.Context, where resourcePath, name string, change []byte) error {
	a.counter.count("patch", where)
	_, err := where.toClient(a).Patch(ctx, name, types.MergePatchType, change, metav1.PatchOptions{FieldManager: "exoshift"})
	if err != nil {
		return a.toFault(ctx, "change "+where.String()+" "+name, err)
	}
	return nil
}
