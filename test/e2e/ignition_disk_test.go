package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coreos/ignition/v2/config/v3_2/types"

	"exoshift/internal/simcloud/fabric"
	"exoshift/state"
)

const (
	gib       = 1 << 30
	mib       = 1 << 20
	sector    = 512
	imageSize = 16 * gib // less than every disk
)

// Ignition's disks stage has sgdisk do its work, and nothing but a block device is good enough for it. So sgdisk gets
// here, on a file, the options that Ignition 2.24.0 would call it with.
func TestIgnition_DataPartition(t *testing.T) {
	if _, err := exec.LookPath("sgdisk"); err != nil {
		t.Skipf("sgdisk is missing: install gdisk, or run make e2e: %v", err)
	}
	ca, err := fabric.NewCA("root-ca")
	must(t, err)
	for cluster, spec := range clusters() {
		for _, node := range spec.Nodes() {
			if node.DataDisk == 0 || node.Index > 0 {
				continue
			}
			t.Run(cluster+", "+node.Name, func(t *testing.T) {
				t.Parallel()
				var sent types.Config
				must(t, json.Unmarshal(nodeDocument(t, node, ca), &sent))
				imageOnDisk(t, node).divide(node, sent)
			})
		}
	}
}

// disk is a file with a partition table.
type disk struct {
	t    *testing.T
	file string
}

// imageOnDisk returns a node's disk with the partitions of an RHCOS image, as it is when Ignition comes to it.
func imageOnDisk(t *testing.T, node state.Machine) disk {
	t.Helper()
	d := disk{t, filepath.Join(t.TempDir(), "vda")}
	must(t, os.WriteFile(d.file, nil, 0o600))
	must(t, os.Truncate(d.file, imageSize))
	d.sgdisk("--new=1:0:+1M", "--new=2:0:+127M", "--new=3:0:+384M", "--largest-new=4", "--change-name=4:root")
	must(t, os.Truncate(d.file, int64(node.RootDisk+node.DataDisk)*gib))
	d.sgdisk("--move-second-header")
	return d
}

// divide does what the document says, and fails the test unless a node can live with it.
func (d disk) divide(node state.Machine, document types.Config) {
	d.t.Helper()
	start, _ := d.partition(4)
	d.sgdisk(partitioning(document.Storage.Disks[0])...)
	if again, size := d.partition(4); again != start || size != node.RootDisk*gib {
		d.t.Errorf("the root partition begins at %d, not at %d as before, and has %d bytes, not %d GiB", again, start, size, node.RootDisk)
	}
	needed := max(zeros(d.t, document.Systemd.Units), (node.DataDisk-1)*gib)
	if _, size := d.partition(5); size < needed || size > node.DataDisk*gib {
		d.t.Errorf("the data partition has %d bytes, %d are needed", size, needed)
	}
}

// partitioning returns what the disks stage has sgdisk do, where the partition that is made anew is there.
func partitioning(wanted types.Disk) (options []string) {
	for _, p := range wanted.Partitions {
		size := 0
		if p.SizeMiB != nil {
			size = *p.SizeMiB * (mib / sector)
		}
		options = append(options, fmt.Sprintf("--new=%d:0:+%d", p.Number, size), fmt.Sprintf("--change-name=%d:%s", p.Number, *p.Label))
		if p.WipePartitionEntry != nil && *p.WipePartitionEntry {
			options = append([]string{fmt.Sprintf("--delete=%d", p.Number)}, options...)
		}
	}
	return options
}

// zeros returns how many bytes a unit writes to the data partition.
func zeros(t *testing.T, units []types.Unit) int {
	t.Helper()
	if len(units) == 0 || !strings.Contains(*units[0].Contents, "/dev/zero") {
		return 0
	}
	var count int
	_, arguments, _ := strings.Cut(*units[0].Contents, " of=/dev/vda5 bs=1M count=")
	if !scan(arguments, &count) {
		t.Fatalf("nobody knows how much is written:\n%s", *units[0].Contents)
	}
	return count * mib
}

// partition returns where a partition begins and how long it is, in bytes.
func (d disk) partition(number int) (start, size int) {
	d.t.Helper()
	for line := range strings.Lines(d.sgdisk(fmt.Sprintf("--info=%d", number))) {
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "First sector":
			scan(value, &start)
		case "Partition size":
			scan(value, &size)
		}
	}
	if start == 0 || size == 0 {
		d.t.Fatalf("there is no partition %d", number)
	}
	return start * sector, size * sector
}

func (d disk) sgdisk(options ...string) string {
	d.t.Helper()
	output, err := exec.Command("sgdisk", append(options, d.file)...).CombinedOutput()
	if err != nil {
		d.t.Fatalf("sgdisk %v: %v\n%s", options, err, output)
	}
	return string(output)
}
