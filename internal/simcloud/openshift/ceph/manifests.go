package ceph

import (
	"errors"
	"maps"
	"slices"

	"exoshift/internal/simcloud/githost/commodore"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

// Images by whose name the programs are known.
const (
	rookImage = "docker.io/rook/ceph:v1.19.7"
	cephImage = "quay.io/ceph/ceph:v19.2.5"
)

const installedRecord = "ceph installed"

// Install installs Ceph once the storage nodes are ready, for a scenario about it.
func Install(c *cluster.Cluster) error {
	_, done := c.StateRecords.Get(installedRecord)
	if !c.Faults.FailingOSD || done || len(listStorageNodes(c)) < poolSize {
		return nil
	}
	manifests, err := ListManifests()
	if err != nil {
		return err
	}
	for _, one := range manifests {
		kind, err := cluster.FindKindOf(c.Objects, one)
		if err == nil {
			err = c.Objects.Ensure(kind.GroupResource(), one.Namespace(), one, nil)
		}
		if err != nil {
			return err
		}
	}
	return c.StateRecords.Put(installedRecord, cluster.StateRecord{What: installedRecord, Since: c.Clock.Now()})
}

// ListManifests returns what Project Syn's component makes, as far as it is simulated, in an order in which it can be applied.
func ListManifests() ([]kube.Object, error) {
	files, err := commodore.BuildComponent("rook-ceph", map[string]any{"rook_ceph": map[string]any{"ceph_cluster": map[string]any{"node_count": poolSize}}})
	if err != nil {
		return nil, err
	}
	var all []kube.Object
	for _, name := range slices.Sorted(maps.Keys(files)) {
		objects, err := cluster.ParseManifest(files[name])
		if err != nil {
			return nil, err
		}
		all = append(all, objects...)
	}
	return all, nil
}

func named(version, kind, namespace, name string) kube.Object {
	made := kube.Object{"apiVersion": version, "kind": kind, "metadata": kube.Object{"name": name}}
	if namespace != "" {
		made.Set("metadata.namespace", namespace)
	}
	return made
}

// newDeployment returns one of a single pod, on a node unless that is "".
func newDeployment(namespace, app string, labels kube.Object, node, image string) kube.Object {
	made, all := named("apps/v1", "Deployment", namespace, app), kube.Object{"app": app}
	for key, value := range labels {
		all[key] = value
	}
	spec := kube.Object{
		"tolerations": []kube.Object{{"key": "storagenode", "operator": "Exists"}}, "containers": []kube.Object{{"name": "main", "image": image}},
		"nodeSelector": kube.Object{storageLabel: ""},
	}
	if node != "" {
		spec["hostNetwork"], spec["nodeSelector"] = true, kube.Object{"kubernetes.io/hostname": node}
	}
	made.Set("metadata.labels", all)
	made["spec"] = kube.Object{"replicas": 1, "selector": kube.Object{"matchLabels": all}, "template": kube.Object{"metadata": kube.Object{"labels": all}, "spec": spec}}
	return made
}

// listStorageNodes returns the ready nodes for storage that are not cordoned.
func listStorageNodes(c *cluster.Cluster) (nodes []kube.Object) {
	for _, node := range c.Objects.List(cluster.NodeResource, "") {
		cordoned := node.GetBool("spec.unschedulable")
		if _, labelled := node.Label(storageLabel); labelled && !cordoned && node.IsReady() && !cluster.HasTaint(node, cluster.CloudTaint) {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

func ensure(c *cluster.Cluster, resource string, object kube.Object) error {
	return c.Objects.Ensure(resource, object.Namespace(), object, nil)
}

func remove(c *cluster.Cluster, resource, namespace, name string) error {
	_, err := c.Objects.Delete(resource, namespace, name)
	var failure *kube.StatusError
	if errors.As(err, &failure) && failure.Code == 404 {
		return nil
	}
	return err
}
