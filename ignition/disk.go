package ignition

import (
	"github.com/coreos/ignition/v2/config/util"
	"github.com/coreos/ignition/v2/config/v3_2/types"
)

// The partition of an RHCOS image that holds the root file system.
const rootPartition = 4

// buildDisks keeps the root file system from growing over the whole disk, and creates a partition of the rest: without a
// number it gets the next one, without a size all that is left. The root partition's entry is wiped and recreated, as on
// the clusters that run on Exoscale today.
func (p Pointer) buildDisks() []types.Disk {
	if p.RootGiB == 0 {
		return nil
	}
	return []types.Disk{{
		Device: "/dev/vda",
		Partitions: []types.Partition{
			{
				Number:             rootPartition,
				Label:              util.StrToPtr("root"),
				SizeMiB:            util.IntToPtr(p.RootGiB * 1024),
				WipePartitionEntry: util.BoolToPtr(true),
			},
			{Label: util.StrToPtr("data")},
		},
	}}
}
