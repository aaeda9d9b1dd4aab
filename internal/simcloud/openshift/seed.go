package openshift

import (
	"context"
	"errors"

	"exoshift/internal/simcloud/certificate"
	"exoshift/internal/simcloud/kube"
)

// initEtcd makes this machine the first member of the cluster's etcd, and copies everything that the cluster needs later from
// its disk. A bootstrap host with a new disk resets the cluster; that is only possible while no master is a member.
func (h *bootstrapHost) initEtcd() error {
	_, own := h.cluster.members.Get(bootstrapMember)
	if _, data := h.machine.ReadFile(etcdDataFile); data {
		return nil
	}
	members := len(h.cluster.members.List())
	if own && members > 1 || !own && members > 0 {
		return errors.New("the cluster has members already; this machine has none of their data and cannot join")
	}
	if err := h.cluster.clearState(); err != nil {
		return err
	}
	known := record{Domain: h.domain, Version: h.config.Version, Replicas: h.getReplicas(), Files: map[string][]byte{}}
	for _, name := range []string{
		"root-ca", "admin-kubeconfig-signer", "kubelet-bootstrap-kubeconfig-signer", "kube-apiserver-lb-signer",
		"kubelet-signer", "kubelet-client", "kube-apiserver-lb-server", "kube-apiserver-internal-lb-server", "machine-config-server",
	} {
		known.Files[name+".crt"] = []byte(h.readText("tls/" + name + ".crt"))
		known.Files[name+".key"] = []byte(h.readText("tls/" + name + ".key"))
	}
	known.Files["bootstrap-kubeconfig"] = []byte(h.readText("auth/kubeconfig-kubelet"))
	if err := h.cluster.saveRecord(known); err != nil {
		return err
	}
	return h.createMember()
}

func (h *bootstrapHost) createMember() error {
	first, err := h.cluster.members.add(bootstrapMember, h.machine.Address().String())
	if err != nil {
		return err
	}
	if err := h.cluster.members.update(bootstrapMember, func(m *member) { m.Started = true }); err != nil {
		return err
	}
	return h.machine.WriteFile(etcdDataFile, []byte(first.ID))
}

func (h *bootstrapHost) runMember(ctx context.Context) {
	closePorts, err := openEtcdPorts(h.machine)
	if err != nil {
		h.machine.Console("etcd-bootstrap: %v", err)
		return
	}
	defer closePorts()
	h.cluster.members.run(ctx, bootstrapMember, h.machine)
}

// serveMachineConfig is the server on the bootstrap host, for masters only; it makes others retry.
func (h *bootstrapHost) serveMachineConfig(ctx context.Context) {
	pair, err := certificate.Parse([]byte(h.readText("tls/machine-config-server.crt")), []byte(h.readText("tls/machine-config-server.key")))
	if err == nil {
		server := machineConfigServer{config: h.config, access: []byte(h.readText("auth/kubeconfig-kubelet")), console: h.machine.Console, configs: h.listServedConfigs,
			pools: func(pool string) bool { return pool == "master" }}
		err = server.serve(ctx, h.machine, pair)
	}
	if err != nil {
		h.machine.Console("machine-config-server: %v", err)
	}
}

func (h *bootstrapHost) listServedConfigs() []kube.Object {
	configs := h.readMachineConfigs()
	if h.cluster.faults.MixedConfigs {
		configs = append(configs, newBootstrapOnlyConfig())
	}
	return configs
}

func newBootstrapOnlyConfig() kube.Object {
	config := kube.NewNamed("98-master-left-over")
	config.Set("metadata.labels", kube.Object{roleLabel: "master"})
	config.Set("spec.config", kube.Object{"ignition": kube.Object{"version": "3.2.0"}})
	return config
}
