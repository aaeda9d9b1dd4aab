package cluster

import (
	"flag"
	"os"
	"testing"
)

// TestMain runs a few tests side by side, whatever the number of processors: they wait for control planes to start, each
// of which takes half a gigabyte of memory.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil {
		os.Exit(2)
	}
	os.Exit(m.Run())
}
