package alerts

import (
	"context"
	"net/http"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/openshift/kubeapi"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	publishedConfig    kubeapi.ResourcePath = "v1/configmaps@openshift-config-managed"
	monitoringAccounts kubeapi.ResourcePath = "v1/serviceaccounts@openshift-monitoring"
)

const (
	monitoringAccount = "prometheus-k8s"
	// tokenSeconds is the shortest lifetime of a token that the API allows.
	tokenSeconds = 600
)

// newIngressClient returns a client that trusts the CAs that the cluster publishes for its routers, and public CAs, whose
// certificates the routers may have.
func newIngressClient(ctx context.Context, api *kubeapi.Client) (*http.Client, error) {
	published, _, err := kubeapi.Get[corev1.ConfigMap](ctx, api, publishedConfig, "default-ingress-cert")
	if err != nil {
		return nil, err
	}
	roots, err := kubeapi.LoadPublicRoots(api.Network)
	if err != nil {
		return nil, fault.New(fault.Internal, "load this machine's certificate authorities", err)
	}
	roots.AppendCertsFromPEM([]byte(published.Data["ca-bundle.crt"]))
	transport := api.Network.NewTransport()
	transport.TLSClientConfig.RootCAs = roots
	limits := network.Limits{Bytes: maxAlertsAnswer, Time: alertsTimeout}
	return &http.Client{Transport: limits.Wrap(transport), CheckRedirect: network.KeepRedirect}, nil
}

func createMonitoringToken(ctx context.Context, api *kubeapi.Client) (string, error) {
	const op = "get a token of the cluster's Prometheus"
	wanted := map[string]any{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "metadata": map[string]any{"name": monitoringAccount},
		"spec": map[string]any{"expirationSeconds": int64(tokenSeconds)},
	}
	made, err := api.Request(ctx, monitoringAccounts, wanted, "token")
	if err != nil {
		failure := api.ToFault(ctx, op, err)
		if fault.Is(failure, fault.NotFound) {
			return "", fault.Newf(fault.Transient, op, "the account does not exist yet")
		}
		return "", kubeapi.RedactMessage(failure)
	}
	token, _, _ := unstructured.NestedString(made.Object, "status", "token")
	if token == "" {
		return "", fault.Newf(fault.Internal, op, "the API returned none")
	}
	return token, nil
}
