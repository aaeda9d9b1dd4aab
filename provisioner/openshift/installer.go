package openshift

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/state"
)

const (
	mirror       = "https://mirror.openshift.com/pub/openshift-v4/clients/ocp/"
	archiveName  = "openshift-install-linux.tar.gz"
	checksumName = "sha256sum.txt"
	programName  = "openshift-install"
)

// Choice says which openshift-install is wanted.
type Choice struct {
	Distribution string // ocp or okd
	Version      string // x.y.z, of OKD x.y.z-okd-scos.n, or a channel of OCP: stable-x.y, fast-x.y, candidate-x.y, latest-x.y
	Program      string // path of a program that is used instead of a download; "" for none
	Cache        string // directory that keeps downloads for other clusters
}

// Installer is openshift-install of one release.
type Installer struct {
	net     network.Network
	choice  Choice
	version string // exact
	log     func(string)

	mu      sync.Mutex
	program string // path of the verified binary, once Fetch has succeeded
}

// NewInstaller returns the openshift-install that was chosen. What the program says while it runs goes to log, line by
// line, without secrets.
func NewInstaller(net network.Network, choice Choice, log func(string)) *Installer {
	return &Installer{net: net, choice: choice, version: choice.Version, log: log}
}

// Fetch makes sure that the cache holds the program of this version: one that is there is used if it is complete, else
// it is downloaded, and unpacked only after its checksum was verified.
func (i *Installer) Fetch(ctx context.Context, _ string, _ func(text string)) (state.Release, error) {
	dir, release := i.choice.Cache, state.Release{Version: i.version}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return release, fault.New(fault.Internal, "fetch "+i.name(), err)
	}
	path := filepath.Join(dir, programName+"-"+i.version)
	if !complete(path) {
		if err := i.retry(ctx, func() error { return i.download(ctx, path) }); err != nil {
			return release, err
		}
	}
	if err := i.checkVersion(ctx, path); err != nil {
		return release, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.program = path
	return release, nil
}

func (i *Installer) name() string { return programName + " " + i.version }

// fetched returns the path of the binary.
func (i *Installer) fetched() (string, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.program == "" {
		return "", fault.Newf(fault.Internal, "run "+i.name(), "it was not fetched before")
	}
	return i.program, nil
}

// retry repeats a download that the network interrupted.
func (i *Installer) retry(ctx context.Context, download func() error) error {
	const attempts = 3
	for attempt := 1; ; attempt++ {
		err := download()
		if !fault.Is(err, fault.Transient) || attempt == attempts {
			return err
		}
		i.log(err.Error() + "; trying again")
		if err := i.net.Clock.Sleep(ctx, time.Duration(attempt)*5*time.Second); err != nil {
			return err
		}
	}
}

// download fetches, verifies and unpacks the binary.
func (i *Installer) download(ctx context.Context, path string) error {
	directory := mirror + i.version + "/"
	sum, err := i.publishedSum(ctx, directory+checksumName)
	if err != nil {
		return err
	}
	archive, err := newArchive(filepath.Dir(path))
	if err != nil {
		return fault.New(fault.Internal, "download "+i.name(), err)
	}
	defer os.Remove(archive.Name())
	defer archive.Close()
	i.log("downloading " + i.name())
	if err := i.fetchArchive(ctx, directory+archiveName, sum, archive); err != nil {
		return err
	}
	i.log("unpacking " + i.name())
	if err := unpack(archive, path); err != nil {
		return fault.New(fault.Invalid, "unpack "+archiveName, err).
			WithHint("the archive is intact but not what was expected; check the version")
	}
	return nil
}

// newArchive makes a file to download to, and removes what interrupted runs left behind.
func newArchive(dir string) (*os.File, error) {
	for _, pattern := range []string{".download-*", "." + programName + "*"} {
		stale, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range stale {
			if err := os.Remove(path); err != nil {
				return nil, err
			}
		}
	}
	return os.CreateTemp(dir, ".download-*")
}

// checkVersion asks the binary itself, whose first line is "<path> <version>".
func (i *Installer) checkVersion(ctx context.Context, path string) error {
	var output strings.Builder
	if err := i.run(ctx, execution{program: path, args: []string{"version"}, stdout: &output}); err != nil {
		return err
	}
	first, _, _ := strings.Cut(output.String(), "\n")
	fields := strings.Fields(first)
	if len(fields) == 0 || fields[len(fields)-1] != i.version {
		return fault.New(fault.Conflict, "check "+path, fmt.Errorf("it says %q, not %s", first, i.version)).
			WithHint("delete it and run again")
	}
	return nil
}
