package openshift

import (
	"slices"
	"testing"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/operators"
)

func TestMachines_SameNameShareNode(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.boot("bootstrap", "198.18.0.10", l.file("bootstrap.ign"))
		for _, address := range []string{"198.18.0.11", "198.18.0.12", "198.18.0.13"} {
			l.boot("master", address, l.file("master.ign")) // without a host name: each has that of its instance
		}
		l.until(30*time.Minute, "a node", func() bool { return l.ready() == 1 })
		_ = l.clock.Sleep(l.ctx, 5*time.Minute)
		nodes := l.get(apiclient.NodesPath).List("items")
		if len(nodes) != 1 || nodes[0].Name() != "master" {
			t.Errorf("%d nodes, the first is %s", len(nodes), nodes[0].Name())
		}
	})
}

func TestNodes_RequestCertificates(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.bootCluster(1, 0)
		l.until(30*time.Minute, "two requests", func() bool { return len(l.get(apiclient.CSRPath).List("items")) == 2 })
		_ = l.clock.Sleep(l.ctx, time.Minute)
		bySigner := map[string]kube.Object{}
		for _, request := range l.get(apiclient.CSRPath).List("items") {
			bySigner[request.GetString("spec.signerName")] = request
		}
		for signer, want := range map[string][]string{
			operators.ClientSigner: {cluster.NodeBootstrapper, "client auth", "system:serviceaccounts:openshift-machine-config-operator",
				"system:serviceaccounts", "system:authenticated"},
			operators.ServingSigner: {"system:node:master-0", "server auth", "system:nodes", "system:authenticated"}, // groups are a set
		} {
			request := bySigner[signer]
			got := append([]string{request.GetString("spec.username"), request.GetStrings("spec.usages")[1]}, request.GetStrings("spec.groups")...)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) || request.GetString("status.certificate") == "" {
				t.Errorf("%s: %v, want %v", signer, got, want)
			}
		}
		if node := l.get(apiclient.NodesPath + "/master-0"); operators.GetInternalAddress(node) != "198.18.0.11" {
			t.Errorf("address of the node: %v", node.Get("status.addresses"))
		}
	})
}

func TestGeneration_SecondIsOtherCluster(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.bootCluster(1, 0)
		l.until(30*time.Minute, "a node", func() bool { return l.ready() == 1 })
		before := *l.api
		l.remove("bootstrap")
		l.renew()
		l.boot("bootstrap", "198.18.0.9", l.file("bootstrap.ign"))
		_ = l.clock.Sleep(l.ctx, 10*time.Minute)
		if _, err := before.Get(l.ctx, apiclient.NodesPath); err == nil {
			t.Error("the old credentials open the new cluster")
		}
		if nodes, err := l.api.Get(l.ctx, apiclient.NodesPath); err != nil || len(nodes.List("items")) != 0 {
			t.Errorf("nodes of the new cluster: %v, %v", nodes, err)
		}
	})
}

func TestNodes_SilentBecomesUnknown(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.bootCluster(3, 0)
		l.until(30*time.Minute, "masters", func() bool { return l.ready() == 3 })
		l.remove("master-2")
		l.until(5*time.Minute, "two masters", func() bool { return l.ready() == 2 })
		node := l.get(apiclient.NodesPath + "/master-2")
		if got := node.Condition("Ready"); got.GetString("status") != "Unknown" || got.GetString("reason") != "NodeStatusUnknown" {
			t.Errorf("condition of the silent node: %v", got)
		}
	})
}
