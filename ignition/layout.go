package ignition

import (
	"github.com/coreos/ignition/v2/config/v3_2"

	"exoshift/internal/fault"
	"exoshift/state"
)

// Layout is the partitioning of a node's disk at its first boot. It is permanent.
type Layout struct {
	RootGiB int  // size of the root partition; 0: it has the whole disk
	TopoLVM bool // the rest is a volume group of TopoLVM
}

// ParseLayout returns the layout of a node's document.
func ParseLayout(document []byte) (Layout, error) {
	config, _, err := v3_2.ParseCompatibleVersion(document)
	if err != nil {
		return Layout{}, fault.New(fault.Invalid, "read the layout of a disk", err)
	}
	var layout Layout
	for _, disk := range config.Storage.Disks {
		for _, partition := range disk.Partitions {
			if partition.Number == rootPartition && partition.SizeMiB != nil {
				layout.RootGiB = *partition.SizeMiB / 1024
			}
		}
	}
	for _, unit := range config.Systemd.Units {
		layout.TopoLVM = layout.TopoLVM || unit.Name == newTopoLVMUnit().Name
	}
	return layout, nil
}

// NewLayout returns the layout of a node as answered.
func NewLayout(node state.Machine) Layout {
	if node.DataDisk == 0 {
		return Layout{}
	}
	return Layout{RootGiB: node.RootDisk, TopoLVM: node.TopoLVM}
}
