package operators

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/ceph"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/container"
	"exoshift/internal/simcloud/openshift/volumes"
)

// workload is a Deployment, StatefulSet, DaemonSet or Job of the manifests. The release's own pods are not created from
// workloads here.
type workload struct {
	kube.Object
	resource string
	hash     string        // of its template: a change replaces the pods
	pods     []kube.Object // currently owned
}

// workloads is the controller of Deployments, StatefulSets, DaemonSets and Jobs, and the scheduler of their pods.
type workloads struct{ *loop }

// sync creates and schedules pods directly; ReplicaSets are not simulated.
func (k workloads) sync(_ context.Context, seen clusterSnapshot) error {
	owned := map[string][]kube.Object{}
	for _, id := range slices.Sorted(maps.Keys(seen.pods)) {
		if owner := seen.pods[id].OwnerUID(); owner != "" {
			owned[owner] = append(owned[owner], seen.pods[id])
		}
	}
	faults := errors.Join(createFailedJob(k.Cluster), createStrictBudget(k.loop, seen), volumes.ReleaseAttachments(k.Objects, seen.pods), ceph.Install(k.Cluster))
	for _, resource := range []string{cluster.DeploymentResource, cluster.DaemonSetResource, cluster.StatefulSetResource, cluster.JobResource} {
		for _, object := range k.Objects.List(resource, "") {
			uid := object.GetString("metadata.uid")
			w := workload{Object: object, resource: resource, hash: hashTemplate(object), pods: owned[uid]}
			delete(owned, uid)
			if resource == cluster.JobResource && cluster.IsEnded(object) {
				continue
			}
			faults = errors.Join(faults, k.syncWorkload(w, seen))
		}
	}
	for _, orphans := range owned {
		for _, pod := range orphans {
			_, err := k.Objects.Delete(cluster.PodResource, pod.Namespace(), pod.Name())
			faults = errors.Join(faults, err)
		}
	}
	return faults
}

func hashTemplate(object kube.Object) string {
	content, _ := json.Marshal(object.Get("spec.template")) // it was decoded from JSON
	return cluster.HashSuffix(string(content))
}

func (k workloads) syncWorkload(w workload, seen clusterSnapshot) error {
	account := container.GetServiceAccount(kube.Object(w.Map("spec.template.spec")))
	if _, ok := k.Objects.Get(cluster.AccountResource, w.Namespace(), account); !ok && account != "default" {
		return fmt.Errorf("replicaset %s/%s: error looking up service account: serviceaccount %q not found", w.Namespace(), w.Name(), account)
	}
	wanted := w.buildPods(seen.nodes)
	ready := 0
	for i, pod := range w.pods {
		_, keep := wanted[pod.Name()]
		delete(wanted, pod.Name())
		switch {
		case !keep:
			if _, err := k.Objects.Delete(cluster.PodResource, pod.Namespace(), pod.Name()); err != nil {
				return err
			}
		case pod.GetString("spec.nodeName") == "":
			w.pods[i] = pod.Clone() // it gets its node
			if err := k.schedule(w, w.pods[i], seen.nodes); err != nil {
				return err
			}
		default:
			if err := volumes.RequestAttachments(k.Objects, pod); err != nil {
				return err
			}
			if pod.IsReady() {
				ready++
			}
		}
	}
	if err := k.checkPrivileges(w); err != nil && len(wanted) > 0 {
		return err
	}
	for _, pod := range wanted {
		if _, err := k.Objects.Create(cluster.PodResource, w.Namespace(), pod); err != nil {
			return err
		}
	}
	return k.reportWorkload(w, ready)
}

// buildPods returns the wanted pods by name: of a DaemonSet one on each node that fits, of a Job one, of others the number of
// replicas, without a node yet.
func (w workload) buildPods(nodes []kube.Object) map[string]kube.Object {
	wanted := map[string]kube.Object{}
	if w.resource == cluster.DaemonSetResource {
		for _, node := range nodes {
			if w.describeMisfit(node) == "" {
				name := w.Name() + "-" + cluster.HashSuffix(w.hash+node.Name())
				wanted[name] = w.buildPod(name, node.Name())
			}
		}
		return wanted
	}
	replicas := 1
	if count, ok := w.Get("spec.replicas").(float64); ok && w.resource != cluster.JobResource {
		replicas = int(count)
	}
	for i := range replicas {
		name := w.Name() + "-" + w.hash + "-" + cluster.HashSuffix(w.hash+strconv.Itoa(i))
		if w.resource == cluster.StatefulSetResource {
			name = w.Name() + "-" + strconv.Itoa(i)
		}
		wanted[name] = w.buildPod(name, "")
	}
	return wanted
}

