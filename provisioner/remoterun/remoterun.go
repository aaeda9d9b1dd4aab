// Package remoterun runs a program somewhere else for a moment, to see the network from there: on a small machine of its
// own in the zone, which is gone afterwards whatever happens, or on a host that is reached by SSH.
package remoterun

import (
	"context"
	"io"
)

// Program is what is run: a Linux program for amd64 that reads its input from stdin and writes its output to stdout.
type Program struct {
	Open func() (io.ReadCloser, error) // its bytes
	Args []string
}

// Runner is a vantage.
type Runner interface {
	// Run runs a program with an input and returns its output. seen hears one line of each thing that happens.
	Run(ctx context.Context, program Program, input []byte, seen func(text string)) (output []byte, err error)
}
