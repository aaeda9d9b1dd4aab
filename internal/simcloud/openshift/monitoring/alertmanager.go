// Package monitoring is the Alertmanager of a simulated cluster, and the silences of its catalog.
package monitoring

import (
	"encoding/json"
	"hash/fnv"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/apiserver"
	"exoshift/internal/simcloud/openshift/cluster"
)

// Names of the monitoring.
const (
	Namespace    = "openshift-monitoring"
	User         = "prometheus-k8s"
	Alertmanager = "alertmanager-main"
)

// AlertmanagerHost is the host of Alertmanager's route.
func AlertmanagerHost(c *cluster.Cluster) string {
	return Alertmanager + "-" + Namespace + "." + c.AppsDomain()
}

// ServeAlertmanager serves Alertmanager's API and the proxy in front of it, which requires a token.
func ServeAlertmanager(c *cluster.Cluster, w http.ResponseWriter, r *http.Request) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	user, ok := c.Accounts.FindTokenUser(token)
	switch {
	case !ok:
		http.Error(w, "Unauthorized", http.StatusUnauthorized)
	case !canViewAlerts(c, user):
		http.Error(w, "Forbidden (user="+user.Name+", verb=get, resource=alertmanagers, subresource=api)", http.StatusForbidden)
	case r.URL.Path == "/api/v2/alerts" && r.Method == http.MethodGet:
		writeJSON(w, listAlerts(c))
	case !serveSilences(c, w, r):
		http.NotFound(w, r)
	}
}

func writeJSON(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	content, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = io.WriteString(w, string(content)+"\n") // the client closed the connection
}

func canViewAlerts(c *cluster.Cluster, user apiserver.User) bool {
	asked := apiserver.Attributes{User: user, Verb: "get", Group: "monitoring.coreos.com", Resource: "alertmanagers/api", Namespace: Namespace, Name: "main"}
	return user.Name == cluster.AccountUser+Namespace+":"+User || c.Accounts.Authorize(asked)
}

// alert is a firing alert; its fields follow its alerting rule.
type alert struct {
	name, severity, namespace, summary, description string
	component                                       string // its label syn_component; "" is none
}

// listAlerts returns nothing until a while after the installation, when the rules are evaluated (inferred).
func listAlerts(c *cluster.Cluster) []kube.Object {
	firing := []alert{{"Watchdog", "none", Namespace, "An alert that should always be firing to certify that Alertmanager is working properly.",
		"This is an alert meant to ensure that the entire alerting pipeline is functional.", ""}}
	if _, configured := c.Objects.Get(cluster.SecretResource, Namespace, Alertmanager); !configured {
		firing = append(firing, alert{"AlertmanagerReceiversNotConfigured", "warning", Namespace,
			"Receivers (notification integrations) are not configured on Alertmanager", "Alerts are not configured to be sent to a notification system.", ""})
	}
	firing = append(firing, alert{"SimpleContentAccessNotAvailable", "info", "openshift-insights", "Simple content access certificates are not available.",
		"Simple content access (SCA) is not enabled. Once enabled, Insights Operator can automatically import the SCA certificates from Red Hat.", ""})
	for _, job := range c.Objects.List(cluster.JobResource, "") {
		if job.Condition(cluster.JobFailed).GetString("status") == "True" {
			firing = append(firing, alert{"KubeJobFailed", "warning", job.Namespace(), "Job failed to complete.",
				"Job " + job.Namespace() + "/" + job.Name() + " failed to complete. Removing failed job after investigation should clear this alert.", ""})
		}
	}
	firing = append(firing, listCephAlerts(c)...)
	listed := make([]kube.Object, len(firing))
	for i, a := range firing {
		listed[i] = renderAlert(c, a, installedAt(c))
	}
	return append(listed, listRuleAlerts(c)...)
}

// listRuleAlerts are those of PrometheusRules that fire at once and for as long as the rule exists; no other expression is evaluated.
func listRuleAlerts(c *cluster.Cluster) (listed []kube.Object) {
	for _, rules := range c.Objects.List("prometheusrules.monitoring.coreos.com", "") {
		since, _ := time.Parse(time.RFC3339, rules.GetString("metadata.creationTimestamp"))
		for _, group := range rules.List("spec.groups") {
			for _, rule := range group.List("rules") {
				if name := rule.GetString("alert"); name != "" && rule.GetString("expr") == "vector(1)" {
					listed = append(listed, renderAlert(c, alert{name, rule.GetString("labels.severity"), rules.Namespace(),
						rule.GetString("annotations.summary"), rule.GetString("annotations.description"), ""}, since))
				}
			}
		}
	}
	return listed
}

func renderAlert(c *cluster.Cluster, a alert, since time.Time) kube.Object {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(a.name)) // never fails
	now := c.Clock.Now().UTC()
	status := kube.Object{"state": "active", "silencedBy": []string{}, "inhibitedBy": []string{}}
	if isSilenced(c, a) {
		status["state"], status["silencedBy"] = "suppressed", []string{strconv.FormatUint(hash.Sum64(), 36)}
	}
	labels := kube.Object{"alertname": a.name, "severity": a.severity, "namespace": a.namespace, "prometheus": Namespace + "/k8s",
		"openshift_io_alert_source": "platform"}
	if a.component != "" {
		labels["syn_component"] = a.component
	}
	return kube.Object{
		"labels":      labels,
		"annotations": kube.Object{"summary": a.summary, "description": a.description},
		"startsAt":    since.Format(time.RFC3339Nano), "updatedAt": now.Format(time.RFC3339Nano), "endsAt": now.Add(4 * time.Minute).Format(time.RFC3339Nano),
		"fingerprint":  strconv.FormatUint(hash.Sum64(), 16),
		"receivers":    []kube.Object{{"name": "Default"}},
		"status":       status,
		"generatorURL": "https://" + "console-openshift-console." + c.AppsDomain() + "/monitoring/graph",
	}
}

func installedAt(c *cluster.Cluster) time.Time {
	version, _ := c.Objects.Get(cluster.VersionResource, "", "version")
	for _, entry := range version.List("status.history") {
		if at, err := time.Parse(time.RFC3339, entry.GetString("completionTime")); err == nil {
			return at
		}
	}
	return c.Clock.Now().UTC()
}
