package e2e

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"exoshift/assets"
)

const (
	haproxy = "/usr/sbin/haproxy"
	socket  = "/run/haproxy/admin.sock"
)

// balancer is a machine with the real HAProxy and the configuration that it would get, unchanged. It has a network of
// its own, at the other end of the world's cable.
type balancer struct {
	*world
	process *exec.Cmd
	file    string
	config  []byte
}

func (w *world) balancer(lb assets.LoadBalancer) *balancer {
	w.t.Helper()
	if _, err := exec.LookPath(haproxy); err != nil {
		w.t.Skipf("HAProxy is missing: install it, or run make e2e: %v", err)
	}
	lb.Domain = domain
	config, err := assets.RenderHAProxyConfig(lb)
	must(w.t, err)
	b := &balancer{world: w, config: config, file: filepath.Join(w.t.TempDir(), "haproxy.cfg")}
	must(w.t, os.WriteFile(b.file, config, 0o644))
	var messages bytes.Buffer
	b.process = exec.Command(haproxy, "-db", "-f", b.file)
	b.process.Stdout, b.process.Stderr = &messages, &messages
	b.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	done := make(chan struct{})
	must(w.t, onThread(done, b.start))
	w.t.Cleanup(func() {
		_ = b.process.Process.Kill()
		_ = b.process.Wait()
		close(done)
		w.t.Logf("HAProxy said:\n%s", messages.String())
	})
	return b
}

// start runs on a thread with an empty network.
func (b *balancer) start() error {
	network, err := os.Open(fmt.Sprintf("/proc/self/task/%d/ns/net", unix.Gettid()))
	if err != nil {
		return err
	}
	defer func() { _ = network.Close() }()
	if err := b.plug(network); err != nil {
		return err
	}
	eth0, err := netlink.LinkByName("eth0")
	if err != nil {
		return err
	}
	if err := join(eth0, "10.0.0.2/24"); err != nil {
		return err
	}
	return b.process.Start()
}

// plug moves the free end of the cable into a network; the end can be seen from the world only.
func (b *balancer) plug(network *os.File) error {
	moved := make(chan error)
	go func() {
		end, err := netlink.LinkByName("eth0")
		if err == nil {
			err = netlink.LinkSetNsFd(end, int(network.Fd()))
		}
		moved <- err
	}()
	return <-moved
}

// Ports of the load balancer.
const (
	api           = 6443
	machineConfig = 22623
	ingressHTTP   = 80
	ingressHTTPS  = 443
	health        = 8404
)

// ask asks a port as the client of that number and returns who answers, and as whom the client is seen there.
func (b *balancer) ask(client int, port uint16) (answers, seen string, err error) {
	scheme := "https"
	if port == ingressHTTP {
		scheme = "http"
	}
	from := netip.AddrFrom4([4]byte{10, 0, 0, byte(100 + client)})
	b.own(from)
	_, body, err := b.get(from, netip.AddrPortFrom(netip.MustParseAddr("10.0.0.2"), port), scheme, "/")
	answers, seen, _ = strings.Cut(body, " ")
	return answers, seen, err
}

// serves checks that exactly these machines answer on a port to a dozen clients.
func (b *balancer) serves(port uint16, want ...string) check {
	return func() error {
		var got []string
		for client := range 12 {
			answers, _, err := b.ask(client, port)
			if err != nil {
				return fmt.Errorf("port %d: %w; %s", port, err, b.states())
			}
			if !slices.Contains(got, answers) {
				got = append(got, answers)
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("port %d is served by %v, want %v; %s", port, got, want, b.states())
		}
		return nil
	}
}

// answers checks that every client gets an answer of some router.
func (b *balancer) answers() check {
	return func() error {
		for client := range 6 {
			for _, port := range []uint16{ingressHTTP, ingressHTTPS} {
				if _, _, err := b.ask(client, port); err != nil {
					return fmt.Errorf("client %d, port %d: %w; %s", client, port, err, b.states())
				}
			}
		}
		return nil
	}
}

// healthy returns an error unless the elastic IPs' health check would succeed.
func (b *balancer) healthy() error {
	to := netip.AddrPortFrom(netip.MustParseAddr("10.0.0.2"), health)
	status, _, err := b.get(netip.MustParseAddr("10.0.0.1"), to, "http", "/healthz")
	if err == nil && status != 200 {
		err = fmt.Errorf("health: status %d", status)
	}
	return err
}

// has checks that the servers of a section are in that state: UP, DOWN, or MAINT for want of an address.
func (b *balancer) has(section, state string, servers ...string) check {
	return func() error {
		states := b.states()
		for _, server := range servers {
			if got := states[section+"/"+server]; got != state {
				return fmt.Errorf("%s/%s is %q, want %q", section, server, got, state)
			}
		}
		return nil
	}
}

// states returns the state of each server, by its section's name and its own.
func (b *balancer) states() map[string]string {
	table, err := csv.NewReader(strings.NewReader(b.command("show stat"))).ReadAll()
	if err != nil || len(table) == 0 {
		return nil
	}
	status := slices.Index(table[0], "status")
	states := map[string]string{}
	for _, row := range table[1:] {
		states[row[0]+"/"+row[1]], _, _ = strings.Cut(row[status], " ") // "UP 1/3" is on its way down
	}
	return states
}

// command runs a command over the socket that the configuration opens.
func (b *balancer) command(line string) string {
	c, err := net.Dial("unix", socket)
	if err != nil {
		return ""
	}
	defer func() { _ = c.Close() }()
	_, _ = io.WriteString(c, line+"\n")
	answer, _ := io.ReadAll(c)
	return string(answer)
}

// untouched fails the test unless it is still the same process with the same file.
func (b *balancer) untouched() {
	b.t.Helper()
	config, err := os.ReadFile(b.file)
	must(b.t, err)
	if !bytes.Equal(config, b.config) {
		b.t.Error("the configuration changed")
	}
	if info := b.command("show info"); !strings.Contains(info, fmt.Sprintf("\nPid: %d\n", b.process.Process.Pid)) {
		b.t.Errorf("HAProxy is not process %d any more:\n%s", b.process.Process.Pid, info)
	}
}