func (w workload) buildPod(name, node string) kube.Object {
	template := kube.Object(w.Map("spec.template")).Clone()
	template.Set("metadata.name", name)
	template.Set("metadata.ownerReferences", []kube.Object{{"apiVersion": w.GetString("apiVersion"), "kind": w.GetString("kind"), "name": w.Name(),
		"uid": w.GetString("metadata.uid"), "controller": true}})
	if node != "" {
		template.Set("spec.nodeName", node)
	}
	template.Set("status.phase", "Pending")
	return template
}

// describeMisfit returns "" if the pod fits. The pods of a DaemonSet tolerate the taints of a node's state.
func (w workload) describeMisfit(node kube.Object) string {
	spec := kube.Object(w.Map("spec.template.spec"))
	tolerations := spec.List("tolerations")
	if w.resource == cluster.DaemonSetResource {
		for _, key := range []string{cluster.NotReadyTaint, cluster.UnreachableTaint, cluster.CordonTaint} {
			tolerations = append(tolerations, kube.Object{"key": key, "operator": "Exists"})
		}
	}
	return describeMisfit(node, spec, tolerations)
}

func (k workloads) schedule(w workload, pod kube.Object, nodes []kube.Object) error {
	count := map[string]int{}
	for _, other := range w.pods {
		count[other.GetString("spec.nodeName")]++
	}
	best := ""
	for _, node := range nodes {
		if w.describeMisfit(node) == "" && (best == "" || count[node.Name()] < count[best]) {
			best = node.Name()
		}
	}
	message, err := k.prepareNode(pod, &best)
	if best == "" && message == "" {
		message = formatUnschedulable(nodes, w.describeMisfit)
	}
	if err != nil {
		return err
	}
	if message != "" && pod.Condition("PodScheduled").GetString("message") == message {
		return nil
	}
	_, err = k.Objects.Update(cluster.PodResource, pod.Namespace(), pod.Name(), func(o kube.Object) error {
		if best != "" {
			o.Set("spec.nodeName", best)
			o.SetCondition(k.Timestamp(), "PodScheduled", "True", "", "")
			return nil
		}
		o.SetCondition(k.Timestamp(), "PodScheduled", "False", "Unschedulable", message)
		return nil
	})
	pod.Set("spec.nodeName", best) // counted for the next pod
	if err != nil || message == "" {
		return err
	}
	return k.emitWarning(pod, "FailedScheduling", message)
}

// prepareNode replaces the node by "" as long as the pod waits for a volume, which the message says. A volume that is there can be attached
// to any node.
func (k workloads) prepareNode(pod kube.Object, node *string) (message string, err error) {
	if *node == "" {
		return "", nil
	}
	if message, err = volumes.Schedule(k.Objects, pod, *node); message != "" {
		*node = ""
	}
	return message, err
}

func (k workloads) emitWarning(pod kube.Object, reason, message string) error {
	_, err := k.Objects.Create(cluster.EventResource, pod.Namespace(), kube.Object{
		"metadata":       kube.Object{"generateName": pod.Name() + "."},
		"involvedObject": kube.Object{"kind": "Pod", "namespace": pod.Namespace(), "name": pod.Name(), "uid": pod.GetString("metadata.uid")},
		"source":         kube.Object{"component": "default-scheduler"},
		"reason":         reason, "message": message, "type": "Warning", "count": 1, "firstTimestamp": k.Timestamp(), "lastTimestamp": k.Timestamp(),
	})
	return err
}

func (k workloads) reportWorkload(w workload, ready int) error {
	_, err := k.Objects.Update(w.resource, w.Namespace(), w.Name(), func(o kube.Object) error {
		o.Set("status.observedGeneration", w.Get("metadata.generation"))
		switch w.resource {
		case cluster.JobResource:
			cluster.ReportJob(o, w.pods, k.Timestamp())
			return nil
		case cluster.DaemonSetResource:
			o.Set("status.desiredNumberScheduled", len(w.pods))
			for _, field := range []string{"numberReady", "numberAvailable", "updatedNumberScheduled"} {
				o.Set("status."+field, ready)
			}
			return nil
		}
		o.Set("status.replicas", len(w.pods))
		for _, field := range []string{"readyReplicas", "availableReplicas", "updatedReplicas"} {
			o.Set("status."+field, ready)
		}
		o.SetCondition(k.Timestamp(), "Available", kube.FormatStatus(ready > 0), "", "")
		return nil
	})
	return err
}
