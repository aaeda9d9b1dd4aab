package ceph

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"exoshift/internal/fault"
	"exoshift/internal/stable"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state/rook"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type cephCluster struct {
	Spec struct {
		HealthCheck struct {
			Daemons struct {
				Mon json.RawMessage `json:"mon"`
			} `json:"daemonHealth"`
		} `json:"healthCheck"`
		Storage struct {
			Sets []json.RawMessage `json:"storageClassDeviceSets"`
		} `json:"storage"`
	} `json:"spec"`
}

type deviceSet struct {
	Count int `json:"count"`
}

// GetCephSetup returns how Ceph is set up. fault.NotFound: the cluster has no Rook as Project Syn installs it.
func (a *Administrator) GetCephSetup(ctx context.Context) (found rook.Setup, err error) {
	api, err := a.connector.Connect(ctx)
	if err != nil {
		return found, err
	}
	seen, err := getCluster(ctx, api)
	if err != nil {
		return found, err
	}
	var first deviceSet
	if len(seen.Spec.Storage.Sets) != 1 || json.Unmarshal(seen.Spec.Storage.Sets[0], &first) != nil {
		return found, fault.Newf(fault.Conflict, "read how Ceph is set up", "the CephCluster %s/%s has %d sets of devices, and not one", rook.Namespace, clusterName, len(seen.Spec.Storage.Sets))
	}
	operator, exists, err := kubeapi.Get[appsv1.Deployment](ctx, api, operatorDeployments, rook.Operator)
	if err != nil {
		return found, err
	}
	if !exists || operator.Spec.Replicas == nil {
		return found, fault.Newf(fault.NotFound, "read how Ceph is set up", "there is no Deployment %s/%s", rook.OperatorNamespace, rook.Operator)
	}
	found = rook.Setup{Devices: first.Count, MonCheck: string(seen.Spec.HealthCheck.Daemons.Mon), Replicas: int(*operator.Spec.Replicas)}
	running, err := kubeapi.List[corev1.Pod](ctx, api, operatorPods, "app="+rook.Operator)
	for _, pod := range running {
		found.Pods++
		if isReady(pod) {
			found.Ready++
		}
	}
	return found, err
}

func getCluster(ctx context.Context, api *kubeapi.Client) (cephCluster, error) {
	found, exists, err := kubeapi.Get[cephCluster](ctx, api, clusters, clusterName)
	if err == nil && !exists {
		err = fault.Newf(fault.NotFound, "read how Ceph is set up", "there is no CephCluster %s/%s", rook.Namespace, clusterName)
	}
	return found, err
}

// SetCephDevices sets how many disks Ceph is to use, and leaves the rest of the set of devices as it is.
func (a *Administrator) SetCephDevices(ctx context.Context, count int) error {
	api, err := a.connector.Connect(ctx)
	if err != nil {
		return err
	}
	seen, err := getCluster(ctx, api)
	if err != nil {
		return err
	}
	var sets []map[string]json.RawMessage
	for _, content := range seen.Spec.Storage.Sets {
		var set map[string]json.RawMessage
		if err := json.Unmarshal(content, &set); err != nil {
			return fault.Newf(fault.Internal, "change how many disks Ceph uses", "its set of devices is not an object")
		}
		sets = append(sets, set)
	}
	if len(sets) == 0 {
		return fault.Newf(fault.Conflict, "change how many disks Ceph uses", "it has no set of devices")
	}
	sets[0]["count"] = json.RawMessage(strconv.Itoa(count))
	change, err := json.Marshal(map[string]any{"spec": map[string]any{"storage": map[string]any{"storageClassDeviceSets": sets}}})
	if err != nil {
		return err
	}
	return api.Patch(ctx, clusters, clusterName, change)
}

// SetCephMonCheck sets spec.healthCheck.daemonHealth.mon, as JSON; "" removes it.
func (a *Administrator) SetCephMonCheck(ctx context.Context, content string) error {
	api, err := a.connector.Connect(ctx)
	if err != nil {
		return err
	}
	if content == "" {
		content = "null"
	}
	return api.Patch(ctx, clusters, clusterName, fmt.Appendf(nil, `{"spec":{"healthCheck":{"daemonHealth":{"mon":%s}}}}`, content))
}

// ScaleCephOperator scales Rook's operator.
func (a *Administrator) ScaleCephOperator(ctx context.Context, replicas int) error {
	return a.scale(ctx, operatorDeployments, rook.Operator, replicas)
}

// StopOSD scales the Deployment of an OSD to 0. One that is gone is stopped.
func (a *Administrator) StopOSD(ctx context.Context, osd int) error {
	err := a.scale(ctx, deployments, formatOSD(osd), 0)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

func (a *Administrator) scale(ctx context.Context, where kubeapi.ResourcePath, name string, replicas int) error {
	api, err := a.connector.Connect(ctx)
	if err != nil {
		return err
	}
	return api.Patch(ctx, where, name, fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas))
}

func formatOSD(id int) string { return "rook-ceph-osd-" + strconv.Itoa(id) }

