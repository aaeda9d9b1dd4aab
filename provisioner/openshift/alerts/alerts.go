// Package alerts lists the alerts of the cluster's Alertmanager, and has those silenced that need no action.
package alerts

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/stable"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"
)

const monitoringRoutes kubeapi.ResourcePath = "route.openshift.io/v1/routes@openshift-monitoring"

const (
	maxAlerts       = 500
	maxAlertsAnswer = 8 << 20
	// alertsTimeout ends the request for the alerts, on the wall clock.
	alertsTimeout = 30 * time.Second
)

const alertsOp = "list the alerts"

// Alertmanager is the cluster's own.
type Alertmanager struct{ connector *kubeapi.Connector }

// New returns that of the connector's cluster.
func New(connector *kubeapi.Connector) *Alertmanager { return &Alertmanager{connector} }

// ListAlerts returns the firing and silenced alerts, unexpected ones first. It requests them from the cluster's Alertmanager
// through its route, with a token of the cluster's own Prometheus account that is valid for ten minutes, and trusts the cluster's
// ingress and public CAs. An Alertmanager that does not answer (yet) is fault.Transient.
func (c *Alertmanager) ListAlerts(ctx context.Context) ([]state.Alert, error) {
	api, err := c.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	client, err := newIngressClient(ctx, api)
	if err != nil {
		return nil, err
	}
	defer client.CloseIdleConnections()
	address, err := getAlertsURL(ctx, api)
	if err != nil {
		return nil, err
	}
	token, err := createMonitoringToken(ctx, api)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, alertsTimeout)
	defer cancel()
	content, err := fetchAlerts(limited, client, address, token)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	return decodeAlerts(content)
}

func getAlertsURL(ctx context.Context, api *kubeapi.Client) (string, error) {
	found, exists, err := kubeapi.Get[kubeapi.Route](ctx, api, monitoringRoutes, "alertmanager-main")
	if err != nil {
		return "", err
	}
	host := found.FindHost()
	if !exists || host == "" {
		return "", fault.Newf(fault.Transient, alertsOp, "no router serves the route openshift-monitoring/alertmanager-main yet")
	}
	return "https://" + host + "/api/v2/alerts?active=true&silenced=true&inhibited=false&unprocessed=true", nil
}

// fetchAlerts follows no redirects: the token is only for the cluster.
func fetchAlerts(ctx context.Context, client *http.Client, address, token string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fault.Newf(fault.Internal, alertsOp, "the route's host is not a valid name")
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Accept", "application/json")
	host := request.URL.Host
	response, err := client.Do(request)
	if err != nil {
		return nil, fault.New(fault.Transient, alertsOp+" at "+host, kubeapi.DescribeDirectError(err))
	}
	defer response.Body.Close()
	switch code := response.StatusCode; {
	case code == http.StatusOK:
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return nil, fault.Newf(fault.Denied, alertsOp, "%s rejects the account of the cluster's Prometheus (%d)", host, code)
	case code >= http.StatusInternalServerError:
		return nil, fault.Newf(fault.Transient, alertsOp, "%s responds %d: Alertmanager does not run yet", host, code)
	default:
		return nil, fault.Newf(fault.Internal, alertsOp, "%s answers %d", host, code)
	}
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fault.New(fault.Transient, alertsOp+" at "+host, network.DescribeError(err))
	}
	return content, nil
}

type alertmanagerAlert struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	StartsAt    time.Time         `json:"startsAt"`
	Status      struct {
		State      string   `json:"state"`
		SilencedBy []string `json:"silencedBy"`
	} `json:"status"`
}

func decodeAlerts(content []byte) ([]state.Alert, error) {
	var found []alertmanagerAlert
	if err := json.Unmarshal(content, &found); err != nil {
		return nil, fault.Newf(fault.Internal, alertsOp, "not a response of Alertmanager")
	}
	alerts := make([]state.Alert, len(found))
	for i := range found {
		alerts[i] = found[i].toAlert()
	}
	stable.Sort(alerts, func(a, b state.Alert) int {
		return cmp.Or(cmp.Compare(computeUrgency(a), computeUrgency(b)), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Namespace, b.Namespace), a.Since.Compare(b.Since))
	})
	return alerts[:min(len(alerts), maxAlerts)], nil
}

func (f alertmanagerAlert) toAlert() state.Alert {
	name := f.Labels["alertname"]
	alert := state.Alert{
		Name: kubeapi.Sanitize(name), Severity: kubeapi.Sanitize(f.Labels["severity"]), Namespace: kubeapi.Sanitize(f.Labels["namespace"]), Since: f.StartsAt,
		Summary:  kubeapi.Sanitize(cmp.Or(f.Annotations["summary"], f.Annotations["message"], f.Annotations["description"])),
		Silenced: f.Status.State == "suppressed" && len(f.Status.SilencedBy) > 0,
		Known:    expectedAlerts[name],
	}
	if detail := f.Annotations["description"]; alert.Known == "" && !alert.Silenced && f.Annotations["summary"] != "" {
		alert.Summary = kubeapi.Sanitize(alert.Summary + " " + detail) // only the detail names the object and the remedy
	}
	return alert
}

func computeUrgency(alert state.Alert) int {
	order := slices.Index([]string{"critical", "warning", "info", "none"}, alert.Severity)
	if order < 0 {
		order = 1 // unexpected
	}
	if alert.Silenced {
		order += 10
	}
	if alert.Known != "" {
		order += 20
	}
	return order
}

// expectedAlerts are those that fire on a healthy new cluster, each with its reason. The reasons are from
// OpenShift's documentation of monitoring and of the Insights Operator, and from the rules themselves.
var expectedAlerts = map[string]string{ //nolint:gochecknoglobals // a table that nothing changes
	"Watchdog":                           "it always fires: it shows that alerts are delivered",
	"InfoInhibitor":                      "it fires with alerts of severity info only, and inhibits them",
	"AlertmanagerReceiversNotConfigured": "it fires on every new cluster, until alert receivers are configured",
	"InsightsDisabled":                   "the cluster sends no reports to Red Hat: the pull secret has no token for them, or they are disabled",
	"SimpleContentAccessNotAvailable":    "the Red Hat account of the pull secret has no simple content access; a cluster needs none",
	"InsightsRecommendationActive":       "Red Hat has recommendations for the cluster; this is not a failure",
	"UpdateAvailable":                    "a newer release is available; maintenance installs it",
}
