package remoterun

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/klauspost/compress/gzip"

	"exoshift/internal/fault"
)

// NewSelfProgram returns this very program, to be run with arguments. It can run remotely only if it is built for Linux on amd64.
func NewSelfProgram(args ...string) (Program, error) {
	return newProgramFor(runtime.GOOS, runtime.GOARCH, args)
}

func newProgramFor(system, architecture string, args []string) (Program, error) {
	const op = "upload this program"
	if system != "linux" || architecture != "amd64" {
		return Program{}, fault.Newf(fault.Invalid, op, "this build is for %s on %s, but machines there run Linux on amd64", system, architecture).
			WithHint("run exoshift on Linux on amd64")
	}
	path, err := os.Executable()
	if err != nil {
		return Program{}, fault.New(fault.Internal, op, err)
	}
	return Program{Open: func() (io.ReadCloser, error) { return os.Open(path) }, Args: args}, nil
}

type payload struct {
	content []byte // gzip
	sum     string // SHA-256 of the unpacked program, hex
	args    []string
}

func packProgram(program Program) (payload, error) {
	const op = "pack the program"
	if program.Packed != nil {
		sum, err := sumUnpacked(program.Packed)
		if err != nil {
			return payload{}, fault.New(fault.Internal, op, err)
		}
		return payload{program.Packed, sum, program.Args}, nil
	}
	source, err := program.Open()
	if err != nil {
		return payload{}, fault.New(fault.Internal, op, err)
	}
	defer func() { _ = source.Close() }()
	var packed bytes.Buffer
	hash, zip := sha256.New(), gzip.NewWriter(&packed)
	_, err = io.Copy(io.MultiWriter(hash, zip), source)
	if err == nil {
		err = zip.Close()
	}
	if err != nil {
		return payload{}, fault.New(fault.Internal, op, err)
	}
	return payload{packed.Bytes(), hex.EncodeToString(hash.Sum(nil)), program.Args}, nil
}

func sumUnpacked(packed []byte) (string, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, unzipped); err != nil { //nolint:gosec // of this very program
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

func formatMegabytes(size int64) string {
	const mega = 1e6
	if size < mega {
		return "less than 1 MB"
	}
	return fmt.Sprintf("%.0f MB", float64(size)/mega)
}