// ListCephDisks returns the disks of a node that OSDs have, by their Deployments.
func (a *Administrator) ListCephDisks(ctx context.Context, node string) ([]rook.Disk, error) {
	api, err := a.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	found, err := kubeapi.List[appsv1.Deployment](ctx, api, deployments, "app=rook-ceph-osd,failure-domain="+node)
	if err != nil {
		return nil, err
	}
	var disks []rook.Disk
	for _, one := range found {
		id, err := strconv.Atoi(one.Labels[osdLabel])
		if err != nil || one.Labels[claimLabel] == "" {
			return nil, fault.Newf(fault.Conflict, "list the disks of "+node, "the Deployment %s is not of an OSD whose disk has a claim", one.Name)
		}
		claim, _, err := kubeapi.Get[corev1.PersistentVolumeClaim](ctx, api, claims, one.Labels[claimLabel])
		if err != nil {
			return nil, err
		}
		disks = append(disks, rook.Disk{OSD: id, Claim: one.Labels[claimLabel], Volume: claim.Spec.VolumeName})
	}
	return disks, nil
}

// DeleteCephDisk deletes what belongs to an OSD that was purged; its Deployment is last, as the disk is known by it.
func (a *Administrator) DeleteCephDisk(ctx context.Context, disk rook.Disk) error {
	api, err := a.connector.Connect(ctx)
	if err != nil {
		return err
	}
	prepared, err := kubeapi.List[batchv1.Job](ctx, api, jobs, claimLabel+"="+disk.Claim)
	if err != nil {
		return err
	}
	for _, job := range prepared {
		if err := remove(ctx, api, jobs, job.Name); err != nil {
			return err
		}
	}
	keys, err := kubeapi.List[objectMeta](ctx, api, secrets, "pvc_name="+disk.Claim)
	if err != nil {
		return kubeapi.RedactMessage(err)
	}
	for _, key := range keys {
		if err := remove(ctx, api, secrets, key.Metadata.Name); err != nil {
			return err
		}
	}
	if err := remove(ctx, api, claims, disk.Claim); err != nil {
		return err
	}
	return remove(ctx, api, deployments, formatOSD(disk.OSD))
}

type objectMeta struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
}

// DeleteCephVolume deletes the persistent volume of a disk whose machine is stopped for good.
func (a *Administrator) DeleteCephVolume(ctx context.Context, name string) error {
	api, err := a.connector.Connect(ctx)
	if err != nil {
		return err
	}
	return remove(ctx, api, volumes, name)
}

func remove(ctx context.Context, api *kubeapi.Client, where kubeapi.ResourcePath, name string) error {
	err := api.Delete(ctx, where, name, metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)})
	if err == nil || apierrors.IsNotFound(err) {
		return nil
	}
	return api.ToFault(ctx, "delete "+where.String()+" "+name, err)
}

// ListCephMons returns the monitors by their Deployments, sorted by name.
func (a *Administrator) ListCephMons(ctx context.Context) ([]rook.Mon, error) {
	api, err := a.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	wanted, err := kubeapi.List[appsv1.Deployment](ctx, api, deployments, "app=rook-ceph-mon")
	if err != nil {
		return nil, err
	}
	running, err := kubeapi.List[corev1.Pod](ctx, api, pods, "app=rook-ceph-mon")
	if err != nil {
		return nil, err
	}
	mons := make([]rook.Mon, 0, len(wanted))
	for _, deployment := range wanted {
		mon := rook.Mon{Name: deployment.Labels["mon"], Node: deployment.Spec.Template.Spec.NodeSelector["kubernetes.io/hostname"]}
		for _, pod := range running {
			if pod.Labels["mon"] == mon.Name && pod.DeletionTimestamp == nil {
				mon.PodName, mon.PodUID = pod.Name, string(pod.UID)
				mon.Ready = isReady(pod)
				if pod.Spec.NodeName != "" {
					mon.Node = pod.Spec.NodeName
				}
			}
		}
		mons = append(mons, mon)
	}
	stable.Sort(mons, func(a, b rook.Mon) int { return compareNames(a.Name, b.Name) })
	return mons, nil
}

func compareNames(a, b string) int { return slices.Compare([]string{a}, []string{b}) }

type application struct {
	objectMeta
	Spec struct {
		Policy struct {
			Automated json.RawMessage `json:"automated"`
		} `json:"syncPolicy"`
	} `json:"spec"`
}

// GetSyncPolicies returns spec.syncPolicy.automated of applications of Argo CD, as JSON, by their names; "": it is off. Those that do not exist are left out.
func (a *Administrator) GetSyncPolicies(ctx context.Context, names ...string) (map[string]string, error) {
	api, err := a.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	all, err := kubeapi.List[application](ctx, api, applications, "")
	policies := map[string]string{}
	for _, one := range all {
		if slices.Contains(names, one.Metadata.Name) {
			policies[one.Metadata.Name] = string(one.Spec.Policy.Automated)
		}
	}
	return policies, err
}

// SetSyncPolicy sets spec.syncPolicy.automated of an application of Argo CD, as JSON; "" switches it off.
func (a *Administrator) SetSyncPolicy(ctx context.Context, name, automated string) error {
	api, err := a.connector.Connect(ctx)
	if err != nil {
		return err
	}
	if automated == "" {
		automated = "null"
	}
	return api.Patch(ctx, applications, name, fmt.Appendf(nil, `{"spec":{"syncPolicy":{"automated":%s}}}`, automated))
}
