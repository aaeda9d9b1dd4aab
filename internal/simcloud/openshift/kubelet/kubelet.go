// Package kubelet is a node of a simulated cluster: its kubelet, its certificates, and what runs in its pods.
package kubelet

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"exoshift/internal/simcloud/certificate"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/hostnet"
	"exoshift/internal/simcloud/openshift/machineconfig"
	"exoshift/internal/simcloud/openshift/masterhost"
	"exoshift/internal/simcloud/openshift/operators"
)

// kubelet runs the pods of a node.
type kubelet struct {
	machine machine.Machine
	config  machineconfig.NodeConfig
	cluster *cluster.Cluster
	node    string
	access  apiclient.Access // the node bootstrapper's; the node uses its authority and server, too
	api     *apiclient.Client

	certificates certificateManager
	runtime      *containerRuntime

	running   sync.WaitGroup
	pods      map[string]*pod // by namespace/name
	heartbeat heartbeat
	lastState cluster.StateRecord // computeState at the last change
	online    atomic.Bool         // the network plugin runs
	nodePorts nodePorts
}

// pivotedFile has a dot for each completed step of the pivot.
const pivotedFile = "/etc/machine-config-daemon/currentconfig"

// How long a machine takes to pull the release's operating system and to reboot into it (inferred).
const (
	pivotTime  = 5 * time.Minute
	pivotSteps = 10
)

// Run runs a node's software, through each boot; open returns the cluster of an infrastructure ID.
func Run(ctx context.Context, m machine.Machine, open func(infraID string) (*cluster.Cluster, error)) {
	for ctx.Err() == nil {
		k, err := newKubelet(m, open)
		if err != nil {
			m.Console("kubelet: %v", err)
			return
		}
		if !k.runBoot(ctx) || k.cluster.WaitScaled(ctx, rebootTime+cluster.Jitter(m.Name(), rebootJitter)) != nil {
			return
		}
		m.Console("machine-config-daemon: rebooted into another configuration")
	}
}

// runBoot runs a node's software until ctx ends, or until the machine has to boot anew: true.
func (k *kubelet) runBoot(ctx context.Context) (reboots bool) {
	defer k.running.Wait()
	ctx, shutDown := context.WithCancel(ctx)
	defer shutDown()
	if !k.pivot(ctx) {
		return false
	}
	if k.config.Role == "master" {
		k.running.Go(func() { masterhost.Host{Cluster: k.cluster, Machine: k.machine, Node: k.node}.Serve(ctx) })
	}
	k.startStaticPods(ctx)
	if !k.awaitHostname(ctx) || !k.joinCluster(ctx) {
		return false
	}
	defer k.api.Close()
	k.running.Go(func() { k.serve(ctx) })
	for ctx.Err() == nil {
		if (configDaemon{k}).sync() {
			return true
		}
		_ = k.cluster.Clock.Sleep(ctx, k.sync(ctx))
	}
	return false
}

// A kubelet lists its pods at syncInterval, and after a while without changes at each heartbeat only.
const (
	syncInterval = 10 * time.Second
	idleAfter    = 5 * time.Minute
)

func newKubelet(m machine.Machine, open func(infraID string) (*cluster.Cluster, error)) (*kubelet, error) {
	config, err := machineconfig.ReadNodeConfig(m)
	if err != nil {
		return nil, err
	}
	content, _ := m.ReadFile(machineconfig.BootstrapAccessFile)
	opened, err := apiclient.ParseKubeconfig(content)
	if err != nil {
		return nil, err
	}
	shared, err := open(config.InfraID)
	if err != nil {
		return nil, err
	}
	k := &kubelet{config: config, cluster: shared, node: getNodeName(m), access: opened, pods: map[string]*pod{}}
	k.machine = pluginMachine{Machine: m, online: &k.online, reservedNetworks: shared.ListNetworks, clock: shared.Clock}
	k.nodePorts = nodePorts{cluster: shared, machine: k.machine, node: k.node, open: map[int]*nodePort{}}
	k.certificates = certificateManager{cluster: shared, machine: k.machine, node: k.node, role: config.Role, address: k.getAddress()}
	return k, nil
}

// pivot replaces the boot image's system by the release's, once. Its progress is stored in steps, so that a restarted machine
// resumes.
func (k *kubelet) pivot(ctx context.Context) bool {
	done, _ := k.machine.ReadFile(pivotedFile)
	switch len(done) {
	case pivotSteps:
		return true
	case 0:
		k.machine.Console("machine-config-daemon: pulling the release's operating system")
	}
	for step := len(done); step < pivotSteps; step++ {
		if k.cluster.WaitScaled(ctx, (pivotTime+cluster.Jitter(k.machine.Name(), 30*time.Second))/pivotSteps) != nil {
			return false
		}
		done = append(done[:step:step], '.')
		if err := k.machine.WriteFile(pivotedFile, done); err != nil {
			k.machine.Console("machine-config-daemon: %v", err)
		}
	}
	k.machine.Console("machine-config-daemon: rebooted into it")
	return ctx.Err() == nil
}

func (k *kubelet) joinCluster(ctx context.Context) bool {
	bootstrapper, err := apiclient.New(k.machine, k.access, k.cluster.Timeout())
	if err != nil {
		k.machine.Console("kubelet: %v", err)
		return false
	}
	defer bootstrapper.Close()
	identity, ok := k.certificates.ensure(ctx, bootstrapper, k.certificates.newClientRequest())
	if !ok {
		return false
	}
	own := k.access
	own.Certificate, own.Key = identity.certificate, identity.key
	if k.api, err = apiclient.New(k.machine, own, k.cluster.Timeout()); err != nil {
		k.machine.Console("kubelet: %v", err)
		return false
	}
	k.runtime = &containerRuntime{cluster: k.cluster, machine: k.machine, api: k.api, access: k.access, online: &k.online}
	return k.cluster.Poll(ctx, 10*time.Second, func(ctx context.Context) bool {
		err := k.register(ctx)
		if err != nil {
			k.machine.Console("kubelet: unable to register node %s: %v", k.node, err)
		}
		return err == nil
	})
}

