package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exoshift/internal/network"
)

const standingAnswers = `
apiVersion: exoshift/v1alpha1
kind: Cluster
cluster: {id: c-standing, baseDomain: example.net}
exoscale: {zone: ch-gva-2}
openshift:
  version: 4.20.5
  pullSecret: {env: EXOSHIFT_PULL_SECRET}
  sshKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGUfTVdlCqxn8T2V0vCsrz1Iia0d3xHTKYYPKFTPKl+V demo
`

// startZone starts a zone in a process of its own and sets its environment. It ends with the benchmark; end ends it earlier
// and returns its CPU time.
func startZone(b *testing.B, dir string, args ...string) (end func() time.Duration) {
	b.Helper()
	env := filepath.Join(dir, "zone.env")
	zone := exec.CommandContext(b.Context(), binary, append([]string{"simulate", "--dir", filepath.Join(dir, "zone"), "--env", env}, args...)...)
	zone.Stderr = os.Stderr
	if err := zone.Start(); err != nil {
		b.Fatal(err)
	}
	for range 600 {
		if _, err := os.Stat(env); err == nil {
			break
		}
		_ = (network.Clock{}).Sleep(b.Context(), 100*time.Millisecond) // the file is missing then
	}
	exports, err := os.ReadFile(env)
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(exports)) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		b.Setenv(name, strings.Trim(value, "'"))
	}
	return func() time.Duration {
		_ = zone.Process.Signal(os.Interrupt)
		if err := zone.Wait(); err != nil {
			b.Error(err)
		}
		return zone.ProcessState.UserTime() + zone.ProcessState.SystemTime()
	}
}

// BenchmarkStandingZone installs a cluster on a zone that stands by itself, at 600 times real speed.
func BenchmarkStandingZone(b *testing.B) {
	for b.Loop() {
		dir := b.TempDir()
		b.Setenv("XDG_CACHE_HOME", dir)
		answers := filepath.Join(dir, "answers.yaml")
		if err := os.WriteFile(answers, []byte(standingAnswers), 0o600); err != nil {
			b.Fatal(err)
		}
		end := startZone(b, dir, "--speed", "600")
		u := measure(b, binary, "install", "--yes", "--answers", answers, "--dir", filepath.Join(dir, "cluster"), "--output", "plain")
		zone := end()
		b.ReportMetric(u.wall.Seconds(), "wall-s")
		b.ReportMetric(u.cpu.Seconds(), "cpu-s")
		b.ReportMetric(zone.Seconds(), "zone-cpu-s")
		if u.wall > standingLimit || zone > standingZoneLimit {
			b.Errorf("took %s and %s of the zone's CPU, the limits are %s and %s", u.wall, zone, standingLimit, standingZoneLimit)
		}
	}
}

// BenchmarkNodesScale lists the nodes of a cluster with 1,000 workers, by a process of its own.
func BenchmarkNodesScale(b *testing.B) {
	for b.Loop() {
		dir := b.TempDir()
		b.Setenv("XDG_CACHE_HOME", dir)
		answers, cluster := filepath.Join(dir, "answers.yaml"), filepath.Join(dir, "cluster")
		many := standingAnswers + "sizing: {workers: {count: 1000}}\nnetwork: {podCIDR: 10.128.0.0/12}\n"
		if err := os.WriteFile(answers, []byte(many), 0o600); err != nil {
			b.Fatal(err)
		}
		end := startZone(b, dir, "--speed", "60", "--quota", "instance=1100")
		measure(b, binary, "install", "--yes", "--answers", answers, "--dir", cluster, "--output", "plain")
		var out bytes.Buffer
		u := measureTo(b, &out, binary, "nodes", "list", "--dir", cluster)
		end()
		if ready := strings.Count(out.String(), " Ready "); ready != 1012 {
			b.Errorf("%d nodes are ready:\n%s", ready, &out)
		}
		b.ReportMetric(u.wall.Seconds(), "wall-s")
		b.ReportMetric(u.memory/1e6, "MB-resident")
		if u.wall > nodesLimit || u.memory > memoryLimit {
			b.Errorf("took %s and %g bytes, the limits are %s and %g", u.wall, u.memory, nodesLimit, memoryLimit)
		}
	}
}
