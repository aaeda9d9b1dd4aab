package operators

import (
	"context"
	"strings"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/monitoring"
)

// consoleOperator publishes the console, the login and Alertmanager.
type consoleOperator struct{ *loop }

func consoleHost(c *cluster.Cluster) string { return "console-openshift-console." + c.AppsDomain() }

func loginHost(c *cluster.Cluster) string { return "oauth-openshift." + c.AppsDomain() }

// sync creates the routes of the console, the login and Alertmanager.
func (k consoleOperator) sync(_ context.Context, seen clusterSnapshot) error {
	if _, ingress := k.Objects.Get(cluster.IngressResource, operatorNamespace, "default"); !ingress {
		return nil
	}
	routes := map[string]string{"openshift-console/console": consoleHost(k.Cluster), "openshift-authentication/oauth-openshift": loginHost(k.Cluster),
		monitoring.Namespace + "/" + monitoring.Alertmanager: monitoring.AlertmanagerHost(k.Cluster)}
	for name, host := range routes {
		if err := k.route(name, host, seen.readyPods[cluster.RouterApp] > 0); err != nil {
			return err
		}
	}
	return nil
}

func (k consoleOperator) route(name, host string, admitted bool) error {
	namespace, name, _ := strings.Cut(name, "/")
	route := kube.Object{"metadata": kube.Object{"name": name}, "spec": kube.Object{"host": host, "to": kube.Object{"kind": "Service", "name": name},
		"tls": kube.Object{"termination": "reencrypt"}}}
	if err := k.Objects.Ensure(cluster.RouteResource, namespace, route, nil); err != nil || !admitted {
		return err
	}
	canonical := "router-default." + k.AppsDomain()
	_, err := k.Objects.Update(cluster.RouteResource, namespace, name, func(o kube.Object) error {
		if len(o.List("status.ingress")) == 0 {
			o.Set("status.ingress", []kube.Object{{"host": host, "routerName": "default", "routerCanonicalHostname": canonical,
				"conditions": []kube.Object{{"type": "Admitted", "status": "True", "lastTransitionTime": k.Timestamp()}}}})
		}
		return nil
	})
	return err
}
