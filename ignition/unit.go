package ignition

import (
	"fmt"

	"github.com/coreos/ignition/v2/config/util"
	"github.com/coreos/ignition/v2/config/v3_2/types"

	"exoshift/internal/fault"
	"exoshift/state"
)

const dataPartition = "/dev/vda5"

// A systemd service that prepares the data partition. It runs on a booted RHCOS only, as long as the file exists by which
// the machine config daemon detects the first boot. It comes before the daemon's own service too, which may end that boot
// with a restart (inferred, unlike the rest of it). Its arguments are a description and a command.
const firstBootUnit = `[Unit]
Description=%s
ConditionPathExists=/run/ostree-booted
ConditionPathExists=/etc/ignition-machine-config-encapsulated.json
After=machine-config-daemon-pull.service
Before=machine-config-daemon-firstboot.service
Before=crio.service crio-wipe.service kubelet.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=%s

[Install]
WantedBy=multi-user.target
RequiredBy=crio.service kubelet.service
`

func buildUnits(node state.Machine) ([]types.Unit, error) {
	switch {
	case node.TopoLVM && (node.DataDisk == 0 || node.Role == state.RoleStorage):
		return nil, fault.Newf(fault.Invalid, "describe machine "+node.Name, "TopoLVM has no data disk of its own").
			WithHint("add a data disk, or disable TopoLVM; data disks of storage nodes belong to the storage cluster")
	case node.TopoLVM:
		return []types.Unit{newTopoLVMUnit()}, nil
	case node.Role == state.RoleStorage && node.DataDisk > 0:
		return []types.Unit{newZeroStorageUnit(node.DataDisk)}, nil
	}
	return nil, nil
}

// A storage cluster refuses a partition that is not empty. A thousandth of a GiB is taken for a MiB, so that the zeros
// end before the partition does.
func newZeroStorageUnit(gib int) types.Unit {
	return newServiceUnit("exoscale-zero-storagepool.service", "Fill the partition of the storage pool with zeros",
		fmt.Sprintf("/usr/bin/dd if=/dev/zero of=%s bs=1M count=%d", dataPartition, gib*1000))
}

// An interrupted first boot may have created the volume group already.
func newTopoLVMUnit() types.Unit {
	return newServiceUnit("exoscale-initialize-topolvm-vg.service", "Make the volume group of TopoLVM",
		"/bin/sh -c 'vgs vgssd || vgcreate vgssd "+dataPartition+"'")
}

func newServiceUnit(name, description, command string) types.Unit {
	return types.Unit{
		Name:     name,
		Enabled:  util.BoolToPtr(true),
		Contents: util.StrToPtr(fmt.Sprintf(firstBootUnit, description, command)),
	}
}
