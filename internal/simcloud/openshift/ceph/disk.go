package ceph

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/volumes"
)

// diskMiB is the size of each disk: the default data disk of a storage node.
const diskMiB = 180 << 10

// provideVolumes is the local storage operator: it makes a volume of the disk of each storage node.
func (o operator) provideVolumes() error {
	var faults error
	for _, node := range listStorageNodes(o.Cluster) {
		name := "local-pv-" + cluster.HashSuffix(node.GetString("metadata.uid"))
		volume := named("v1", "PersistentVolume", "", name)
		volume.Set("metadata.labels", kube.Object{"storage.openshift.com/local-volume-owner-name": "storagevolumes", "kubernetes.io/hostname": node.Name()})
		volume["spec"] = kube.Object{
			"capacity": kube.Object{"storage": strconv.Itoa(diskMiB>>10) + "Gi"}, "accessModes": []string{"ReadWriteOnce"}, "volumeMode": "Block", "storageClassName": deviceClass,
			"local": kube.Object{"path": "/mnt/local-storage/" + deviceClass + "/vda5"}, "persistentVolumeReclaimPolicy": "Delete",
			"nodeAffinity": kube.Object{"required": kube.Object{"nodeSelectorTerms": []kube.Object{{"matchExpressions": []kube.Object{
				{"key": "kubernetes.io/hostname", "operator": "In", "values": []string{node.Name()}}}}}}},
		}
		volume["status"] = kube.Object{"phase": "Available"}
		faults = errors.Join(faults, ensure(o.Cluster, volumes.VolumeResource, volume))
	}
	return faults
}

// reconcileDisks has as many claims as the set of devices wants, an OSD for each that is bound, and a Deployment for each OSD. None is
// removed when fewer are wanted.
func (o operator) reconcileDisks(wanted kube.Object) error {
	sets := wanted.List("spec.storage.storageClassDeviceSets")
	if len(sets) == 0 {
		return nil
	}
	claims := o.listClaims()
	if len(claims) < sets[0].GetInt("count") {
		if err := o.createClaim(claims); err != nil {
			return err
		}
		claims = o.listClaims()
	}
	for _, claim := range claims {
		if err := o.bindClaim(claim); err != nil {
			return err
		}
	}
	return o.reconcileOSDs(o.listClaims())
}

func (o operator) listClaims() (claims []kube.Object) {
	for _, claim := range o.Objects.List(volumes.ClaimResource, Namespace) {
		if _, labelled := claim.Label("ceph.rook.io/DeviceSet"); labelled {
			claims = append(claims, claim)
		}
	}
	return claims
}

// createClaim gives it the index after the highest one.
func (o operator) createClaim(claims []kube.Object) error {
	next := 0
	for _, claim := range claims {
		label, _ := claim.Label("ceph.rook.io/setIndex")
		if index, err := strconv.Atoi(label); err == nil && index >= next {
			next = index + 1
		}
	}
	name := fmt.Sprintf("storagevolumes-data-%d-%s", next, cluster.HashSuffix(o.Timestamp()+strconv.Itoa(next)))
	claim := named("v1", "PersistentVolumeClaim", Namespace, name)
	claim.Set("metadata.labels", kube.Object{"ceph.rook.io/DeviceSet": "storagevolumes", "ceph.rook.io/setIndex": strconv.Itoa(next)})
	claim["spec"] = kube.Object{"storageClassName": deviceClass, "volumeMode": "Block", "accessModes": []string{"ReadWriteOnce"}, "resources": kube.Object{"requests": kube.Object{"storage": "1"}}}
	claim["status"] = kube.Object{"phase": "Pending"}
	return ensure(o.Cluster, volumes.ClaimResource, claim)
}

// bindClaim binds a claim to a volume that is free.
func (o operator) bindClaim(claim kube.Object) error {
	volume := o.findFreeVolume()
	if claim.GetString("spec.volumeName") != "" || volume == "" {
		return nil
	}
	if _, err := o.Objects.Update(volumes.VolumeResource, "", volume, func(v kube.Object) error {
		v.Set("spec.claimRef", kube.Object{"namespace": Namespace, "name": claim.Name(), "uid": claim.GetString("metadata.uid")})
		return nil
	}); err != nil {
		return err
	}
	return volumes.Bind(o.Objects, Namespace, claim.Name(), volume)
}

