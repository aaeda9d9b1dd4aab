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

const osRelease = "/etc/os-release"

const (
	bootTime   = 35 * time.Second // of the zone's clock, until the first program runs
	bootJitter = 10 * time.Second
)

// guest is a running machine; it implements machine.Machine.
type guest struct {
	instance   Instance
	hypervisor *Hypervisor
	host       *fabric.Host
	disk       disk
	console    *console
}

func (b *guest) run(ctx context.Context) error {
	if b.hypervisor.config.HasBootFault(b.instance) {
		b.Console("No bootable device.")
		return nil
	}
	if err := b.boot(ctx); err != nil {
		return err
	}
	host, err := b.hypervisor.config.Fabric.AddHost(b.instance.Address)
	if err != nil {
		return err
	}
	defer host.Close()
	b.host = host
	err = b.runSoftware(ctx)
	if err != nil && ctx.Err() == nil {
		b.Console("%v", err)
	}
	<-ctx.Done() // a machine without software is still on the network
	return nil
}

// boot waits, unless the machine was already running when the zone's process ended.
func (b *guest) boot(ctx context.Context) error {
	if b.disk.isBooted() {
		return nil
	}
	b.Console("BIOS: booting from /dev/vda")
	if err := b.clock().Sleep(ctx, bootTime+computeJitter(b.instance.Name, bootJitter)); err != nil {
		return err
	}
	return b.disk.setUp()
}

func (b *guest) runSoftware(ctx context.Context) error {
	switch b.instance.Platform {
	case "":
		return b.runLinux(ctx)
	case "exoscale":
		if err := b.WriteFile(osRelease, []byte("OSTREE_VERSION='"+b.instance.OSBuild+"'\n")); err != nil {
			return err
		}
		if err := b.runIgnition(ctx); err != nil {
			return err
		}
		if err := b.runAfterburn(); err != nil {
			return err
		}
		if err := (&systemd{b}).finishFirstBoot(ctx); err != nil {
			return err
		}
		if b.hypervisor.config.RunSoftware != nil {
			b.hypervisor.config.RunSoftware(ctx, b)
		}
		return nil
	}
	return fmt.Errorf("ignition: platform %s: no user-data found, and none is looked for at Exoscale's metadata service", b.instance.Platform)
}

func (b *guest) runLinux(ctx context.Context) error {
	balancer := &daemon{run: func() { haproxy.Run(ctx, b) }}
	defer balancer.wait()
	setup := &cloudInit{b, balancer, &daemon{}}
	setup.login.run = func() {
		if err := setup.newSSHServer().Serve(ctx, b); err != nil {
			b.Console("sshd: %v", err)
		}
	}
	defer setup.login.wait()
	installed, err := setup.run(ctx)
	if err == nil && installed {
		balancer.start()
	}
	return err
}

func (b *guest) clock() network.Clock { return b.hypervisor.config.Clock }

func (b *guest) ID() string          { return b.instance.ID }
func (b *guest) Name() string        { return b.instance.Name }
func (b *guest) Address() netip.Addr { return b.instance.Address }

func (b *guest) DefaultAddress() netip.Addr {
	if b.instance.DefaultAddress.IsValid() {
		return b.instance.DefaultAddress
	}
	return b.instance.Address
}

func (b *guest) Network() network.Network { return b.host.Network(b.hypervisor.config.Roots) }

func (b *guest) Listen(port int) (net.Listener, error) { return b.host.Listen(port) }

// runAfterburn gives the machine the host name of its instance, unless its configuration has one, be it an empty one.
func (b *guest) runAfterburn() error {
	const hostname = "/etc/hostname"
	if _, named := b.ReadFile(hostname); named {
		return nil
	}
	return b.WriteFile(hostname, []byte(b.instance.Name+"\n"))
}

func (b *guest) ReadFile(path string) ([]byte, bool) { return b.disk.read(path) }

func (b *guest) WriteFile(path string, content []byte) error { return b.disk.write(path, content) }

func (b *guest) Console(format string, args ...any) { b.console.write(format, args...) }

// computeJitter returns a part of most that depends on the name only, so that machines differ but runs do not.
func computeJitter(name string, most time.Duration) time.Duration {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	return most * time.Duration(h.Sum32()%1000) / 1000
}
