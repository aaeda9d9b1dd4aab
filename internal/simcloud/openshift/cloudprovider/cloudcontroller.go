package cloudprovider

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/container"
)

// cloudController is Exoscale's cloud controller manager in a pod: it finds the instance of each new node, removes the taint for
// uninitialized nodes, and creates the load balancers of Services.
type cloudController struct {
	zone       string
	api        *apiclient.Client // uses the pod's service account
	cloud      CloudAPI
	types      map[string]string // names of instance types by ID
	ensured    map[string]string // the specifications of the ensured load balancers, by the UID of their Service
	lastErrors map[string]string // by node
	console    func(format string, args ...any)
}

// providerPrefix begins the provider ID of a node; the ID of its instance follows.
const providerPrefix = "exoscale://"

const cloudInterval = 30 * time.Second

// RunCloudController returns why the program ended. It ends on invalid credentials, so that its pod shows the error (the real
// one keeps running and repeats the error in its log).
func RunCloudController(ctx context.Context, c container.Container) error {
	api, err := c.NewClient()
	if err != nil {
		return err
	}
	defer api.Close()
	zone := c.Env["EXOSCALE_ZONE"]
	if zone == "" {
		return errors.New("could not create Exoscale client: environment variable EXOSCALE_ZONE is required")
	}
	cloud, err := newCloudAPI(c, zone)
	if err != nil {
		return err
	}
	defer cloud.Close()
	controller := cloudController{zone: zone, api: api, cloud: cloud, types: map[string]string{}, ensured: map[string]string{}, lastErrors: map[string]string{},
		console: c.Machine.Console}
	election := apiclient.Lease{API: api, Now: c.Cluster.Clock.Now, Namespace: "kube-system", Name: "cloud-controller-manager", Holder: c.Pod.Name(), Duration: 3 * cloudInterval}
	for ctx.Err() == nil {
		leads, err := election.Acquire(ctx)
		if err == nil && leads {
			err = controller.syncNodes(ctx)
		}
		if err == nil && leads {
			controller.balance(ctx)
		}
		if err != nil {
			return err
		}
		c.Running()
		_ = c.Cluster.Clock.Sleep(ctx, cloudInterval)
	}
	return ctx.Err()
}

// syncNodes initializes the new nodes. An error with one does not stop the others.
func (c cloudController) syncNodes(ctx context.Context) error {
	nodes, err := c.api.Get(ctx, apiclient.NodesPath)
	if err != nil {
		return err
	}
	fresh := slices.DeleteFunc(nodes.List("items"), func(node kube.Object) bool { return !cluster.HasTaint(node, cluster.CloudTaint) })
	if len(fresh) == 0 {
		return nil
	}
	instances, err := c.cloud.listInstances(ctx)
	if err != nil {
		return err
	}
	for _, node := range fresh {
		if err := c.initializeNode(ctx, node, instances); err != nil && c.lastErrors[node.Name()] != err.Error() {
			c.lastErrors[node.Name()] = err.Error()
			c.console("cloud-controller-manager: error syncing %q: failed to get instance metadata for node: %v", node.Name(), err)
		}
	}
	return nil
}

// initializeNode finds the instance by the UUID of the machine's firmware, which is the instance's ID; older releases of the
// real program used the name.
func (c cloudController) initializeNode(ctx context.Context, node kube.Object, instances map[string]cloudInstance) error {
	found, ok := instances[node.GetString("status.nodeInfo.systemUUID")]
	if !ok {
		return errors.New("instance not found")
	}
	labels := kube.Object{"topology.kubernetes.io/zone": c.zone, "topology.kubernetes.io/region": c.zone}
	name, err := c.getTypeName(ctx, found.Type.ID)
	if err != nil {
		return err
	}
	if name != "" {
		labels["node.kubernetes.io/instance-type"] = name
	}
	cluster.RemoveTaint(node, cluster.CloudTaint)
	change := kube.Object{"metadata": kube.Object{"labels": labels, "resourceVersion": node.GetString("metadata.resourceVersion")},
		"spec": kube.Object{"providerID": providerPrefix + found.ID, "taints": node.Get("spec.taints")}}
	// The status first: a node without the taint must be complete.
	addresses := kube.Object{"status": kube.Object{"addresses": []kube.Object{
		{"type": "InternalIP", "address": found.PublicIP}, {"type": "ExternalIP", "address": found.PublicIP}}}}
	changed, err := c.api.Do(ctx, http.MethodPatch, apiclient.NodesPath+"/"+node.Name()+"/status", addresses)
	if err != nil {
		return err
	}
	change.Set("metadata.resourceVersion", changed.GetString("metadata.resourceVersion"))
	if _, err := c.api.Do(ctx, http.MethodPatch, apiclient.NodesPath+"/"+node.Name(), change); err != nil {
		return err
	}
	c.console("cloud-controller-manager: Successfully initialized node %s with cloud provider", node.Name())
	return nil
}

func (c cloudController) getTypeName(ctx context.Context, id string) (string, error) {
	if name, known := c.types[id]; known || id == "" {
		return name, nil
	}
	name, err := c.cloud.getInstanceType(ctx, id)
	if err == nil {
		c.types[id] = name
	}
	return name, err
}
