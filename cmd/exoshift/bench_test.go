package main

import (
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// binary is built by `make bench`.
const binary = "../../bin/exoshift"

// Documented limits.
const (
	startupLimit = 30 * time.Millisecond
	sizeLimit    = 60e6
	memoryLimit  = 150e6
	demoLimit    = 120 * time.Second
	virtualLimit = 10 * time.Second
)

type usage struct {
	wall, cpu time.Duration
	memory    float64 // bytes, resident, maximum
}

func measure(b *testing.B, name string, args ...string) usage {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), name, args...)
	cmd.Stdout, cmd.Stderr = io.Discard, os.Stderr
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

// BenchmarkVirtualInstallation installs the default cluster twice in virtual time; the second run changes nothing.
func BenchmarkVirtualInstallation(b *testing.B) {
	for b.Loop() {
		u := measure(b, os.Args[0], "-test.run=^TestASecondInstallationOnAFinishedZoneChangesNothing$", "-test.count=1")
		b.ReportMetric(u.cpu.Seconds(), "cpu-s")
		if u.cpu > virtualLimit {
			b.Errorf("took %s of CPU, the limit is %s", u.cpu, virtualLimit)
		}
	}
}
