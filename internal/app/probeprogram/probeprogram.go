// Package probeprogram holds the small program that runs connectivity checks on other machines: cmd/exoshift-probe, which make probe puts
// here for platforms whose own program cannot run there.
package probeprogram

import "embed"

//go:embed program
var files embed.FS

// Read returns the program for Linux on amd64, as gzip. A build without it is false.
func Read() (packed []byte, embedded bool) {
	packed, err := files.ReadFile("program/exoshift-probe.gz")
	return packed, err == nil
}
