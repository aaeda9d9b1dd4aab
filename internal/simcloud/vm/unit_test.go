package vm

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coreos/ignition/v2/config/v3_2/types"

	"exoshift/ignition"
	"exoshift/state"
)

// prepared returns a storage node of 280 GiB with its real user data, changed.
func prepared(t *testing.T, change func(*types.Config)) Instance {
	t.Helper()
	node := state.Default().Machines(state.RoleStorage)[0]
	node.Name = "master-0" // the tests read its console
	pointer, err := ignition.RenderNodePointer(node, "c-demo-1.example.net", []byte("whom to trust"))
	if err != nil {
		t.Fatal(err)
	}
	var config types.Config
	if err := json.Unmarshal(pointer, &config); err != nil {
		t.Fatal(err)
	}
	// The referred configuration is covered by another test.
	config.Ignition.Config.Merge, config.Ignition.Security = nil, types.Security{}
	change(&config)
	userData, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	i := master(userData)
	i.DiskGiB = 280
	return i
}

func TestUnit_StorageNodeWipesPartition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z := newZone(t)
		i := prepared(t, func(*types.Config) {})
		z.set(i)
		time.Sleep(3 * time.Minute) // 180,000 MB at 1,000 MB/s
		z.wantRan()
		z.fleet.Close()
		z.open() // the zeros are written again
		z.set(i)
		time.Sleep(2 * time.Minute)
		z.wantRan()
		time.Sleep(2 * time.Minute)
		z.wantRan("master-0\n")
		z.fleet.Close()
		z.open()
		z.set(i)
		synctest.Wait()
		z.wantRan("master-0\n", "master-0\n") // never again after the first boot
		z.close()
	})
}

func TestUnit_InvalidDataPartition(t *testing.T) {
	contents := func(before, after string) func(*types.Config) {
		return func(c *types.Config) {
			changed := strings.ReplaceAll(*c.Systemd.Units[0].Contents, before, after)
			c.Systemd.Units[0].Contents = &changed
		}
	}
	for name, test := range map[string]struct {
		change func(*types.Config)
		says   string
		runs   bool // whether it becomes a node nevertheless
	}{
		"no partition":        {func(c *types.Config) { c.Storage.Disks = nil }, "/dev/vda5: No such file or directory", false},
		"another disk":        {func(c *types.Config) { c.Storage.Disks[0].Device = "/dev/sda" }, "timed out waiting for the device", false},
		"root not wiped":      {func(c *types.Config) { c.Storage.Disks[0].Partitions[0].WipePartitionEntry = nil }, "may not be wiped", false},
		"root too large":      {func(c *types.Config) { *c.Storage.Disks[0].Partitions[0].SizeMiB = 281 * 1024 }, "does not fit", false},
		"no room for data":    {func(c *types.Config) { *c.Storage.Disks[0].Partitions[0].SizeMiB = 280 * 1024 }, "does not fit", false},
		"another partition":   {contents("/dev/vda5", "/dev/vda6"), "/dev/vda6: No such file or directory", false},
		"more than there is":  {contents("count=180000", "count=190000"), "No space left on device", false},
		"nothing waits":       {contents("oneshot", "simple"), "delays no other unit", false},
		"without [Install]":   {contents("[Install]\nWantedBy=multi-user.target\nRequiredBy=crio.service kubelet.service\n", ""), "no [Install] section", true},
		"condition of others": {contents("/run/ostree-booted", "/run/other"), "unmet condition check ConditionPathExists=/run/other", true},
		"not enabled":         {func(c *types.Config) { c.Systemd.Units[0].Enabled = nil }, "created partition 5 (data)", true},
		"nobody needs it": {func(c *types.Config) {
			contents("RequiredBy=crio.service kubelet.service\n", "")(c)
			contents("/dev/vda5", "/dev/vda6")(c)
		}, "Failed with result 'exit-code'", true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				z := newZone(t)
				defer z.close()
				z.set(prepared(t, test.change))
				time.Sleep(3 * time.Minute) // too short for zeros
				if test.runs {
					z.wantRan("master-0\n")
				} else {
					z.wantRan()
				}
				z.wantSaid(test.says)
			})
		})
	}
}
