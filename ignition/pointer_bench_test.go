package ignition_test

import (
	"syscall"
	"testing"
	"time"

	"exoshift/ignition"
	"exoshift/state"
)

// documentsLimit is the limit for the documents of a thousand nodes; CPU time.
const documentsLimit = time.Second

func BenchmarkNodePointer1000(b *testing.B) {
	spec := state.Default()
	spec.Sizing.Storage.Count, spec.Sizing.Infra.Count = 200, 200
	spec.Sizing.Workers.DataDisk, spec.Sizing.Workers.TopoLVM = 50, true
	spec.Sizing.Workers.Count = 600 - spec.Sizing.ControlPlane.Count
	nodes := spec.Nodes()
	if len(nodes) != 1000 {
		b.Fatalf("%d nodes", len(nodes))
	}
	began := processorTime(b)
	for b.Loop() {
		for _, node := range nodes {
			if _, err := ignition.RenderNodePointer(node, domain, rootCA()); err != nil {
				b.Fatal(err)
			}
		}
	}
	each := (processorTime(b) - began) / time.Duration(b.N)
	b.ReportMetric(each.Seconds(), "cpu-s")
	if each > documentsLimit {
		b.Errorf("the documents of %d nodes take %s, the limit is %s", len(nodes), each, documentsLimit)
	}
}

// processorTime is the CPU time of this process, which is independent of other load.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
