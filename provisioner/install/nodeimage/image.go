// Package nodeimage registers the image that nodes boot from.
package nodeimage

import (
	"context"
	"crypto/md5" //nolint:gosec // Exoscale identifies images by their MD5; SHA-256 has verified the download
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"exoshift/ignition"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/access"
	"exoshift/state"
)

// Cloud is the part of Exoscale's API that keeps templates.
type Cloud interface {
	// FindTemplate returns our own template of that name, of several equal ones the oldest, fault.NotFound, or
	// fault.Conflict if there are several different ones.
	FindTemplate(ctx context.Context, name string) (state.Template, error)
	// RegisterTemplate registers a template and waits until it is usable.
	RegisterTemplate(ctx context.Context, template state.Template) (state.Template, error)
	// ListInstances returns the machines that have all the labels.
	ListInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error)
	// ListObjects returns everything that the organization has.
	ListObjects(ctx context.Context) ([]state.Object, error)
}

// Objects is the part of the object storage that an image passes through.
type Objects interface {
	// Upload streams content of unknown size. sent is called with the number of bytes that the network has taken; nil: nothing is.
	Upload(ctx context.Context, bucket, key string, content io.Reader, sent func(bytes int)) error
	// SignGetURL returns a link by which anybody can read the object until it expires.
	SignGetURL(ctx context.Context, bucket, key string, valid time.Duration) (string, error)
}

// Source is where boot images come from.
type Source interface {
	// OpenImage opens a boot image for reading: downloaded, verified against its checksum at the end of the stream,
	// decompressed. progress is called during the download. What it returns may have a method Fraction() float64 with the part of
	// the download that is done, or 0 if that is unknown; it may be called at any time.
	OpenImage(ctx context.Context, image state.BootImage, progress func(text string)) (io.ReadCloser, error)
}

// Copier copies boot images by a machine in the zone, so that they do not pass this machine's uplink.
type Copier interface {
	// Copy downloads, verifies and patches an image and uploads it into an object, and returns the hex MD5 of that.
	Copy(ctx context.Context, image state.BootImage, bucket, key string, progress func(text string)) (md5 string, err error)
	// CleanUp removes machines that killed runs left behind. Without any it sends no request.
	CleanUp(ctx context.Context, progress func(text string)) error
}

// Transfer is how an image gets into the zone.
type Transfer struct {
	Source   Source
	Copier   Copier // nil: there is none
	FromZone bool   // by the copier, and not through this machine
	// Clock measures the upload through this machine. If that is slow, Command is proposed, which does it by the copier; "": nothing is.
	Clock   provisioner.Clock
	Command string
}

// Finder is openshift-install, which knows its image.
type Finder interface {
	// FindBootImage returns the image that this version expects its machines to boot from.
	FindBootImage(ctx context.Context) (state.BootImage, error)
}

// The purpose of the bucket that images pass through.
const purpose = "image"

// Image is the image that nodes boot from.
type Image struct {
	spec     state.Spec
	cloud    Cloud
	objects  Objects
	transfer Transfer
	finder   Finder
	buckets  *access.Buckets
	facts    *state.FactsStore

	template state.Template
	build    string

	attended func() bool            // somebody can be asked; nil: nobody
	replies  chan provisioner.Reply // to the question about a slow upload
}

// New returns the image of a cluster's nodes.
func New(spec state.Spec, cloud Cloud, objects Objects, transfer Transfer, finder Finder, buckets *access.Buckets, facts *state.FactsStore) *Image {
	return &Image{spec: spec, cloud: cloud, objects: objects, transfer: transfer, finder: finder, buckets: buckets, facts: facts,
		replies: make(chan provisioner.Reply, 1)}
}

// Template returns what nodes boot from, once Ensure has returned.
func (i *Image) Template() state.Template { return i.template }

// Build returns the build that the release expects, once Ensure has returned.
func (i *Image) Build() string { return i.build }

// Ensure registers the boot image of this openshift-install, patched for Exoscale while it is streamed. A template
// of that build is used if it exists.
func (i *Image) Ensure(ctx context.Context, report provisioner.Report) error {
	i.cleanUpMachines(ctx, report)
	boot, err := i.finder.FindBootImage(ctx)
	if err != nil {
		return err
	}
	name := FormatTemplateName(i.spec, boot.Build)
	found, err := i.cloud.FindTemplate(ctx, name)
	action := state.Found
	if fault.Is(err, fault.NotFound) {
		found, action, err = i.registerShared(ctx, report, name, boot)
	}
	if err != nil {
		return err
	}
	if err := CheckTemplate(found, NewTemplate(i.spec, boot), i.facts.Get()); err != nil {
		return err
	}
	i.template, i.build = found, boot.Build
	report.EmitObject(state.KindTemplate, name, found.ID, string(action))
	if err := i.facts.Update(func(facts *state.Facts) {
		if found.MD5 != "" || facts.Template != name { // "": not returned
			facts.TemplateMD5 = found.MD5
		}
		facts.Template, facts.UploadMinutes = name, 0
	}); err != nil {
		return err
	}
	return i.buckets.Delete(ctx, report, purpose) // an earlier run may have been stopped before this
}

// registerShared registers the image. Another cluster may have registered the same one meanwhile: all use the oldest, and that is
// not this cluster's then.
func (i *Image) registerShared(ctx context.Context, report provisioner.Report, name string, boot state.BootImage) (state.Template, state.Action, error) {
	own, err := i.registerImage(ctx, report, name, boot)
	if err != nil {
		return own, "", err
	}
	oldest, err := i.cloud.FindTemplate(ctx, name)
	switch {
	case fault.Is(err, fault.NotFound):
		return own, state.Created, nil
	case err == nil && oldest.ID == own.ID:
		return oldest, state.Created, nil // as it was read back
	case err != nil:
		return own, "", err
	}
	report.EmitObject(state.KindTemplate, name, own.ID, string(state.Created))
	return oldest, state.Found, nil
}

