// Sbom writes a CycloneDX software bill of materials of a Go program, from what the toolchain noted in the program itself: exactly the
// modules that were linked, with the checksums of go.sum. The same program gives the same bytes.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

type options struct {
	program, output string
	notice          string
	version         string
	created         int64 // seconds since 1970
}

func main() {
	var o options
	flag.StringVar(&o.program, "program", "bin/exoshift", "the program, for any platform")
	flag.StringVar(&o.output, "output", "bin/exoshift.cdx.json", "the bill of materials")
	flag.StringVar(&o.notice, "notice", "NOTICE", "the file with the list of modules and their licences")
	flag.StringVar(&o.version, "version", "dev", "version of the program")
	flag.Int64Var(&o.created, "created", 0, "the time of the program, in seconds since 1970")
	flag.Parse()
	if err := write(o); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1) //nolint:forbidigo // it is main
	}
}

func write(o options) error {
	notice, err := os.ReadFile(o.notice)
	if err != nil {
		return err
	}
	p, err := readProgram(o.program)
	if err != nil {
		return err
	}
	bill, err := p.bill(o.version, time.Unix(o.created, 0).UTC(), parseLicences(string(notice)))
	if err != nil {
		return err
	}
	return os.WriteFile(o.output, bill, 0o644)
}