// register creates the Node, or takes over one of the same name: two machines of one name overwrite each other.
func (k *kubelet) register(ctx context.Context) error {
	_, err := k.api.Do(ctx, http.MethodPost, apiclient.NodesPath, k.buildNode())
	if apiclient.IsCode(err, http.StatusConflict) {
		_, err = k.api.Do(ctx, http.MethodPatch, apiclient.NodesPath+"/"+k.node+"/status", kube.Object{"status": kube.Object{"addresses": k.listAddresses(), "nodeInfo": k.buildInfo()}})
	}
	if err == nil {
		k.machine.Console("kubelet: registered node %s", k.node)
	}
	return err
}

func (k *kubelet) listAddresses() []kube.Object {
	return []kube.Object{{"type": "InternalIP", "address": k.getAddress().String()}, {"type": "Hostname", "address": k.node}}
}

func (k *kubelet) buildNode() kube.Object {
	const role = "node-role.kubernetes.io/"
	labels := kube.Object{"kubernetes.io/hostname": k.node, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
		"node.openshift.io/os_id": "rhel"}
	var taints []kube.Object
	if k.config.Role == "master" {
		labels[role+"master"], labels[role+"control-plane"] = "", ""
		taints = append(taints, kube.Object{"key": cluster.MasterTaint, "effect": "NoSchedule"})
	} else {
		labels[role+"worker"] = ""
	}
	if k.config.ExternalCloud {
		taints = append(taints, kube.Object{"key": cluster.CloudTaint, "value": "true", "effect": "NoSchedule"})
	}
	spec := kube.Object{}
	if len(taints) > 0 {
		spec["taints"] = taints
	}
	return kube.Object{"apiVersion": "v1", "kind": "Node", "metadata": kube.Object{"name": k.node, "labels": labels, "annotations": k.buildConfigAnnotations()}, "spec": spec,
		"status": kube.Object{
			"addresses":  k.listAddresses(),
			"capacity":   kube.Object{"cpu": "4", "memory": k.getMemory(), "pods": "250"},
			"conditions": k.buildConditions(),
			"nodeInfo":   k.buildInfo(),
		}}
}

func (k *kubelet) buildInfo() kube.Object {
	version := cmp.Or(k.cluster.ConfigVersion(), k.config.Version)
	return kube.Object{"systemUUID": k.machine.ID(), "kubeletVersion": "v" + cluster.GetKubernetesVersion(version), "osImage": "Red Hat Enterprise Linux CoreOS"}
}

func (k *kubelet) buildConfigAnnotations() kube.Object {
	return kube.Object{operators.CurrentConfig: k.config.Rendered, operators.DesiredConfig: k.config.Rendered, operators.ConfigState: "Done"}
}

// Memory of nodes, in GiB.
const (
	defaultMemory = 16
	smallMemory   = 2
)

func (k *kubelet) getMemory() string {
	gib := defaultMemory
	if k.cluster.Faults.SmallNodes && k.config.Role != "master" {
		gib = smallMemory
	}
	return fmt.Sprintf("%dGi", gib)
}

const namelessHost = "localhost.localdomain"

// getNodeName returns the host name; machines without one share namelessHost, as in reality.
func getNodeName(m machine.Machine) string {
	content, _ := m.ReadFile(machineconfig.HostnameFile)
	if name := strings.TrimSpace(string(content)); name != "" {
		return name
	}
	return namelessHost
}

// hostnameTimeout limits the wait for a host name at boot (from memory, unverified).
const hostnameTimeout = 5 * time.Minute

// awaitHostname is node-valid-hostname.service, after which the kubelet starts with any name; false if ctx ended.
func (k *kubelet) awaitHostname(ctx context.Context) bool {
	if k.node != namelessHost {
		return true
	}
	k.machine.Console("node-valid-hostname.service: waiting for non-localhost hostname to be assigned")
	if k.cluster.Clock.Sleep(ctx, hostnameTimeout) != nil {
		return false
	}
	k.machine.Console("node-valid-hostname.service: Failed with result 'timeout'")
	return true
}

// getAddress returns the node IP that the kubelet chooses: that of the interface with the default route.
func (k *kubelet) getAddress() netip.Addr {
	own := k.machine.DefaultAddress()
	if !k.cluster.Faults.SecondInterface || !strings.HasPrefix(k.node+".", "master-1.") {
		return own
	}
	bytes := own.As4()
	return netip.AddrFrom4([4]byte{10, 100, 0, bytes[3]})
}

// serve serves the kubelet's own port, which refuses everybody.
func (k *kubelet) serve(ctx context.Context) {
	served, ok := k.certificates.ensure(ctx, k.api, k.certificates.newServingRequest())
	if !ok {
		return
	}
	pair, err := certificate.Parse(served.certificate, served.key)
	if err == nil {
		err = hostnet.ListenAndServe(ctx, k.machine, operators.KubeletPort, hostnet.NewTLSConfig(hostnet.UseCertificate(pair)), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
		}))
	}
	if err != nil {
		k.machine.Console("kubelet: %v", err)
	}
}