func (o operator) findFreeVolume() string {
	for _, node := range listStorageNodes(o.Cluster) {
		name := "local-pv-" + cluster.HashSuffix(node.GetString("metadata.uid"))
		if volume, exists := o.Objects.Get(volumes.VolumeResource, "", name); exists && volume.Map("spec.claimRef") == nil {
			return name
		}
	}
	return ""
}

// prepare is the job that makes an OSD of the disk of a claim. The first three get the pool.
func (o operator) prepare(s *storage, bound kube.Object) error {
	claim, volume := bound.Name(), bound.GetString("spec.volumeName")
	found, _ := o.Objects.Get(volumes.VolumeResource, "", volume)
	host, _ := found.Label("kubernetes.io/hostname")
	node, exists := o.Objects.Get(cluster.NodeResource, "", host)
	if !exists || slices.ContainsFunc(s.OSDs, func(one *osd) bool { return one.Claim == claim }) {
		return nil
	}
	labels := kube.Object{claimLabel: claim}
	job := named("batch/v1", "Job", Namespace, "rook-ceph-osd-prepare-"+claim)
	job.Set("metadata.labels", labels)
	job["spec"] = kube.Object{"template": kube.Object{"metadata": kube.Object{"labels": labels}, "spec": kube.Object{"restartPolicy": "Never", "containers": []kube.Object{{"name": "provision", "image": cephImage}}}}}
	job.SetCondition(o.Timestamp(), cluster.JobComplete, "True", "", "")
	secret := named("v1", "Secret", Namespace, "rook-ceph-osd-encryption-key-"+claim)
	secret.Set("metadata.labels", kube.Object{"pvc_name": claim})
	if err := errors.Join(ensure(o.Cluster, cluster.JobResource, job), ensure(o.Cluster, cluster.SecretResource, secret)); err != nil {
		return err
	}
	weight := math.Round(float64(diskMiB)/(1<<20)*1e5) / 1e5 // TiB
	s.add(osd{Host: node.Name(), NodeUID: node.GetString("metadata.uid"), Volume: volume, Claim: claim, MiB: diskMiB, Weight: weight, In: true})
	if len(s.Groups) == 0 && len(s.OSDs) >= poolSize {
		s.format(diskMiB)
		for _, g := range s.Groups {
			for _, id := range s.mapGroup(g.ID) {
				g.Copies[id] = g.Version
			}
		}
	}
	return nil
}

// reconcileOSDs makes an OSD for each claim that is bound, and runs a Deployment for each OSD that has its disk, however it was changed by others.
func (o operator) reconcileOSDs(claims []kube.Object) error {
	var wanted []kube.Object
	if err := change(o.Cluster, func(s *storage) error {
		for _, claim := range claims {
			if err := o.prepare(s, claim); err != nil {
				return err
			}
		}
		for _, one := range s.OSDs {
			if _, claimed := o.Objects.Get(volumes.ClaimResource, Namespace, one.Claim); !claimed {
				continue
			}
			id := strconv.Itoa(one.ID)
			made := newDeployment(Namespace, osdApp, kube.Object{osdLabel: id, "ceph_daemon_id": id, claimLabel: one.Claim, "failure-domain": one.Host}, one.Host, cephImage)
			made.Set("metadata.name", formatOSD(one.ID))
			wanted = append(wanted, made)
		}
		return nil
	}); err != nil {
		return err
	}
	var faults error
	for _, one := range wanted {
		faults = errors.Join(faults, o.Objects.Ensure(cluster.DeploymentResource, Namespace, one, func(live kube.Object) error {
			live.Set("spec", one.Clone()["spec"])
			live.Set("metadata.labels", one.Clone().Map("metadata.labels"))
			return nil
		}))
	}
	return faults
}
