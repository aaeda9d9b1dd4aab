package vm

import (
	"context"
	"fmt"
	"hash/fnv"
	"net"
	"net/netip"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/haproxy"
)

// osRelease says on a machine's disk which system it runs.
const osRelease = "/etc/os-release"

const (
	bootTime   = 35 * time.Second // of the zone's clock, to the first program that runs
	bootJitter = 10 * time.Second
)

// box is a machine that is switched on; it implements machine.Machine.
type box struct {
	instance Instance
	fleet    *Fleet
	host     *fabric.Host
	disk     disk
	console  *console
}

// run is the machine's whole life, from the power button until ctx ends.
func (b *box) run(ctx context.Context) error {
	if b.fleet.config.Broken(b.instance) {
		b.Console("No bootable device.")
		return nil
	}
	if err := b.boot(ctx); err != nil {
		return err
	}
	host, err := b.fleet.config.Fabric.Host(b.instance.Address)
	if err != nil {
		return err
	}
	defer host.Close()
	b.host = host
	err = b.work(ctx)
	if err != nil && ctx.Err() == nil {
		b.Console("%v", err)
	}
	<-ctx.Done() // a machine that has nothing to do is still on the network
	return nil
}

// boot takes its time, unless the machine was up already when the zone's process ended.
func (b *box) boot(ctx context.Context) error {
	if b.disk.up() {
		return nil
	}
	b.Console("BIOS: booting from /dev/vda")
	if err := b.clock().Sleep(ctx, bootTime+Jitter(b.instance.Name, bootJitter)); err != nil {
		return err
	}
	return b.disk.setUp()
}

// work does what the image was made for.
func (b *box) work(ctx context.Context) error {
	switch b.instance.Platform {
	case "":
		return b.linux(ctx)
	case "exoscale":
		if err := b.WriteFile(osRelease, []byte("OSTREE_VERSION='"+b.instance.OSBuild+"'\n")); err != nil {
			return err
		}
		if err := b.ignite(ctx); err != nil {
			return err
		}
		if err := b.finishFirstBoot(ctx); err != nil {
			return err
		}
		if b.fleet.config.Ignited != nil {
			b.fleet.config.Ignited(ctx, b)
		}
		return nil
	}
	return fmt.Errorf("ignition: platform %s: no user-data found, and none is looked for at Exoscale's metadata service", b.instance.Platform)
}

// linux runs cloud-init on the first boot, then what it installed.
func (b *box) linux(ctx context.Context) error {
	installed, err := b.cloudInit(ctx)
	if err != nil || !installed {
		return err
	}
	haproxy.Run(ctx, b)
	return nil
}

func (b *box) clock() network.Clock { return b.fleet.config.Clock }

func (b *box) ID() string          { return b.instance.ID }
func (b *box) Name() string        { return b.instance.Name }
func (b *box) Address() netip.Addr { return b.instance.Address }

func (b *box) Network() network.Network { return b.host.Network(b.fleet.config.Roots) }

func (b *box) Listen(port int) (net.Listener, error) { return b.host.Listen(port) }

func (b *box) ReadFile(path string) ([]byte, bool) { return b.disk.read(path) }

func (b *box) WriteFile(path string, content []byte) error { return b.disk.write(path, content) }

func (b *box) Console(format string, args ...any) { b.console.write(format, args...) }

// Jitter returns a part of most that depends on the name alone, so that machines differ but runs do not.
func Jitter(name string, most time.Duration) time.Duration {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	return most * time.Duration(h.Sum32()%1000) / 1000
}
