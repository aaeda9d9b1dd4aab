package observe

import (
	"context"
	"sync"

	"exoshift/provisioner/openshift/etcd"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/provisioner/openshift/operators"
	"exoshift/state"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
)

// pollResult is the result of one round of requests. What does not exist, was not answered, or is not needed any more is zero.
type pollResult struct {
	nodes    []corev1.Node
	requests []certificatesv1.CertificateSigningRequest

	version   operators.ClusterVersion
	versioned bool // the version exists
	operators []operators.ClusterOperator

	etcd       operators.StaticPodOperator
	endpoints  corev1.ConfigMap // of etcd
	etcdEvents []corev1.Event

	revisions  map[string]int  // on how many masters a component of the control plane runs; nil: not read
	servers    map[string]bool // addresses of the API servers; nil: not read
	succeeded  bool            // event bootstrap-success
	tornDown   bool            // event bootstrap-finished
	complete   bool            // ConfigMap kube-system/bootstrap has status complete
	pools      []pool
	routers    []corev1.Pod
	schedulers scheduler
}

// poll reads everything that may still change, independent parts concurrently. What was found is returned beside the first error.
func poll(ctx context.Context, api *kubeapi.Client, reached func(phase string) bool) (pollResult, error) {
	var found pollResult
	parts := []func(context.Context, *kubeapi.Client, func(string) bool) error{
		found.readNodes, found.readVersion, found.readEtcd, found.readControlPlane, found.readBootstrap, found.readPlacement,
	}
	failures := make([]error, len(parts))
	var reading sync.WaitGroup
	for n, read := range parts {
		reading.Go(func() { failures[n] = read(ctx, api, reached) })
	}
	reading.Wait()
	for _, failure := range failures {
		if failure != nil {
			return found, failure
		}
	}
	return found, nil
}

// readNodes reads the nodes after the requests: a node that registers meanwhile makes an earlier request suspicious, never
// harmless. Without the nodes, no request can be reviewed.
func (l *pollResult) readNodes(ctx context.Context, api *kubeapi.Client, _ func(string) bool) error {
	asked, err := kubeapi.List[certificatesv1.CertificateSigningRequest](ctx, api, kubeapi.CertificateRequests, "")
	if err != nil {
		return err
	}
	if l.nodes, err = listNodes(ctx, api); err != nil {
		return err
	}
	l.requests = asked
	return nil
}

func (l *pollResult) readVersion(ctx context.Context, api *kubeapi.Client, _ func(string) bool) (err error) {
	if l.version, l.versioned, err = kubeapi.Get[operators.ClusterVersion](ctx, api, kubeapi.ClusterVersions, "version"); err != nil {
		return err
	}
	l.operators, err = kubeapi.List[operators.ClusterOperator](ctx, api, kubeapi.ClusterOperators, "")
	return err
}

// readEtcd reads the operator's events only as long as they show what the endpoints do not: that a member was added.
func (l *pollResult) readEtcd(ctx context.Context, api *kubeapi.Client, _ func(string) bool) (err error) {
	if l.etcd, _, err = kubeapi.Get[operators.StaticPodOperator](ctx, api, kubeapi.Etcds, "cluster"); err != nil {
		return err
	}
	if l.endpoints, _, err = kubeapi.Get[corev1.ConfigMap](ctx, api, kubeapi.EtcdConfig, "etcd-endpoints"); err != nil {
		return err
	}
	if !l.etcd.Status.Conditions.Is(etcd.RunningInCluster) {
		l.etcdEvents, err = kubeapi.List[corev1.Event](ctx, api, kubeapi.EtcdEvents, "")
	}
	return err
}

func (l *pollResult) readControlPlane(ctx context.Context, api *kubeapi.Client, reached func(string) bool) error {
	if reached(state.PhaseControlPlane) {
		return nil
	}
	revisions := map[string]int{}
	for _, component := range listComponents() {
		object, _, err := kubeapi.Get[operators.StaticPodOperator](ctx, api, component.resource, "cluster")
		if err != nil {
			return err
		}
		revisions[component.name] = object.CountRunning()
	}
	l.revisions = revisions
	return nil
}

// readBootstrap reads what the bootstrap machine reports. Its events expire after about three hours (unverified): afterwards
// later phases imply them.
func (l *pollResult) readBootstrap(ctx context.Context, api *kubeapi.Client, reached func(string) bool) error {
	if !reached(state.PhaseComplete) {
		status, _, err := kubeapi.Get[corev1.ConfigMap](ctx, api, kubeapi.SystemConfig, "bootstrap")
		if err != nil {
			return err
		}
		l.complete = status.Data["status"] == "complete"
	}
	if reached(state.PhaseTeardown) {
		return nil
	}
	for event, happened := range map[string]*bool{"bootstrap-success": &l.succeeded, "bootstrap-finished": &l.tornDown} {
		var err error
		if _, *happened, err = kubeapi.Get[struct{}](ctx, api, kubeapi.SystemEvents, event); err != nil {
			return err
		}
	}
	return l.readServers(ctx, api)
}

func (l *pollResult) readServers(ctx context.Context, api *kubeapi.Client) error {
	slice, exists, err := kubeapi.Get[endpointSlice](ctx, api, kubeapi.APIEndpoints, "kubernetes")
	if err != nil || !exists {
		return err
	}
	l.servers = slice.collectAddresses()
	return nil
}

func (l *pollResult) readPlacement(ctx context.Context, api *kubeapi.Client, _ func(string) bool) (err error) {
	if l.pools, err = kubeapi.List[pool](ctx, api, kubeapi.MachineConfigPools, ""); err != nil {
		return err
	}
	if l.schedulers, _, err = kubeapi.Get[scheduler](ctx, api, kubeapi.Schedulers, "cluster"); err != nil {
		return err
	}
	l.routers, err = kubeapi.List[corev1.Pod](ctx, api, kubeapi.RouterPods, "")
	return err
}

type component struct {
	name     string
	resource kubeapi.ResourcePath
}

func listComponents() []component {
	return []component{
		{"kube-apiserver", kubeapi.KubeAPIServers},
		{"kube-controller-manager", kubeapi.KubeControllerManagers},
		{"kube-scheduler", kubeapi.KubeSchedulers},
	}
}

type endpointSlice struct {
	Endpoints []struct {
		Addresses []string `json:"addresses"`
	} `json:"endpoints"`
}

func (s endpointSlice) collectAddresses() map[string]bool {
	all := map[string]bool{}
	for _, endpoint := range s.Endpoints {
		for _, address := range endpoint.Addresses {
			all[address] = true
		}
	}
	return all
}
