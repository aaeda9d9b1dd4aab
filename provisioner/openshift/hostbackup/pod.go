package hostbackup

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"exoshift/provisioner/openshift/kubeapi"
)

const (
	namespaceName = "exoshift-etcd-backup"
	podName       = "cluster-backup"
	// hostRoot is where the pod has the root of the master's disk.
	hostRoot = "/host"
	// podLife ends a pod whose maker has died, in seconds: then it deletes the files, too.
	podLife int64 = 3600

	managedBy = "app.kubernetes.io/managed-by"
	manager   = "exoshift"
)

// lifeScript makes the folder, and deletes it with its files however the pod ends.
const lifeScript = `dir=DIRECTORY
trap 'rm -rf "$dir"' EXIT
trap 'exit 0' TERM INT
rm -rf "$dir"
mkdir -m 700 "$dir" || exit 1
sleep 3600 & wait
`

// namespaceFields is what is read of a v1 Namespace.
type namespaceFields struct {
	Metadata struct {
		Labels  map[string]string `json:"labels"`
		Deleted *metav1.Time      `json:"deletionTimestamp"`
	} `json:"metadata"`
}

func (n namespaceFields) isOurs() bool { return n.Metadata.Labels[managedBy] == manager }

// podFields is what is read of a v1 Pod.
type podFields struct {
	Spec struct {
		Node string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Phase      string             `json:"phase"`
		Message    string             `json:"message"`
		Conditions kubeapi.Conditions `json:"conditions"`
	} `json:"status"`
}

func (p podFields) isEnded() bool { return p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed" }

// buildNamespace returns a namespace for privileged pods, for which no node selector of the cluster is in force.
func buildNamespace() map[string]any {
	const security = "pod-security.kubernetes.io/"
	return map[string]any{
		"apiVersion": "v1", "kind": "Namespace",
		"metadata": map[string]any{
			"name": namespaceName,
			"labels": map[string]any{
				managedBy: manager, security + "enforce": "privileged", security + "audit": "privileged", security + "warn": "privileged",
				"security.openshift.io/scc.podSecurityLabelSync": "false",
			},
			"annotations": map[string]any{"openshift.io/node-selector": "", "openshift.io/description": "A backup of etcd is being made; it is deleted with that."},
		},
	}
}

// buildPod returns a pod as that of `oc debug node/...`.
func buildPod(node, image string) map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{
			"name": podName, "namespace": namespaceName, "labels": map[string]any{managedBy: manager},
			"annotations": map[string]any{"openshift.io/required-scc": "privileged"},
		},
		"spec": map[string]any{
			"nodeName": node, "restartPolicy": "Never", "activeDeadlineSeconds": podLife, "terminationGracePeriodSeconds": int64(30),
			"automountServiceAccountToken": false, "hostNetwork": true, "hostPID": true, "hostIPC": true,
			"tolerations": []any{map[string]any{"operator": "Exists"}},
			"volumes":     []any{map[string]any{"name": "host", "hostPath": map[string]any{"path": "/", "type": "Directory"}}},
			"containers": []any{map[string]any{
				"name": podName, "image": image, "command": []any{"/bin/sh", "-c", strings.Replace(lifeScript, "DIRECTORY", hostRoot+directory, 1)},
				"securityContext": map[string]any{"privileged": true, "runAsUser": int64(0)},
				"volumeMounts":    []any{map[string]any{"name": "host", "mountPath": hostRoot}},
				"resources":       map[string]any{"requests": map[string]any{"cpu": "10m", "memory": "64Mi"}},
			}},
		},
	}
}
