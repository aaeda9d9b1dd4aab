package release

import (
	"bytes"
	"context"
	"encoding/json"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/release/program"
	"exoshift/state"

	"github.com/coreos/stream-metadata-go/stream"
)

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
		return state.BootImage{}, fault.Newf(fault.NotFound, op, "%s names no x86_64 image for openstack in qcow2.gz", i.name())
	}
	return state.BootImage{Build: artifacts.Release, URL: disk.Location, SHA256: disk.Sha256}, nil
}
