// Package release finds, downloads, verifies and runs the openshift-install of a release, and reads what it generates. It also
// opens the boot image that the release names.
package release

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/openshift/release/download"
	"exoshift/provisioner/openshift/release/program"
	"exoshift/state"

	"github.com/coreos/stream-metadata-go/stream"
)

const programName = "openshift-install"

// Choice selects an openshift-install.
type Choice struct {
	Distribution string // ocp or okd
	Version      string // x.y.z, for OKD x.y.z-okd-scos.n, or a channel of OCP: stable-x.y, fast-x.y, candidate-x.y, latest-x.y
	Program      string // path of a program that is used instead of a download, or ""
	Cache        string // directory of downloads, shared by all clusters
	FIPS         bool   // of a cluster in FIPS mode: the build that may generate its certificates
	HostFIPS     string // file in which the kernel of this machine says whether it is in FIPS mode; "": not asked, as in a simulation
}

func (c Choice) name() string { return programName + " " + c.Version }

// Installer is openshift-install of one release.
type Installer struct {
	choice Choice
	mirror mirror
	cache  cache
	runner program.Runner

	mu      sync.Mutex
	version string // exact after Fetch has succeeded, until then as chosen
	program string // path of the verified binary, after Fetch has succeeded
	sum     string // its sha256 in hex; "" for a program given by its path
}

// New returns the chosen openshift-install. The program's output goes to log, line by line, with secrets masked.
func New(net network.Network, choice Choice, log func(string)) *Installer {
	m := mirror{choice: choice, key: net.ReleaseKey, downloads: download.New(net, log), log: log}
	runner := program.Runner{Clock: net.Clock, Log: log}
	c := cache{dir: choice.Cache, mirror: m, runner: runner, limits: limits{archive: 2 << 30, program: 4 << 30}}
	return &Installer{choice: choice, mirror: m, cache: c, runner: runner, version: choice.Version}
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
	if err := checkHost(i.choice); err != nil {
		return "", "", state.Release{}, err
	}
	if i.choice.Program != "" {
		release, err := i.choice.useProgram(ctx, i.runner, noted)
		return i.choice.Program, "", release, err
	}
	version, err := i.mirror.resolve(ctx, noted)
	if err != nil {
		return "", "", state.Release{}, err
	}
	published, err := i.mirror.findPublication(version)
	if err != nil {
		return "", "", state.Release{}, err
	}
	return i.cache.fetch(ctx, published, progress)
}

func (i *Installer) name() string { return programName + " " + i.version }

// verifyProgram returns the path of the binary after verifying that it is unchanged.
func (i *Installer) verifyProgram() (string, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.program == "" {
		return "", fault.Newf(fault.Internal, "run "+i.name(), "it was not downloaded before")
	}
	if i.sum == "" {
		return i.program, nil
	}
	if sum, err := hashFile(i.program, i.cache.limits.program); err != nil || sum != i.sum {
		return "", fault.Newf(fault.Conflict, "run "+i.name(), "%s was changed after it was verified", i.program).
			WithHint("run again, and check who writes to that folder")
	}
	return i.program, nil
}

// CheckPublished returns the exact version that was chosen, after checking that it can be downloaded: fault.NotFound if not. It
// reads only small files.
func (i *Installer) CheckPublished(ctx context.Context) (version string, err error) {
	version, err = i.mirror.resolve(ctx, "")
	if err != nil {
		return "", err
	}
	published, err := i.mirror.findPublication(version)
	if err != nil {
		return "", err
	}
	_, err = i.mirror.downloads.Read(ctx, published.directory+checksumName)
	return version, err
}

// FindBootImage returns the image for OpenStack on x86_64 that this version of OpenShift requires for its machines; none is built
// for Exoscale.
func (i *Installer) FindBootImage(ctx context.Context) (state.BootImage, error) {
	const op = "find the boot image"
	path, err := i.verifyProgram()
	if err != nil {
		return state.BootImage{}, err
	}
	var output bytes.Buffer
	err = i.runner.Run(ctx, program.Execution{Name: i.name(), Path: path, Args: []string{"coreos", "print-stream-json"}, Stdout: &output})
	if err != nil {
		return state.BootImage{}, err
	}
	var metadata stream.Stream
	if err := json.Unmarshal(output.Bytes(), &metadata); err != nil {
		return state.BootImage{}, fault.New(fault.Internal, op, err)
	}
	artifacts := metadata.Architectures["x86_64"].Artifacts["openstack"]
	disk := artifacts.Formats["qcow2.gz"].Disk
	if disk == nil || disk.Location == "" || disk.Sha256 == "" {
		return state.BootImage{}, fault.Newf(fault.NotFound, op, "%s has no x86_64 image for openstack in qcow2.gz", i.name())
	}
	return state.BootImage{Build: artifacts.Release, URL: disk.Location, SHA256: disk.Sha256}, nil
}
