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

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// api is a connection to one API server address.
type api struct {
	address *url.URL
	trust   *tls.Config // of its server, with the client's certificate
	http    *http.Client
	objects dynamic.Interface
	tally   *tally
}

func newAPI(net network.Network, kubeconfig []byte, tally *tally) (*api, error) {
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
	trust, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	client := newClient(net, trust)
	objects, err := dynamic.NewForConfigAndClient(restConfig(config), client)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	return &api{address: address, trust: trust, http: client, objects: objects, tally: tally}, nil
}

// checkTrust refuses a kubeconfig that would let us talk to anybody.
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

// newClient makes the transport itself: client-go caches its transports for the life of the process, speaks HTTP/2,
// whose connections outlive the API server behind a load balancer, and takes a proxy from the environment.
func newClient(net network.Network, trust *tls.Config) *http.Client {
	transport := net.Transport()
	transport.TLSClientConfig = trust.Clone()
	return &http.Client{Transport: transport, Timeout: requestTimeout}
}

func restConfig(config *rest.Config) *rest.Config {
	limited := rest.CopyConfig(config)
	limited.QPS = -1 // no limit: we poll a few objects every few seconds
	limited.WarningHandler = rest.NoWarnings{}
	return limited
}

// domain returns the cluster's domain, or "" if the API's name does not tell.
func (a *api) domain() string {
	domain, found := strings.CutPrefix(a.address.Hostname(), "api.")
	if !found {
		return ""
	}
	return domain
}

// read gets one object, decoded into T; false if there is none (yet), or nothing of its kind (yet).
func read[T any](ctx context.Context, a *api, where place, name string) (T, bool, error) {
	var decoded T
	a.tally.count("get", where)
	object, err := where.in(a).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return decoded, false, nil
	}
	if err != nil {
		return decoded, false, a.explain(ctx, "read "+where.String()+" "+name, err)
	}
	err = decode(object, &decoded)
	return decoded, err == nil, err
}

// pageSize is how many objects are asked for at once, so that the memory for lists does not grow with the cluster.
const pageSize = 250

// list returns all objects that match the label selector, decoded into T; none if there is nothing of their kind (yet).
func list[T any](ctx context.Context, a *api, where place, selector string) ([]T, error) {
	var decoded []T
	options := metav1.ListOptions{LabelSelector: selector, Limit: pageSize}
	for {
		a.tally.count("list", where)
		page, err := where.in(a).List(ctx, options)
		if apierrors.IsNotFound(err) {
			return nil, nil
		}
		if err != nil {
			return nil, a.explain(ctx, "list "+where.String(), err)
		}
		for i := range page.Items {
			var one T
			if err := decode(&page.Items[i], &one); err != nil {
				return nil, err
			}
			decoded = append(decoded, one)
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return decoded, nil
		}
	}
}

func decode(object *unstructured.Unstructured, into any) error {
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, into); err != nil {
		return fault.New(fault.Internal, "understand "+object.GetKind()+" "+object.GetName(), err)
	}
	return nil
}

// patch changes the fields of a JSON merge patch and nothing else.
func (a *api) patch(ctx context.Context, where place, name string, change []byte) error {
	a.tally.count("patch", where)
	_, err := where.in(a).Patch(ctx, name, types.MergePatchType, change, metav1.PatchOptions{FieldManager: "exoshift"})
	if err != nil {
		return a.explain(ctx, "change "+where.String()+" "+name, err)
	}
	return nil
}
