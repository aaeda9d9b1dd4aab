package e2e

import (
	"flag"
	"os"
	"testing"
)

// TestMain runs the tests side by side, whatever the number of processors: nearly all of their time is waiting.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		os.Exit(2)
	}
	code := m.Run()
	forgetExoshift()
	os.Exit(code)
}
