package bootstraphost_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/crypto/ssh"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud/sshd"
	"exoshift/provisioner/openshift/bootstraphost"
)

// runBalancer runs the SSH server of a load balancer that prints log, and returns what it is known by.
func (l *lab) runBalancer(address, log string) (hostKey string) {
	l.t.Helper()
	key, err := assets.NewHostKey()
	l.check(err)
	signer, err := ssh.ParsePrivateKey([]byte(key.Private))
	l.check(err)
	machine := &box{host: l.host(address), files: map[string][]byte{sshd.HostKeyFile: []byte(key.Private), "/keys": []byte(l.authorizedKey())}}
	server := sshd.Server{User: "ubuntu", AuthorizedKeys: "/keys", Execute: func(_ context.Context, line string, _ io.Reader, out, _ io.Writer) uint32 {
		if !strings.HasPrefix(line, "cloud-init status") {
			return 127
		}
		_, _ = io.WriteString(out, log)
		return 1
	}}
	go func() { l.check(server.Serve(l.t.Context(), machine)) }()
	synctest.Wait()
	return string(ssh.MarshalAuthorizedKey(signer.PublicKey()))
}

func TestHost_ReadsBootLog(t *testing.T) {
	const balancer = "198.18.0.20"
	inLab(t, func(l *lab) {
		hostKey := l.runBalancer(balancer, "status: error\n\nE: Unable to locate package haproxy\x1b[2J\npassword=hunter2\n")
		lines, err := l.ReadBootLog(l.t.Context(), balancer, hostKey)
		if got := fmt.Sprintf("%q", lines); err != nil || !strings.HasPrefix(got, `["status: error" "E: Unable to locate package haproxy`) || strings.Contains(got, "hunter2") || strings.Contains(got, `x1b`) {
			t.Errorf("%s, %v", got, err)
		}
	})
}

func TestHost_RefusesBootLogOfOthers(t *testing.T) {
	const balancer = "198.18.0.20"
	for name, c := range map[string]struct {
		spoil func(l *lab, hostKey *string)
		kind  fault.Kind
	}{
		"another machine": {func(l *lab, hostKey *string) { *hostKey = l.runBalancer("198.18.0.21", "") }, fault.Conflict},
		"no agent": {func(l *lab, _ *string) {
			l.Host = bootstraphost.New(l.laptop.Network(nil), l.file, l.authorizedKey(), nil)
		}, fault.Denied},
		"unreachable": {func(l *lab, _ *string) { l.closed.Store(true) }, fault.Transient},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(l *lab) {
				hostKey := l.runBalancer(balancer, "secret of others\n")
				c.spoil(l, &hostKey)
				if lines, err := l.ReadBootLog(l.t.Context(), balancer, hostKey); !fault.Is(err, c.kind) || len(lines) > 0 {
					t.Errorf("%q, %v", lines, err)
				}
			})
		})
	}
}
