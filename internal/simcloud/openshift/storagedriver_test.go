package openshift

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"exoshift/assets"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/cloudprovider"
)

// stored is a cluster with the storage driver that an installation brings, with a key of a role, and with changes.
func stored(role, manifests func(string) string) plan {
	return plan{cloud: true, manifests: func(l *lab) map[string]string {
		policy, err := assets.RenderPolicy(assets.PolicyVolumes, nil)
		if err != nil {
			l.t.Fatal(err)
		}
		key, secret := l.cloud.restricted([]byte(role(string(policy))))
		rendered, err := assets.RenderStorageDriver(assets.StorageDriver{Key: key, Secret: secret})
		if err != nil {
			l.t.Fatal(err)
		}
		return map[string]string{"manifests/exoscale-csi-driver.yaml": manifests(string(rendered))}
	}}
}

func same(text string) string { return text }

func without(parts ...string) func(string) string {
	return func(text string) string {
		for _, part := range parts {
			if !strings.Contains(text, part) {
				panic("there is no " + part)
			}
			text = strings.ReplaceAll(text, part, "")
		}
		return text
	}
}

func (l *lab) create(path string, object kube.Object) kube.Object {
	l.t.Helper()
	created, err := l.api.Do(l.ctx, http.MethodPost, path, object)
	if err != nil {
		l.t.Fatal(err)
	}
	return created
}

const claimsPath = "/api/v1/namespaces/default/persistentvolumeclaims"

// consume creates a claim without a class, and a pod that uses it.
func (l *lab) consume() (uid string) {
	l.t.Helper()
	claim := l.create(claimsPath, kube.Object{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": kube.Object{"name": "data"},
		"spec": kube.Object{"accessModes": []string{"ReadWriteOnce"}, "resources": kube.Object{"requests": kube.Object{"storage": "10Gi"}}}})
	if class := claim.GetString("spec.storageClassName"); class != assets.StorageClass {
		l.t.Errorf("the class of a claim without one is %q", class)
	}
	labels := kube.Object{"app": "consumer"}
	l.create("/apis/apps/v1/namespaces/default/deployments", kube.Object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": kube.Object{"name": "consumer"},
		"spec": kube.Object{"selector": kube.Object{"matchLabels": labels}, "template": kube.Object{"metadata": kube.Object{"labels": labels}, "spec": kube.Object{
			"containers": []kube.Object{{"name": "consumer", "image": "quay.io/example/consumer"}},
			"volumes":    []kube.Object{{"name": "data", "persistentVolumeClaim": kube.Object{"claimName": "data"}}}}}}})
	return claim.GetString("metadata.uid")
}

func (l *lab) listVolumes() (names []string) {
	l.t.Helper()
	asked := cloudprovider.CloudAPI{Base: "https://api-" + cloudZone + ".exoscale.com", Key: cloudKey, Secret: cloudSecret, Timeout: time.Minute,
		HTTP: l.laptop.Network(l.ca.Pool()).NewClient()}
	defer asked.Close()
	var answer struct {
		Volumes []struct{ Name string } `json:"block-storage-volumes"`
	}
	if err := asked.Get(l.ctx, "/v2/block-storage", &answer); err != nil {
		l.t.Fatal(err)
	}
	for _, volume := range answer.Volumes {
		names = append(names, volume.Name)
	}
	return names
}

func (l *lab) bootNodes() {
	l.t.Helper()
	l.complete(3, 1)
	l.until(30*time.Minute, "nodes", func() bool {
		l.approve()
		return l.ready() == 4
	})
	_ = l.clock.Sleep(l.ctx, 5*time.Minute) // the driver starts
}

func TestStorageDriver_CreatesVolumeOfDefaultClass(t *testing.T) {
	inLabOf(t, stored(same, same), func(t *testing.T, l *lab) {
		l.bootNodes()
		uid := l.consume()
		l.until(10*time.Minute, "a bound claim", func() bool { return l.get(claimsPath+"/data").GetString("status.phase") == "Bound" })
		if names := l.listVolumes(); len(names) != 1 || names[0] != "pvc-"+uid {
			t.Errorf("the volumes are %q", names)
		}
		for _, node := range l.get(apiclient.NodesPath).List("items") {
			driver := l.get("/apis/storage.k8s.io/v1/csinodes/" + node.Name()).List("spec.drivers")
			if len(driver) != 1 || driver[0].GetString("nodeID") != cloudZone+"/"+l.idOf(node.Name()) {
				t.Errorf("%s has the drivers %v", node.Name(), driver)
			}
		}
	})
}

// Whatever is wrong with the driver, the claim is not bound, and no volume is created.
func TestStorageDriver_FailureLeavesClaimPending(t *testing.T) {
	long(t)
	for name, c := range map[string]struct{ role, manifests func(string) string }{
		"a role that may not create volumes": {without("'create-block-storage-volume', "), same},
		"no Secret of that name":             {same, func(text string) string { return strings.Replace(text, "name: exoscale-credentials", "name: other", 1) }},
		"no right to elect a leader":         {same, without("coordination.k8s.io")},
		"no right to see nodes' drivers":     {same, without(", csinodes")},
		"no provisioner":                     {same, without("sig-storage/csi-provisioner")},
		"no registrar on the nodes":          {same, without("sig-storage/csi-node-driver-registrar")},
		"no privileges":                      {same, without("system:openshift:scc:privileged")},
		"another mode":                       {same, without("--mode=controller")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inLabOf(t, stored(c.role, c.manifests), func(t *testing.T, l *lab) {
				l.bootNodes()
				l.consume()
				_ = l.clock.Sleep(l.ctx, 10*time.Minute)
				if phase := l.get(claimsPath + "/data").GetString("status.phase"); phase != "Pending" {
					t.Errorf("the claim is %s", phase)
				}
				if names := l.listVolumes(); len(names) > 0 {
					t.Errorf("the volumes are %q", names)
				}
			})
		})
	}
}
