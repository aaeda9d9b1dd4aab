// Package bootstrap is the bootstrap machine of a simulated cluster: the stages of bootkube.sh and cluster-bootstrap, and their records.
package bootstrap

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/journal"
	"exoshift/internal/simcloud/openshift/machineconfig"
	"exoshift/internal/simcloud/openshift/operators"
)

type bootstrapHost struct {
	stages
	disk
	machine *journal.Machine
	open    func(infraID string) (*cluster.Cluster, error)
	cluster *cluster.Cluster
	config  machineconfig.NodeConfig
	domain  string
	running sync.WaitGroup
}

// Run runs the stages of bootkube.sh and cluster-bootstrap. Finished stages leave a file on the disk, so a restarted
// machine resumes where it was.
// open returns the cluster of an infrastructure ID.
func Run(ctx context.Context, m machine.Machine, clock network.Clock, open func(infraID string) (*cluster.Cluster, error)) {
	journaled := journal.NewMachine(m, clock)
	host := &bootstrapHost{machine: journaled, disk: disk{journaled}, stages: stages{machine: journaled, record: &recorder{machine: journaled}}, open: open}
	defer host.running.Wait()
	host.running.Go(func() { journaled.ServeAccess(ctx) })
	host.record.resume()
	if err := host.prepare(); err != nil {
		journaled.Console("release-image.service: %v", err)
		return
	}
	host.runBootkube(ctx)
}

func (h *bootstrapHost) prepare() error {
	infrastructure, err := h.readManifest("manifests/cluster-infrastructure-02-config.yml")
	if err != nil {
		return err
	}
	dns, err := h.readManifest("manifests/cluster-dns-02-config.yml")
	if err != nil {
		return err
	}
	h.domain = dns.GetString("spec.baseDomain")
	h.config = machineconfig.NodeConfig{
		Role: "master", InfraID: infrastructure.GetString("status.infrastructureName"), Version: h.readText("release-version"),
		ExternalCloud: infrastructure.GetString("status.platformStatus.external.cloudControllerManager.state") == "External",
	}
	if h.cluster, err = h.open(h.config.InfraID); err != nil {
		return err
	}
	h.stages.cluster = h.cluster
	return nil
}

func (h *bootstrapHost) start(ctx context.Context, f func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	h.running.Go(func() {
		defer close(ended)
		f(ctx)
	})
	return func() {
		cancel()
		<-ended
	}
}

// runBootkube has the order of section 3.2: the machine config server starts long before the API, and stops after it.
func (h *bootstrapHost) runBootkube(ctx context.Context) {
	if !h.await(ctx, "release-image", h.pullReleaseImage) || !h.await(ctx, "node-image-pull", func(context.Context) error { return checkBootImage(h.machine, h.config.Version) }) || !h.runStage(ctx, "node-image-overlay", 50*time.Second) ||
		!h.await(ctx, "mco-render", h.checkRendering) || !h.runStage(ctx, "mco-bootstrap", 50*time.Second) {
		return
	}
	stopMachineConfigServer := func() {}
	if !h.isStageDone("cvo-overrides") {
		stopMachineConfigServer = h.start(ctx, h.serveMachineConfig)
	}
	if !h.runStage(ctx, "etcd-bootstrap", 30*time.Second) {
		return
	}
	if err := h.initEtcd(); err != nil {
		h.machine.Console("bootkube.service: etcd-bootstrap: %v", err)
		return
	}
	h.start(ctx, h.runMember)
	if !h.runStage(ctx, "wait-for-etcd", 90*time.Second) || !h.runTemporaryControlPlane(ctx) {
		return
	}
	if !h.runStage(ctx, "cvo-overrides", 15*time.Second) {
		return
	}
	stopMachineConfigServer()
	h.complete(ctx)
}

// pullReleaseImage is release-image.service; like the real one it is retried until it succeeds.
func (h *bootstrapHost) pullReleaseImage(ctx context.Context) error {
	if err := pullReleaseImage(ctx, h.disk, h.cluster.Timeout()); err != nil {
		h.record.recordFailure("release-image", err.Error())
		return err
	}
	return h.cluster.WaitScaled(ctx, pullTime)
}

// checkRendering returns nil if the machine configurations of the pools can be merged; without that, no machine is served.
func (h *bootstrapHost) checkRendering(context.Context) error {
	if err := h.checkProxy(); err != nil {
		return err
	}
	for _, pool := range []string{"master", "worker"} {
		if _, err := machineconfig.Render(pool, h.config.Version, "", h.readMachineConfigs()); err != nil {
			return fmt.Errorf("machine-config-controller bootstrap: %w", err)
		}
	}
	return nil
}

// checkProxy returns an error if the proxy's status is not what the network operator makes of its specification in the cluster:
// the masters' first configuration would be one that the cluster does not have.
func (h *bootstrapHost) checkProxy() error {
	settings, err := h.readManifest("manifests/cluster-proxy-01-config.yaml")
	if err != nil {
		return err
	}
	all := splitList(settings.GetString("status.noProxy"))
	if !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) < len(all) {
		return fmt.Errorf("the status of the proxy is not sorted: the rendered configuration is not found in the cluster: %v", all)
	}
	for _, own := range splitList(settings.GetString("spec.noProxy")) {
		if !slices.Contains(all, own) {
			return fmt.Errorf("the status of the proxy lacks %s: the rendered configuration is not found in the cluster", own)
		}
	}
	return nil
}

