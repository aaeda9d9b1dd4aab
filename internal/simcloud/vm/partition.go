package vm

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/coreos/ignition/v2/config/v3_5/types"
)

const (
	rootDisk = "/dev/vda"
	// imagePartitions are those of an RHCOS image, the last of which holds the root file system.
	imagePartitions = 4
	mibPerGiB       = 1024
)

// partition is a requested one; the image's own are known only by their numbers.
type partition struct {
	Number  int
	Label   string
	SizeMiB int // 0: unknown, as the size of the disk is
}

func (p partition) devicePath() string { return fmt.Sprint(rootDisk, p.Number) }

// createPartitions is Ignition's disks stage. Its result is stored on the disk, under the disk's own name.
func (b *guest) createPartitions(disks []types.Disk) error {
	for _, d := range disks {
		if d.Device != rootDisk {
			return fmt.Errorf("create partitions on %q: timed out waiting for the device", d.Device)
		}
		table, err := b.parsePartitions(d.Partitions)
		if err != nil {
			return fmt.Errorf("create partitions on %q: %w", d.Device, err)
		}
		encoded, err := json.Marshal(table)
		if err != nil {
			return err
		}
		if err := b.WriteFile(rootDisk, encoded); err != nil {
			return err
		}
		for _, p := range table {
			b.Console("ignition: disks: created partition %d (%s) on %q", p.Number, p.Label, d.Device)
		}
	}
	return nil
}

// parsePartitions assigns numbers and sizes as sgdisk does: number 0 is the next one, size 0 is the rest.
func (b *guest) parsePartitions(wanted []types.Partition) ([]partition, error) {
	var table []partition
	left, next := b.instance.DiskGiB*mibPerGiB, imagePartitions+1
	for _, w := range wanted {
		p := partition{Number: w.Number, Label: value(w.Label), SizeMiB: value(w.SizeMiB)}
		if p.Number > 0 && p.Number <= imagePartitions && !value(w.WipePartitionEntry) {
			return nil, fmt.Errorf("partition %d is there, does not match, and may not be wiped", p.Number)
		}
		if p.Number == 0 {
			p.Number = next
		}
		next = max(next, p.Number+1)
		if p.SizeMiB == 0 {
			p.SizeMiB = left
		}
		if left -= p.SizeMiB; b.instance.DiskGiB > 0 && (left < 0 || p.SizeMiB == 0) {
			return nil, fmt.Errorf("partition %d of %d MiB does not fit onto the disk of %d GiB", p.Number, p.SizeMiB, b.instance.DiskGiB)
		}
		table = append(table, p)
	}
	return table, nil
}

func (b *guest) findPartition(device string) (partition, bool) {
	var table []partition
	if encoded, ok := b.ReadFile(rootDisk); ok && json.Unmarshal(encoded, &table) != nil {
		return partition{}, false
	}
	for number := range imagePartitions {
		table = append(table, partition{Number: number + 1})
	}
	i := slices.IndexFunc(table, func(p partition) bool { return p.devicePath() == device })
	if i < 0 {
		return partition{}, false
	}
	return table[i], true
}

func value[T any](p *T) T {
	if p == nil {
		var none T
		return none
	}
	return *p
}
