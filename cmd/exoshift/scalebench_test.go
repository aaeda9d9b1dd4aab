package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Documented limits for clusters of any size.
const (
	scaleMemoryLimit = 400e6
	scaleCPULimit    = 4 * time.Minute // of the whole process, the simulated zone included
	// readsLimit is the maximum number of API reads in any minute, regardless of the number of machines: they are listed, and
	// other objects are read with limited concurrency.
	readsLimit = 600
	// growthTolerance is how far the CPU time of the largest cluster may lie above the line through the two smaller ones. A
	// short run on a busy machine is a bad measurement of the line; quadratic growth would be ten times above it.
	growthTolerance = 2
)

// BenchmarkScale installs clusters of 10, 100 and 1,000 workers in virtual time, each in a process of its own.
func BenchmarkScale(b *testing.B) {
	for b.Loop() {
		var took []account
		for _, workers := range []int{10, 100, 1000} {
			took = append(took, accountOf(b, workers))
		}
		b.Log(tableOf(took))
		small, middle, large := took[0], took[1], took[2]
		each := (middle.Client - small.Client) / time.Duration(middle.Workers-small.Workers)
		line := small.Client + each*time.Duration(large.Workers-small.Workers)
		if limit := time.Duration(growthTolerance * float64(line)); large.Client > limit {
			b.Errorf("%d workers took %s of CPU; what %d and %d took promises %s", large.Workers, large.Client, small.Workers, middle.Workers, line)
		}
		for _, one := range took {
			if one.Busiest > readsLimit {
				b.Errorf("%d workers: %d reads in a minute, the limit is %d", one.Workers, one.Busiest, readsLimit)
			}
		}
		if large.Memory > scaleMemoryLimit || large.CPU > scaleCPULimit {
			b.Errorf("%d workers took %g bytes and %s of CPU, the limits are %g and %s", large.Workers, large.Memory, large.CPU, scaleMemoryLimit, scaleCPULimit)
		}
		b.ReportMetric(large.Client.Seconds(), "client-cpu-s")
		b.ReportMetric(large.Memory/1e6, "MB-resident")
		b.ReportMetric(float64(large.Busiest), "reads/min")
	}
}

func accountOf(b *testing.B, workers int) account {
	b.Helper()
	path := filepath.Join(b.TempDir(), "account.json")
	b.Setenv(scaleWorkers, strconv.Itoa(workers))
	b.Setenv(scaleAccount, path)
	u := measureTest(b, "TestInstall_OfSize")
	content, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	result := account{Workers: workers, Wall: u.wall, CPU: u.cpu, Memory: u.memory}
	if err := json.Unmarshal(content, &result); err != nil {
		b.Fatal(err)
	}
	return result
}

func tableOf(took []account) string {
	var out strings.Builder
	fmt.Fprintf(&out, "\n%8s %12s %12s %12s %10s %12s %8s %12s", "workers", "client CPU", "whole CPU", "resident", "reads", "busiest/min", "wall", "simulated")
	for _, a := range took {
		fmt.Fprintf(&out, "\n%8d %12s %12s %9.0f MB %10d %12d %8s %12s", a.Workers, a.Client.Round(10*time.Millisecond),
			a.CPU.Round(time.Second), a.Memory/1e6, a.Reads, a.Busiest, a.Wall.Round(time.Second), a.Virtual.Round(time.Second))
	}
	return out.String()
}
