package bootstraphost

import (
	"bytes"
	"context"
	"net/netip"
	"time"

	"golang.org/x/crypto/ssh"

	"exoshift/internal/fault"
)

const (
	// readBootLog prints why a load balancer may not work. Its user is among those who may read logs.
	readBootLog = "cloud-init status --long; tail -n 30 /var/log/cloud-init-output.log; journalctl --no-pager -u haproxy -n 10"
	// balancerUser is the default user of the load balancers' image, with the operator's key.
	balancerUser = "ubuntu"
	// bootLogTimeout leaves time for an agent that asks its owner.
	bootLogTimeout = 20 * time.Second
)

// ReadBootLog returns the last lines of what the first boot of a load balancer printed, without secrets. hostKey is what the machine is
// known by, a line of known_hosts without the host. Errors are those of Collect; without an SSH agent it is fault.Denied.
func (h *Host) ReadBootLog(ctx context.Context, balancer, hostKey string) ([]string, error) {
	op := "read the boot log of load balancer " + balancer
	address, err := netip.ParseAddr(balancer)
	if err != nil {
		return nil, fault.New(fault.Internal, op, err)
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(hostKey))
	if err != nil {
		return nil, fault.New(fault.Internal, op, err)
	}
	if h.session.agent == nil {
		return nil, fault.Newf(fault.Denied, op, "there is no SSH agent")
	}
	ctx, cancel := context.WithTimeout(ctx, bootLogTimeout)
	defer cancel()
	session := newSSHSession(h.net, h.session.key, h.session.agent)
	session.user = balancerUser
	if err := session.connect(ctx, address, &identity{hostKey: key}); err != nil {
		return nil, session.toFault(op, err)
	}
	defer session.close()
	printed, err := session.run(ctx, readBootLog)
	if err != nil && len(printed) == 0 {
		return nil, fault.New(fault.Transient, op, err)
	}
	var lines []string
	for line := range bytes.Lines(printed) {
		if text := sanitizeLine(string(bytes.TrimSpace(line))); text != "" {
			lines = append(lines, text)
		}
	}
	return lines, nil
}
