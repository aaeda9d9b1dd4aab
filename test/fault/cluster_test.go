package fault_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net/netip"
	"time"

	"exoshift/provisioner/install"
	"exoshift/state"
)

// withoutCluster takes openshift-install and the cluster out of a world: what is left is what speaks to Exoscale. So an
// installation takes a tenth of the time, and every call of it can be interrupted.
func withoutCluster(_ *lab, world *install.Clients) {
	world.Installer, world.Images, world.Cluster, world.Bootstrap = generated{}, image{}, finished{}, transparent{}
}

// transparent is a bootstrap machine that lets us in and has nothing to tell.
type transparent struct{}

func (transparent) DiscoverAddress(context.Context, string) (netip.Addr, error) {
	return netip.AddrFrom4([4]byte{203, 0, 113, 7}), nil
}

func (transparent) Collect(context.Context, netip.Addr) (state.BootstrapHost, error) {
	return state.BootstrapHost{}, nil
}

// generated is what an openshift-install that has run leaves.
type generated struct{}

func (generated) Fetch(context.Context, string, func(string)) (state.Release, error) {
	return state.Release{Version: "4.20.5"}, nil
}

func (generated) Try(context.Context, string, state.Generation) error { return nil }

func (generated) Strip(string) error { return nil }

func (generated) FindBootImage(context.Context) (state.BootImage, error) {
	return state.BootImage{Build: "9.6.1", URL: "https://images.example/rhcos.qcow2.gz"}, nil
}

func (generated) Generate(context.Context, string, state.Generation, func(string)) (state.Ignition, error) {
	return state.Ignition{
		InfraID: "c-1-abcde", ClusterID: "3f6f3f0e-7a0c-4c57-8b0a-5d3c1f0e9b21", Created: time.Now(), Expires: time.Now().Add(24 * time.Hour), RootCAHash: "c0ffee", RootCA: []byte("-----BEGIN CERTIFICATE-----\n"),
		Bootstrap: []byte(`{"ignition":{"version":"3.2.0"},"storage":{"files":[]}}`),
	}, nil
}

// image is the smallest boot image: a qcow2 file of six clusters of 512 bytes, with one cluster of data.
type image struct{}

func (image) OpenImage(context.Context, state.BootImage, func(string)) (io.ReadCloser, error) {
	const bits, cluster = 9, 512
	file, big := make([]byte, 6*cluster), binary.BigEndian
	copy(file, "QFI\xfb")
	big.PutUint32(file[4:], 3)          // version
	big.PutUint32(file[20:], bits)      // size of a cluster
	big.PutUint64(file[24:], 1<<14)     // virtual size
	big.PutUint32(file[36:], 1)         // entries of the first level
	big.PutUint64(file[40:], 3*cluster) // where it is
	big.PutUint64(file[48:], 1*cluster) // reference counts
	big.PutUint32(file[56:], 1)
	big.PutUint32(file[96:], 4)
	big.PutUint32(file[100:], 104) // length of the header
	big.PutUint64(file[1*cluster:], 2*cluster)
	big.PutUint64(file[3*cluster:], 4*cluster|1<<63)
	big.PutUint64(file[4*cluster:], 5*cluster|1<<63)
	copy(file[5*cluster:], "options ignition.platform.id=openstack console=tty0\n")
	return io.NopCloser(bytes.NewReader(file)), nil
}

// finished is a cluster that came up in a moment: every machine is a node, and every master has a member of etcd.
type finished struct{}

func (finished) Poll(_ context.Context, _ netip.Addr, expected []state.ExpectedNode) (state.Snapshot, error) {
	seen := state.Snapshot{
		Bootstrap: state.BootstrapStatus{Reached: state.ListPhases()},
		Etcd:      state.EtcdStatus{InCluster: true, BootstrapRemoved: true, Voters: map[string]string{}},
		Version:   state.VersionStatus{Available: true, Total: 1},
	}
	for _, node := range expected {
		seen.Nodes = append(seen.Nodes, state.NodeStatus{Name: node.Name, Ready: true, Address: node.Addresses[0], Created: node.Created})
		if node.Role == state.RoleMaster {
			seen.Etcd.Members = append(seen.Etcd.Members, state.EtcdMember{Name: node.Name, State: "voter"})
			seen.Etcd.Voters[node.Name] = node.Addresses[0]
		}
	}
	return seen, nil
}

func (finished) Dump(context.Context, func(string, []byte) error) error { return nil }

func (finished) Approve(context.Context) ([]state.CSRDecision, error) { return nil, nil }

func (finished) EnsureRegistryAccess(context.Context, state.Bucket, state.APIKey, state.Placement) (state.Action, error) {
	return state.Found, nil
}

func (finished) EnsureMonitoringPlacement(context.Context, string) (state.Action, error) {
	return state.Found, nil
}

func (finished) LabelNode(context.Context, string, map[string]string, []state.Taint) (state.Action, error) {
	return state.Found, nil
}

func (finished) EnsureIngressPlacement(context.Context, string, int, bool) (state.Action, error) {
	return state.Found, nil
}

func (finished) RestoreIngressPlacement(context.Context, string, int, bool) (state.Action, error) {
	return state.Found, nil
}

func (finished) GetConsoleURL(context.Context) (string, error) { return "https://console.example", nil }
