package haproxy

import (
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/simcloud/fabric"
)

// accepted counts the connections to a listener.
type accepted struct {
	net.Listener
	count atomic.Int64
}

func (l *accepted) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.count.Add(1)
	}
	return c, err
}

// serveEtcd serves etcd-0's health checks, and returns the listener.
func (b *testbed) serveEtcd(host *fabric.Host) *accepted {
	b.t.Helper()
	l, err := host.Listen(6443)
	if err != nil {
		b.t.Fatal(err)
	}
	counted := &accepted{Listener: l}
	b.serve(counted, "etcd-0", true, healthy)
	return counted
}

func (b *testbed) wantMember(up bool) {
	b.t.Helper()
	b.lb.mu.Lock()
	defer b.lb.mu.Unlock()
	var last string // a server whose name has just appeared is up without a word
	for _, line := range b.lb.lines {
		if strings.Contains(line, "Server api/etcd-0 is ") {
			last = line
		}
	}
	if down := strings.Contains(last, "is DOWN"); down == up {
		b.t.Errorf("the last word about etcd-0 is %q, want up: %v", last, up)
	}
}

func TestCheckConnection_SharedForFiveMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestbed(t)
		l := b.serveEtcd(b.host("198.18.0.4"))
		b.point("etcd-0.test", "198.18.0.4")
		defer b.start(config)()
		time.Sleep(4 * time.Minute)
		if got := l.count.Load(); got != 1 {
			t.Errorf("%d connections for the checks of 4 minutes, want 1", got)
		}
		time.Sleep(2 * time.Minute)
		if got := l.count.Load(); got != 2 {
			t.Errorf("%d connections for the checks of 6 minutes, want 2", got)
		}
		b.wantMember(true)
	})
}

func TestCheckConnection_EndsWithRoute(t *testing.T) {
	for name, test := range map[string]struct {
		interrupt func(*testbed, *fabric.Host, net.Listener)
		restore   func(*testbed, *fabric.Host)
	}{
		"a rule of the security group is removed": {
			interrupt: func(b *testbed, _ *fabric.Host, _ net.Listener) { b.dropped.Store(true) },
			restore:   func(b *testbed, _ *fabric.Host) { b.dropped.Store(false) },
		},
		// The program's listener closes, as it does when a program ends, while its connections are still answered.
		"the listener closes": {
			interrupt: func(_ *testbed, _ *fabric.Host, l net.Listener) { _ = l.Close() },
			restore:   func(b *testbed, host *fabric.Host) { b.serveEtcd(host) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newTestbed(t)
				host := b.host("198.18.0.4")
				l := b.serveEtcd(host)
				b.point("etcd-0.test", "198.18.0.4")
				defer b.start(config)()
				time.Sleep(time.Minute)
				b.wantMember(true)
				test.interrupt(b, host, l)
				time.Sleep(time.Minute)
				b.wantMember(false)
				test.restore(b, host)
				time.Sleep(time.Minute)
				b.wantMember(true)
			})
		})
	}
}
