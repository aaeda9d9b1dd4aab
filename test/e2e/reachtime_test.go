package e2e

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	chronyd = "/usr/sbin/chronyd"
	chronyc = "/usr/bin/chronyc"
)

// runTime runs the real chrony, which never touches this machine's clock; the time that it serves may be another.
func (l *lab) runTime(name string, ahead time.Duration) {
	l.t.Helper()
	folder := filepath.Dir(l.write("chrony", ""))
	must(l.t, os.Chmod(folder, 0o700))
	socket := filepath.Join(folder, "chronyd.sock")
	host, _, err := net.SplitHostPort(l.at(name, "123"))
	must(l.t, err)
	config := l.write("chrony.conf", strings.Join([]string{"user root", "local stratum 3", "manual", "allow all", "bindaddress " + host, "cmdport 0",
		"bindcmdaddress " + socket, "pidfile " + filepath.Join(folder, "pid"), "driftfile " + filepath.Join(folder, "drift")}, "\n")+"\n")
	daemon(l.t, func() error { return l.chrony(socket, "tracking") }, chronyd, "-x", "-d", "-f", config)
	if ahead != 0 {
		must(l.t, l.chrony(socket, "settime", time.Now().Add(ahead).Format("2006-01-02 15:04:05")))
	}
}

func (l *lab) chrony(socket string, command ...string) error {
	output, err := exec.Command(chronyc, append([]string{"-h", socket}, command...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, output)
	}
	if !strings.Contains(string(output), "Reference ID") && !strings.Contains(string(output), "Clock was") {
		return errors.New(string(output))
	}
	return nil
}

func TestCheck_TimeServerOffset(t *testing.T) {
	l, ok := newLab(t, "time.example.net A 203.0.113.10", "ahead.example.net A 203.0.113.11", "closed.example.net A 203.0.113.12",
		"dropped.example.net A 203.0.113.13", "prohibited.example.net A 203.0.113.14", "near.example.net A 203.0.113.15")
	if !ok {
		return
	}
	l.firewall("meta l4proto udp ip daddr 203.0.113.13 drop", "meta l4proto udp ip daddr 203.0.113.14 reject with icmp admin-prohibited")
	l.runTime("time.example.net", 0)
	l.runTime("near.example.net", 90*time.Second)
	l.runTime("ahead.example.net", 5*time.Minute+30*time.Second)
	l.ask(map[string]asked{
		"right":        {url: "ntp://time.example.net", want: "ok - ++-+"},
		"off":          {url: "ntp://ahead.example.net", want: "fail tls-clock-skew ++-x", seen: "skew=-5m"},
		"off a little": {url: "ntp://near.example.net", want: "warn tls-clock-skew ++-+", seen: "skew=-1m"},
		"closed":       {url: "ntp://closed.example.net", want: "fail tcp-refused +x--"},
		"dropped":      {url: "ntp://dropped.example.net", want: "fail udp-timeout +x--"},
		"prohibited":   {url: "ntp://prohibited.example.net", want: "fail prohibited +x--"},
	})
}
