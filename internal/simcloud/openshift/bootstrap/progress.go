package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/operators"
)

func checkControlPlane(ctx context.Context, api *apiclient.Client, masters int) error {
	for _, resource := range []string{"kubeapiservers", "kubeschedulers", "kubecontrollermanagers"} {
		operator, err := api.Get(ctx, apiclient.OperatorPath+resource+"/cluster")
		if err != nil {
			return err
		}
		if running := operators.CountRunningNodes(operator); running < masters {
			return fmt.Errorf("%s: running on %d of %d masters", resource, running, masters)
		}
	}
	return nil
}

func checkEtcdInCluster(ctx context.Context, api *apiclient.Client) error {
	etcd, err := api.Get(ctx, apiclient.OperatorPath+"etcds/cluster")
	if err != nil {
		return err
	}
	found := etcd.Condition("EtcdRunningInCluster")
	if found.GetString("status") != "True" {
		return errors.New(found.GetString("message"))
	}
	return nil
}

func createEvent(ctx context.Context, api *apiclient.Client, now, name, message string) error {
	event := kube.Object{
		"apiVersion": "v1", "kind": "Event", "metadata": kube.Object{"name": name, "namespace": "kube-system"},
		"involvedObject": kube.Object{"namespace": "kube-system"}, "source": kube.Object{"component": "cluster-bootstrap"},
		"reason": name, "message": message, "type": "Normal", "count": 1, "firstTimestamp": now, "lastTimestamp": now,
	}
	_, err := api.Do(ctx, http.MethodPost, "/api/v1/namespaces/kube-system/events", event)
	if apiclient.IsCode(err, http.StatusConflict) {
		return nil
	}
	return err
}

func reportCompletion(ctx context.Context, api *apiclient.Client) error {
	infrastructure, err := api.Get(ctx, "/apis/config.openshift.io/v1/infrastructures/cluster")
	if err != nil {
		return err
	}
	if infrastructure.GetString("status.controlPlaneTopology") == "HighlyAvailable" {
		servers, err := api.Get(ctx, apiclient.OperatorPath+"kubeapiservers/cluster")
		if err != nil {
			return err
		}
		if running := operators.CountRunningNodes(servers); running < 2 {
			return fmt.Errorf("kube-apiserver runs on %d masters", running)
		}
	}
	status := kube.Object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": kube.Object{"name": "bootstrap", "namespace": "kube-system"},
		"data": kube.Object{"status": "complete"}}
	_, err = api.Do(ctx, http.MethodPost, "/api/v1/namespaces/kube-system/configmaps", status)
	if apiclient.IsCode(err, http.StatusConflict) {
		return nil
	}
	return err
}
