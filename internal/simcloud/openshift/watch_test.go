package openshift

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/simcloud/openshift/apiclient"
)

// until polls check every five seconds until it is true, and fails the test after limit.
func (l *lab) until(limit time.Duration, what string, check func() bool) {
	l.t.Helper()
	began := l.clock.Now()
	for !check() {
		if l.clock.Now().Sub(began) > limit {
			l.t.Fatalf("%s: not within %s\n%s", what, limit, l.consoles())
		}
		_ = l.clock.Sleep(l.ctx, 5*time.Second)
	}
}

// consoles returns the machines' console output, without Ignition's many attempts.
func (l *lab) consoles() string {
	return l.lines(func(line string) bool { return strings.Contains(line, "ignition: GET") })
}

func (l *lab) everything() string { return l.lines(func(string) bool { return false }) }

func (l *lab) lines(without func(string) bool) string {
	var text strings.Builder
	for name, lines := range l.fleet.Consoles() {
		lines = slices.DeleteFunc(lines, without)
		fmt.Fprintf(&text, "== %s\n%s\n", name, strings.Join(lines, "\n"))
	}
	return text.String()
}

func (l *lab) etcdMessage() string {
	return l.get(apiclient.OperatorPath + "etcds/cluster").Condition("EtcdMembersAvailable").GetString("message")
}
