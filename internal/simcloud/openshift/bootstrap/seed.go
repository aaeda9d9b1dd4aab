package bootstrap

import (
	"context"
	"errors"

	"exoshift/internal/simcloud/certificate"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/etcd"
	"exoshift/internal/simcloud/openshift/machineconfig"
)

// initEtcd makes this machine the first member of the cluster's etcd, and copies everything that the cluster needs later from
// its disk. A bootstrap host with a new disk resets the cluster; that is only possible while no master is a member.
func (h *bootstrapHost) initEtcd() error {
	_, own := h.cluster.Members.Get(etcd.BootstrapMember)
	if _, data := h.machine.ReadFile(etcd.DataFile); data {
		return nil
	}
	members := len(h.cluster.Members.List())
	if own && members > 1 || !own && members > 0 {
		return errors.New("the cluster has members already; this machine has none of their data and cannot join")
	}
	if err := h.cluster.ClearState(); err != nil {
		return err
	}
	known := cluster.Record{Domain: h.domain, Version: h.config.Version, Replicas: h.getReplicas(), Files: map[string][]byte{}}
	for _, name := range []string{
		"root-ca", "admin-kubeconfig-signer", "kubelet-bootstrap-kubeconfig-signer", "kube-apiserver-lb-signer",
		"kubelet-signer", "kubelet-client", "kube-apiserver-lb-server", "kube-apiserver-internal-lb-server", "machine-config-server",
	} {
		known.Files[name+".crt"] = []byte(h.readText("tls/" + name + ".crt"))
		known.Files[name+".key"] = []byte(h.readText("tls/" + name + ".key"))
	}
	known.Files["bootstrap-kubeconfig"] = []byte(h.readText("auth/kubeconfig-kubelet"))
	if err := h.cluster.SaveRecord(known); err != nil {
		return err
	}
	return h.createMember()
}

func (h *bootstrapHost) createMember() error {
	first, err := h.cluster.Members.Add(etcd.BootstrapMember, h.machine.Address().String())
	if err != nil {
		return err
	}
	if err := h.cluster.Members.Update(etcd.BootstrapMember, func(m *etcd.Member) { m.Started = true }); err != nil {
		return err
	}
	return h.machine.WriteFile(etcd.DataFile, []byte(first.ID))
}

func (h *bootstrapHost) runMember(ctx context.Context) {
	closePorts, err := etcd.OpenPorts(h.machine)
	if err != nil {
		h.machine.Console("etcd-bootstrap: %v", err)
		return
	}
	defer closePorts()
	h.cluster.Members.Run(ctx, etcd.BootstrapMember, h.machine)
}

// serveMachineConfig is the server on the bootstrap host, for masters only; it makes others retry.
func (h *bootstrapHost) serveMachineConfig(ctx context.Context) {
	pair, err := certificate.Parse([]byte(h.readText("tls/machine-config-server.crt")), []byte(h.readText("tls/machine-config-server.key")))
	if err == nil {
		server := machineconfig.Server{Config: h.config, Access: []byte(h.readText("auth/kubeconfig-kubelet")), Console: h.machine.Console, Configs: h.listServedConfigs,
			Pools: func(pool string) bool { return pool == "master" }}
		err = server.Serve(ctx, h.machine, pair)
	}
	if err != nil {
		h.machine.Console("machine-config-server: %v", err)
	}
}

func (h *bootstrapHost) listServedConfigs() []kube.Object {
	configs := h.readMachineConfigs()
	if h.cluster.Faults.MixedConfigs {
		configs = append(configs, newBootstrapOnlyConfig())
	}
	return configs
}

func newBootstrapOnlyConfig() kube.Object {
	config := kube.NewNamed("98-master-left-over")
	config.Set("metadata.labels", kube.Object{machineconfig.RoleLabel: "master"})
	config.Set("spec.config", kube.Object{"ignition": kube.Object{"version": "3.2.0"}})
	return config
}
