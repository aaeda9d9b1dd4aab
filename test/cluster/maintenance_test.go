package cluster

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"exoshift/internal/network"
	"exoshift/provisioner/openshift"
	"exoshift/state"
)

const upgradeNamespace = "appuio-openshift-upgrade-controller"

func TestMaintenance_RealAPI(t *testing.T) {
	t.Parallel()
	s := converge(t)
	w := s.plane.watch(t, s.apiPort)
	if _, err := w.Apply(t.Context(), manifests(t, "maintenance.yaml")); err != nil {
		t.Fatal(err)
	}
	until(t, func() error { // a kind that is new is not ready at once
		_, err := w.GetMaintenance(t.Context())
		return err
	})
	configs := schema.GroupVersionResource{Group: "managedupgrade.appuio.io", Version: "v1beta1", Resource: "upgradeconfigs"}
	for _, want := range []state.Action{state.Created, state.Found} {
		if got, err := w.EnsureMaintenance(t.Context(), "tuesday-1000"); err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	if got := s.field(t, configs, upgradeNamespace, "first", "spec", "jobTemplate", "metadata", "labels", "upgradeconfig/name"); got != "first" {
		t.Errorf("jobs are labelled %v", got)
	}
	expect := func(want string) {
		t.Helper()
		got, err := w.GetMaintenance(t.Context())
		must(t, err)
		if got.State != want {
			t.Errorf("%+v, want %s", got, want)
		}
	}
	expect("Pending")
	s.create(t, "managedupgrade.appuio.io/v1beta1", "upgradejobs", upgradeNamespace, "UpgradeJob", "first-1", map[string]any{
		"metadata": map[string]any{"name": "first-1", "labels": map[string]any{"upgradeconfig/name": "first"}},
		"status":   map[string]any{"conditions": []any{map[string]any{"type": "Succeeded", "status": "True"}}},
	})
	expect("Succeeded")
	for _, want := range []state.Action{state.Deleted, state.Found} {
		if got, err := w.EndMaintenance(t.Context()); err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	expect("Succeeded")
}

// The token that the alerts are asked for with is made by a real API, which knows it as what it is.
func TestListAlerts_ServiceAccountToken(t *testing.T) {
	t.Parallel()
	s := begin(t)
	var token string
	alertmanager := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token = r.Header.Get("Authorization")[len("Bearer "):]
		_, _ = io.WriteString(w, `[{"labels": {"alertname": "Watchdog", "severity": "none"}, "startsAt": "2026-01-02T03:04:05Z", "status": {"state": "active"}}]`)
	}))
	t.Cleanup(alertmanager.Close)
	s.monitor(t)
	alerts, err := s.plane.reach(t, alertmanager).ListAlerts(t.Context())
	if err != nil || len(alerts) != 1 || alerts[0].Known == "" {
		t.Fatalf("%+v, %v", alerts, err)
	}
	review, err := s.typed.AuthenticationV1().TokenReviews().Create(t.Context(),
		&authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}, metav1.CreateOptions{})
	must(t, err)
	if got := review.Status.User.Username; got != "system:serviceaccount:openshift-monitoring:prometheus-k8s" {
		t.Errorf("the token is of %q", got)
	}
}

const alertsHost = "example.com" // which the certificate of a test server is for

// monitor makes what the alerts are found by.
func (s *story) monitor(t *testing.T) {
	t.Helper()
	s.create(t, "v1", "namespaces", "", "Namespace", "openshift-monitoring", nil)
	s.create(t, "v1", "serviceaccounts", "openshift-monitoring", "ServiceAccount", "prometheus-k8s", nil)
	s.create(t, "route.openshift.io/v1", "routes", "openshift-monitoring", "Route", "alertmanager-main", map[string]any{
		"spec": map[string]any{"to": map[string]any{"kind": "Service", "name": "alertmanager-main"}},
	})
	routes := schema.GroupVersionResource{Group: "route.openshift.io", Version: "v1", Resource: "routes"}
	admitted := `{"status": {"ingress": [{"host": "` + alertsHost + `", "conditions": [{"type": "Admitted", "status": "True"}]}]}}`
	_, err := s.all.Resource(routes).Namespace("openshift-monitoring").Patch(t.Context(), "alertmanager-main", types.MergePatchType, []byte(admitted),
		metav1.PatchOptions{}, "status")
	must(t, err)
}

// reach is watch in a world that has a server for the alerts, too.
func (p *plane) reach(t *testing.T, alertmanager *httptest.Server) *openshift.Cluster {
	t.Helper()
	config := kubeconfig(t, "https://"+net.JoinHostPort(apiName, p.apiPort), p.authority, issueUser(t, p.authority, "system:admin", "system:masters"))
	roots := alertmanager.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	api := toLoopback(p.apiPort)
	world := network.Network{Roots: roots, Lookup: onLoopback, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == alertsHost+":443" {
			address = alertmanager.Listener.Addr().String()
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
		return api(ctx, network, address)
	}}
	c := openshift.NewCluster(world, func() ([]byte, error) { return config, nil })
	t.Cleanup(c.Close)
	return c
}
