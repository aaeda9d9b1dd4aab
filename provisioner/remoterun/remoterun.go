// Package remoterun runs a program elsewhere, to check the network from there or to copy an image: on a temporary machine in the
// zone, which is deleted afterwards whatever happens, or on a host over SSH.
package remoterun

import (
	"context"
	"io"
)

// Program is a Linux program for amd64 that reads its input from stdin and writes its output to stdout.
type Program struct {
	Open func() (io.ReadCloser, error) // returns its content
	// Packed is its content as gzip, and sent as it is; nil: Open is used.
	Packed []byte
	Args   []string
}

// Runner runs programs at a Source.
type Runner interface {
	// Run runs a program with an input and returns its output. It calls seen with a line for each event.
	Run(ctx context.Context, program Program, input []byte, seen func(text string)) (output []byte, err error)
}