func splitList(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

func (h *bootstrapHost) runTemporaryControlPlane(ctx context.Context) bool {
	h.start(ctx, h.approveRequests)
	if h.isStageDone("cb-bootstrap") {
		return true
	}
	stopAPI := h.start(ctx, func(ctx context.Context) {
		if err := cluster.ServeAPI(ctx, h.cluster, h.machine, false, nil); err != nil {
			h.machine.Console("kube-apiserver: %v", err)
		}
	})
	stopControllers := h.start(ctx, func(ctx context.Context) { operators.Run(ctx, h.cluster, h.machine) })
	ok := h.runStage(ctx, "kube-apiserver-bootstrap", 15*time.Second) && h.await(ctx, "manifests", h.applyManifests) &&
		h.runClusterBootstrap(ctx)
	if ok {
		stopControllers()
		stopAPI()
		h.machine.Console("bootkube.service: tearing down the temporary control plane")
		h.finish("cb-bootstrap")
	}
	return ok
}

// runClusterBootstrap polls and reports through api-int, as the real one does: a broken load balancer stalls it.
func (h *bootstrapHost) runClusterBootstrap(ctx context.Context) bool {
	api, ok := h.openAdminClient()
	if !ok {
		return false
	}
	defer api.Close()
	reached := func(ctx context.Context) error {
		_, err := api.Get(ctx, "/readyz")
		return err
	}
	return h.await(ctx, "api-int", reached) &&
		h.await(ctx, "control-plane", func(ctx context.Context) error { return checkControlPlane(ctx, api, 2) }) &&
		h.runStage(ctx, "load-balancers", 30*time.Second) &&
		h.await(ctx, "bootstrap-success", h.createEvent(api, "bootstrap-success", "Required control plane pods have been created")) &&
		h.runStage(ctx, "all-manifests", 20*time.Second) && h.await(ctx, "remaining-manifests", h.applyRemaining) &&
		h.await(ctx, "bootstrap-finished", h.createEvent(api, "bootstrap-finished", "Bootstrap finished"))
}

func (h *bootstrapHost) complete(ctx context.Context) {
	api, ok := h.openAdminClient()
	if !ok {
		return
	}
	defer api.Close()
	external := *api
	external.Server = "https://api." + h.domain + ":6443"
	reaches := func(c *apiclient.Client) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := c.Get(ctx, "/readyz")
			return err
		}
	}
	if h.await(ctx, "wait-for-ceo", func(ctx context.Context) error { return checkEtcdInCluster(ctx, api) }) &&
		h.await(ctx, "check-api-url", reaches(&external)) && h.await(ctx, "check-api-int-url", reaches(api)) {
		h.finish(".bootkube")
		h.await(ctx, "progress", func(ctx context.Context) error { return reportCompletion(ctx, api) })
	}
}

func (h *bootstrapHost) openAdminClient() (*apiclient.Client, bool) {
	opened, err := apiclient.ParseKubeconfig([]byte(h.readText("auth/kubeconfig")))
	if err == nil {
		var api *apiclient.Client
		if api, err = apiclient.New(h.machine, opened, h.cluster.Timeout()); err == nil {
			return api, true
		}
	}
	h.machine.Console("bootkube.service: %v", err)
	return nil, false
}

func (h *bootstrapHost) createEvent(api *apiclient.Client, name, message string) func(context.Context) error {
	return func(ctx context.Context) error {
		return createEvent(ctx, api, h.cluster.Timestamp(), name, message)
	}
}

// approveRequests approves every certificate request without checks, until the bootstrap is complete.
func (h *bootstrapHost) approveRequests(ctx context.Context) {
	api, ok := h.openAdminClient()
	if !ok {
		return
	}
	defer api.Close()
	h.record.begin("approve-csr")
	finished := h.cluster.Poll(ctx, 20*time.Second, func(ctx context.Context) bool {
		list, err := api.Get(ctx, apiclient.CSRPath)
		if err != nil {
			return h.isStageDone(".bootkube")
		}
		for _, request := range list.List("items") {
			if len(request.List("status.conditions")) == 0 && len(request.GetString("status.certificate")) == 0 {
				h.approveRequest(ctx, api, request)
			}
		}
		return h.isStageDone(".bootkube")
	})
	if finished {
		h.record.end("approve-csr")
	}
}

func (h *bootstrapHost) approveRequest(ctx context.Context, api *apiclient.Client, request kube.Object) {
	request.Set("apiVersion", "certificates.k8s.io/v1")
	request.Set("kind", "CertificateSigningRequest")
	request.Set("status.conditions", []kube.Object{{"type": "Approved", "status": "True", "reason": "KubectlApprove",
		"message": "This CSR was approved by kubectl certificate approve.", "lastUpdateTime": h.cluster.Timestamp()}})
	if _, err := api.Do(ctx, "PUT", apiclient.CSRPath+"/"+request.Name()+"/approval", request); err != nil {
		h.machine.Console("approve-csr.service: %s: %v", request.Name(), err)
		return
	}
	h.machine.Console("approve-csr.service: %s approved", request.Name())
}