// Exoscale downloads the image from the object storage by a signed link.
func (i *Image) registerImage(ctx context.Context, report provisioner.Report, name string, boot state.BootImage) (state.Template, error) {
	bucket, key := i.spec.Bucket(purpose), name+".qcow2"
	if err := i.buckets.EnsureOne(ctx, report, purpose); err != nil {
		return state.Template{}, err
	}
	sum, err := i.transferImage(ctx, report, boot, bucket, key)
	if err != nil {
		return state.Template{}, err
	}
	url, err := i.objects.SignGetURL(ctx, bucket, key, 6*time.Hour)
	if err != nil {
		return state.Template{}, err
	}
	report.EmitProgress("Exoscale is importing " + name)
	template := NewTemplate(i.spec, boot)
	template.URL, template.MD5 = url, sum
	// Recorded before the call, so that a registration whose answer is lost is recognized.
	if err := i.facts.Update(func(facts *state.Facts) { facts.Template, facts.TemplateMD5 = name, sum }); err != nil {
		return state.Template{}, err
	}
	return i.cloud.RegisterTemplate(ctx, template)
}

// cleanUpMachines fails nothing: the next run tries again.
func (i *Image) cleanUpMachines(ctx context.Context, report provisioner.Report) {
	if i.transfer.Copier == nil {
		return
	}
	if err := i.transfer.Copier.CleanUp(ctx, report.EmitProgress); err != nil {
		report.EmitProgress("leftovers of earlier runs could not be removed: " + err.Error())
	}
}

func (i *Image) transferImage(ctx context.Context, report provisioner.Report, boot state.BootImage, bucket, key string) (sum string, err error) {
	if !i.transfer.FromZone {
		report.EmitProgress("downloading, patching and uploading " + FormatTemplateName(i.spec, boot.Build))
		if sum, err = i.streamImage(ctx, report, boot, bucket, key); !errors.Is(err, errCopyInstead) {
			return sum, err
		}
	}
	report.EmitProgress("having " + FormatTemplateName(i.spec, boot.Build) + " downloaded, patched and uploaded by a machine in the zone")
	return i.transfer.Copier.Copy(ctx, boot, bucket, key, report.EmitProgress)
}

// streamImage fails with errCopyInstead if a person decides that meanwhile.
func (i *Image) streamImage(ctx context.Context, report provisioner.Report, boot state.BootImage, bucket, key string) (sum string, err error) {
	uplink := i.newUplink(report)
	ctx, stop := context.WithCancelCause(ctx)
	var handling sync.WaitGroup
	handling.Go(func() { uplink.handleReplies(ctx, stop) })
	defer func() {
		if err != nil && errors.Is(context.Cause(ctx), errCopyInstead) {
			err = errCopyInstead
		}
		stop(nil)
		handling.Wait()
		uplink.withdraw()
	}()
	image, err := i.transfer.Source.OpenImage(ctx, boot, uplink.emitProgress)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, image.Close()) }()
	hash := md5.New() //nolint:gosec // as above
	content := io.TeeReader(ignition.PatchPlatform(image), hash)
	if err := i.objects.Upload(ctx, bucket, key, uplink.measure(image, content), uplink.countSent); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// Preview reports what Ensure would do, by the name that an earlier run recorded: only openshift-install knows the build.
func (i *Image) Preview(ctx context.Context, report provisioner.Report) error {
	name := i.facts.Get().Template
	if name == "" {
		report.EmitObject(state.KindTemplate, FormatTemplateName(i.spec, "<build>"), "", string(state.Created))
		return nil
	}
	template, err := i.cloud.FindTemplate(ctx, name)
	action := state.Found
	if fault.Is(err, fault.NotFound) {
		action, err = state.Created, nil
	}
	i.template = template
	report.EmitObject(state.KindTemplate, name, template.ID, string(action))
	if err != nil || action == state.Created {
		return err
	}
	// The file that it was made of is known to openshift-install only.
	want := NewTemplate(i.spec, state.BootImage{Build: strings.TrimPrefix(name, FormatTemplateName(i.spec, ""))})
	want.Description = template.Description
	return CheckTemplate(template, want, i.facts.Get())
}

// DescribeTransfer says how an image that the zone lacks would get there.
func (i *Image) DescribeTransfer() string {
	const usual = "unless the zone has it"
	switch minutes := i.facts.Get().UploadMinutes; {
	case i.transfer.FromZone:
		return usual + "; copied by a small machine there, within minutes and for a few cents at most"
	case minutes > 0:
		return fmt.Sprintf("%s; its upload takes about %d minutes from here, as measured: --image-from zone takes a few", usual, minutes)
	}
	return usual
}

// Recover finds out which template the machines of the cluster were started from, if the facts do not say so.
func (i *Image) Recover(ctx context.Context) error {
	if i.facts.Get().Template != "" {
		return nil
	}
	nodes, err := i.cloud.ListInstances(ctx, i.spec.Labels())
	if err != nil {
		return err
	}
	objects, err := i.cloud.ListObjects(ctx)
	if err != nil {
		return err
	}
	for _, node := range nodes {
		for _, o := range objects {
			if node.Labels[state.LabelRole] == string(state.RoleLoadBalancer) || o.Kind != state.KindTemplate || o.ID != node.TemplateID {
				continue
			}
			found, err := i.cloud.FindTemplate(ctx, o.Name)
			if err != nil {
				return err
			}
			return i.facts.Update(func(facts *state.Facts) { facts.Template, facts.TemplateMD5 = o.Name, found.MD5 })
		}
	}
	return nil
}
