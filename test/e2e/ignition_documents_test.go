package e2e

import (
	"testing"

	"exoshift/ignition"
	"exoshift/internal/simcloud/fabric"
	"exoshift/state"
)

// bootstrapLink is a link to an object in a private bucket, signed as Exoscale's object storage wants it.
const bootstrapLink = "https://sos-ch-gva-2.exo.io/c-demo-1-bootstrap/bootstrap.ign?X-Amz-Algorithm=AWS4-HMAC-SHA256" +
	"&X-Amz-Credential=EXO0123%2F20260101%2Fch-gva-2%2Fs3%2Faws4_request&X-Amz-Date=20260101T000000Z&X-Amz-Expires=21600" +
	"&X-Amz-SignedHeaders=host&X-Amz-Signature=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

// clusters returns clusters that together have machines of every kind.
func clusters() map[string]state.Spec {
	data, topolvm, groups := state.Default(), state.Default(), state.Default()
	for _, size := range []*state.MachineSpec{
		&data.Sizing.ControlPlane, &data.Sizing.Infra, &data.Sizing.Storage, &data.Sizing.Workers,
	} {
		size.DataDisk = 50
	}
	topolvm.Sizing.Workers.DataDisk, topolvm.Sizing.Workers.TopoLVM = 250, true
	topolvm.Sizing.Storage.DataDisk = 0
	group := state.GroupSpec{Name: "gpu", MachineSpec: topolvm.Sizing.Workers}
	plain := state.GroupSpec{Name: "batch-jobs", MachineSpec: groups.Sizing.Workers}
	groups.Sizing.ExtraGroups = []state.GroupSpec{group, plain}
	return map[string]state.Spec{"default": state.Default(), "data disks": data, "TopoLVM": topolvm, "extra groups": groups}
}

// documents returns all that exoshift sends to the machines of clusters, by their names.
func documents(t *testing.T) map[string][]byte {
	t.Helper()
	ca, err := fabric.NewCA("root-ca")
	must(t, err)
	documents := map[string][]byte{}
	for cluster, spec := range clusters() {
		for _, node := range spec.Nodes() {
			documents[cluster+", "+node.Name] = nodeDocument(t, node, ca)
		}
	}
	documents["bootstrap"], err = ignition.RenderBootstrapPointer("bootstrap", bootstrapLink, []byte("{}"))
	must(t, err)
	return documents
}

func nodeDocument(t *testing.T, node state.Machine, ca *fabric.CA) []byte {
	t.Helper()
	document, err := ignition.RenderNodePointer(node, domain, ca.PEM())
	must(t, err)
	return document
}
