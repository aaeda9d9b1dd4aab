package openshift

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/vm"
)

// balance forwards the cluster's ports to the first reachable machine; the bootstrap host is the last choice.
func (l *lab) balance() {
	host := l.host(balancer)
	for port, role := range map[int]string{cluster.APIPort: "master", cluster.MachineConfigPort: "master", 443: "infra"} {
		listener, err := host.Listen(port)
		if err != nil {
			l.t.Fatal(err)
		}
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				go l.forward(host, conn, role, port)
			}
		}()
	}
}

func (l *lab) forward(host *fabric.Host, conn net.Conn, role string, port int) {
	defer func() { _ = conn.Close() }()
	candidates := slices.DeleteFunc(l.list(), func(i vm.Instance) bool { return !strings.HasPrefix(i.Name, role) && i.Name != "bootstrap" })
	slices.SortFunc(candidates, func(a, b vm.Instance) int { return strings.Compare(b.Name, a.Name) })
	for _, candidate := range candidates {
		ctx, cancel := context.WithTimeout(l.ctx, 2*time.Second)
		backend, err := host.Dial(ctx, "tcp", fmt.Sprintf("%s:%d", candidate.Address, port))
		cancel()
		if err != nil {
			continue
		}
		defer func() { _ = backend.Close() }()
		go func() {
			_, _ = io.Copy(backend, conn)
			_ = backend.Close()
		}()
		_, _ = io.Copy(conn, backend)
		return
	}
}
