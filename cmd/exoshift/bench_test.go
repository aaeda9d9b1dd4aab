package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
)

// binary is built by `make bench`.
const binary = "../../bin/exoshift"

// Documented limits.
const (
	startupLimit = 30 * time.Millisecond
	sizeLimit    = 45e6 // docs/explanation/binary.md has the parts
	memoryLimit  = 150e6
	demoLimit    = 120 * time.Second
	virtualLimit = 4 * time.Second
	// Of an installation on a standing zone at speed 600: its wall time, and the zone's CPU time.
	standingLimit     = 30 * time.Second
	standingZoneLimit = 20 * time.Second
	nodesLimit        = 3 * time.Second // of a list of 1,000 nodes
)

type usage struct {
	wall, cpu time.Duration
	memory    float64 // bytes, resident, maximum
}

func measure(b *testing.B, name string, args ...string) usage {
	b.Helper()
	return measureTo(b, io.Discard, name, args...)
}

// measureTest runs one test of this binary in a process of its own. A test that was skipped or that is not there fails.
func measureTest(b *testing.B, name string) usage {
	b.Helper()
	var out bytes.Buffer
	u := measureTo(b, &out, os.Args[0], "-test.run=^"+name+"$", "-test.count=1", "-test.v")
	if !strings.Contains(out.String(), "--- PASS: "+name+" ") {
		b.Fatalf("%s did not run:\n%s", name, &out)
	}
	return u
}

func measureTo(b *testing.B, out io.Writer, name string, args ...string) usage {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), name, args...)
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	began := time.Now()
	if err := cmd.Run(); err != nil {
		b.Fatal(err)
	}
	u := usage{wall: time.Since(began), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if rusage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.memory = float64(rusage.Maxrss) * 1024
	}
	return u
}

func BenchmarkVersion(b *testing.B) {
	for b.Loop() {
		measure(b, binary, "version")
	}
	if each := b.Elapsed() / time.Duration(b.N); each > startupLimit {
		b.Errorf("version takes %s, the limit is %s", each, startupLimit)
	}
}

func BenchmarkBinarySize(b *testing.B) {
	info, err := os.Stat(binary)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		b.ReportMetric(float64(info.Size())/1e6, "MB")
	}
	if float64(info.Size()) > sizeLimit {
		b.Errorf("the binary has %d bytes, the limit is %g", info.Size(), sizeLimit)
	}
}

// BenchmarkDemo is `make demo` without a terminal.
func BenchmarkDemo(b *testing.B) {
	for b.Loop() {
		u := measure(b, binary, "rehearse", "--speed", "60", "--output", "plain")
		b.ReportMetric(u.cpu.Seconds(), "cpu-s")
		b.ReportMetric(u.memory/1e6, "MB-resident")
		if u.wall > demoLimit || u.memory > memoryLimit {
			b.Errorf("took %s and %g bytes, the limits are %s and %g", u.wall, u.memory, demoLimit, memoryLimit)
		}
	}
}

// virtualInstallation lets TestInstall_VirtualBenchmark run, in a process of its own.
const virtualInstallation = "EXOSHIFT_VIRTUAL_INSTALLATION"

func TestInstall_VirtualBenchmark(t *testing.T) {
	if os.Getenv(virtualInstallation) == "" {
		t.Skip("BenchmarkVirtualInstallation runs it")
	}
	virtually(t, "happy", func(t *testing.T, s run.Run, _ *simcloud.Zone) { installed(t, s) })
}

// BenchmarkVirtualInstallation installs the default cluster in virtual time.
func BenchmarkVirtualInstallation(b *testing.B) {
	b.Setenv(virtualInstallation, "1")
	for b.Loop() {
		u := measureTest(b, "TestInstall_VirtualBenchmark")
		b.ReportMetric(u.cpu.Seconds(), "cpu-s")
		if u.cpu > virtualLimit {
			b.Errorf("took %s of CPU, the limit is %s", u.cpu, virtualLimit)
		}
	}
}
