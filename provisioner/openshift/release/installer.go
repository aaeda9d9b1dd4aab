// Package release finds, downloads, verifies and runs the openshift-install of a release, and reads what it generates. It also
// opens the boot image that the release names.
package release

import (
	"context"
	"sync"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/openshift/release/program"
	"exoshift/state"
)

const programName = "openshift-install"

// Choice selects an openshift-install.
type Choice struct {
	Distribution string // ocp or okd
	Version      string // x.y.z, for OKD x.y.z-okd-scos.n, or a channel of OCP: stable-x.y, fast-x.y, candidate-x.y, latest-x.y
	Program      string // path of a program that is used instead of a download, or ""
	Cache        string // directory of downloads, shared by all clusters
}

// Installer is openshift-install of one release.
type Installer struct {
	net     network.Network
	choice  Choice
	version string // exact after Fetch has succeeded, until then as chosen
	log     func(string)
	runner  program.Runner
	limits  limits

	mu      sync.Mutex
	program string // path of the verified binary, after Fetch has succeeded
	sum     string // its sha256 in hex; "" for a program given by its path
}

// New returns the chosen openshift-install. The program's output goes to log, line by line, with secrets masked.
func New(net network.Network, choice Choice, log func(string)) *Installer {
	return &Installer{net: net, choice: choice, version: choice.Version, log: log, runner: program.Runner{Clock: net.Clock, Log: log}, limits: newLimits()}
}

// Fetch makes the program of a release ready to run: that of the version recorded by an earlier run, or with "" that of the
// chosen version or channel. What the cache holds is verified like a download: the signature of the checksums, the archive
// against them, the program against the archive. The name of the release is the one that the program reports. progress receives
// the progress of a download, about once a second.
func (i *Installer) Fetch(ctx context.Context, noted string, progress func(text string)) (state.Release, error) {
	path, sum, release, err := i.find(ctx, noted, progress)
	if err != nil {
		return state.Release{}, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.program, i.sum, i.version = path, sum, release.Version
	return release, nil
}

func (i *Installer) find(ctx context.Context, noted string, progress func(text string)) (path, sum string, release state.Release, err error) {
	if i.choice.Program != "" {
		release, err := i.useProgram(ctx, noted)
		return i.choice.Program, "", release, err
	}
	version, err := i.resolve(ctx, noted)
	if err != nil {
		return "", "", state.Release{}, err
	}
	published, err := i.findPublication(version)
	if err != nil {
		return "", "", state.Release{}, err
	}
	place := published.toCacheEntry(i.choice.Cache)
	unlock, err := i.lock(ctx, place, published, progress)
	if err != nil {
		return "", "", state.Release{}, err
	}
	defer unlock()
	release, sum, err = i.ensureCached(ctx, place, published, progress)
	return place.program(), sum, release, err
}

func (i *Installer) name() string { return programName + " " + i.version }

// verifyProgram returns the path of the binary after verifying that it is unchanged.
func (i *Installer) verifyProgram() (string, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.program == "" {
		return "", fault.Newf(fault.Internal, "run "+i.name(), "it was not fetched before")
	}
	if i.sum == "" {
		return i.program, nil
	}
	if sum, err := hashFile(i.program, i.limits.program); err != nil || sum != i.sum {
		return "", fault.Newf(fault.Conflict, "run "+i.name(), "%s was changed after it was verified", i.program).
			WithHint("run again, and find out who writes to that folder")
	}
	return i.program, nil
}
