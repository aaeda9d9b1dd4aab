// Package zoneimage copies boot images into the object storage of a zone by a machine in it, so that they do not pass the operator's
// uplink: the machine downloads, verifies, patches and uploads them. It has no credentials, only links to the parts of one object.
package zoneimage

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"exoshift/internal/app/connectivity"
	"exoshift/internal/fault"
	"exoshift/internal/fileread"
	"exoshift/internal/network"
	"exoshift/internal/text"
	"exoshift/provisioner/objects"
	"exoshift/provisioner/remoterun"
	"exoshift/state"
	"exoshift/wizard"
)

const (
	// partSize of an image, in bytes: the machine has 512 MiB of memory, and holds two parts.
	partSize = 32 << 20
	// maxParts suffices for 32 GiB, the largest image that is unpacked.
	maxParts = 1 << 10
	// programLimit bounds the work of the machine: a few minutes for an image of 2.5 GB.
	programLimit = 30 * time.Minute
	// linkLifetime begins before the machine does.
	linkLifetime = time.Hour
	// followInterval, by the zone's clock, is how often the machine's progress is read.
	followInterval = 3 * time.Second
)

// Copier copies images by a machine in the zone.
type Copier struct {
	options Options
	zone    *remoterun.Zone
}

// Options are the dependencies of a Copier.
type Options struct {
	Network network.Network
	Spec    state.Spec
	Secrets wizard.Secrets
	Objects *objects.Client
	Dir     string // where runs of machines are recorded
	// Program returns what the machine runs; nil: this program.
	Program func() (remoterun.Program, error)
}

// New returns a Copier. It sends no requests.
func New(options Options) *Copier {
	if options.Program == nil {
		options.Program = func() (remoterun.Program, error) { return remoterun.NewSelfProgram(Verb) }
	}
	job := remoterun.Job{Does: "copies the image", Instead: "omit --image-from zone", Limit: programLimit}
	return &Copier{options, connectivity.NewZoneRunner(options.Network, options.Spec, options.Secrets, options.Dir, job)}
}

// CleanUp removes the machines of killed runs on this workstation. Without any it sends no request.
func (c *Copier) CleanUp(ctx context.Context, progress func(text string)) error {
	return c.zone.CleanUpRecorded(ctx, progress)
}

// Copy uploads an image, patched for Exoscale, into an object, and returns the hex MD5 of what was uploaded. It leaves no machine
// behind; if that fails, the next run removes it.
func (c *Copier) Copy(ctx context.Context, image state.BootImage, bucket, key string, progress func(text string)) (sum string, err error) {
	program, err := c.options.Program()
	if err != nil {
		return "", err
	}
	err = c.options.Objects.UploadByLinks(ctx, bucket, key, maxParts, linkLifetime, func(ctx context.Context, links objects.PartLinks) ([]objects.Part, error) {
		done, err := c.run(ctx, program, task{Image: image, PartSize: partSize, Parts: links}, location{bucket, key}, progress)
		sum = done.MD5
		return done.Parts, err
	})
	return sum, err
}

type location struct{ bucket, key string }

func (l location) progressKey() string { return l.key + ".progress" }

func (c *Copier) run(ctx context.Context, program remoterun.Program, t task, to location, progress func(text string)) (done report, err error) {
	if t.Progress, err = c.options.Objects.SignPutURL(ctx, to.bucket, to.progressKey(), linkLifetime); err != nil {
		return done, err
	}
	proxy := c.options.Spec.OpenShift.Proxy
	t.Proxy = proxySettings{HTTP: proxy.HTTP, HTTPS: proxy.HTTPS, NoProxy: proxy.NoProxy}
	if bundle := c.options.Spec.OpenShift.TrustBundle; bundle != "" {
		content, err := fileread.Text(bundle, fileread.Small)
		if err != nil {
			return done, fault.New(fault.Invalid, "read the trust bundle", err).WithField("openshift.trustBundle")
		}
		t.Authorities = string(content)
	}
	input, err := json.Marshal(t)
	if err != nil {
		return done, fmt.Errorf("write the machine's task: %w", err)
	}
	stop := c.follow(ctx, to, progress)
	output, err := c.zone.Run(ctx, program, input, progress)
	stop()
	switch {
	case err != nil && output == nil:
		return done, err
	case err != nil: // something is left behind, and the next run removes it
		progress(err.Error())
	}
	return parseReport(output, maxParts)
}

// follow passes the machine's progress on until stop is called.
func (c *Copier) follow(ctx context.Context, from location, progress func(text string)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var following sync.WaitGroup
	following.Go(func() {
		last := ""
		for c.options.Network.Clock.Sleep(ctx, followInterval) == nil {
			content, err := c.options.Objects.GetObject(ctx, from.bucket, from.progressKey(), maxProgress)
			var line progressLine
			if err != nil || json.Unmarshal(content, &line) != nil || line.Text == last {
				continue // it says nothing yet, or nothing new
			}
			last = line.Text
			progress(text.Sanitize(line.Text, text.WithLimit(maxProgressText)))
		}
	})
	return func() {
		cancel()
		following.Wait()
	}
}
