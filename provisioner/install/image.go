package install

import (
	"context"
	"crypto/md5" //nolint:gosec // Exoscale identifies images by their MD5; SHA-256 has verified the download
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"exoshift/ignition"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

func (i *Installation) fetchInstaller(ctx context.Context, report provisioner.Report) error {
	release, err := i.clients.Installer.Fetch(ctx, i.findRecordedVersion(), report.EmitProgress)
	if err != nil {
		return fault.AttachField(err, versionField, fault.NotFound)
	}
	report.EmitProgress(fmt.Sprintf("openshift-install %s, which installs %s", release.Version, release.Image))
	return i.facts.Update(func(facts *state.Facts) {
		facts.OpenShiftVersion, facts.ReleaseImage, facts.OpenShiftAsked = release.Version, release.Image, i.spec.OpenShift.Version
	})
}

// The answers take precedence as long as nothing was generated.
func (i *Installation) findRecordedVersion() string {
	facts := i.Facts()
	if facts.IgnitionCreated.IsZero() && facts.OpenShiftAsked != i.spec.OpenShift.Version {
		return ""
	}
	return facts.OpenShiftVersion
}

// The boot image of this openshift-install is patched for Exoscale while it is streamed. A template of that build is used
// if it exists.
func (i *Installation) ensureNodeImage(ctx context.Context, report provisioner.Report) error {
	boot, err := i.clients.Installer.FindBootImage(ctx)
	if err != nil {
		return err
	}
	name := i.formatTemplateName(boot.Build)
	found, err := i.clients.Cloud.FindTemplate(ctx, name)
	action := state.Found
	if fault.Is(err, fault.NotFound) {
		action = state.Created
		found, err = i.registerImage(ctx, report, name, boot)
		// Another cluster may have registered the same image meanwhile: all use the oldest.
		if oldest, unseen := i.clients.Cloud.FindTemplate(ctx, name); err == nil && !fault.Is(unseen, fault.NotFound) {
			found, err = oldest, unseen
		}
	}
	if err != nil {
		return err
	}
	if err := checkTemplate(found, i.newTemplate(boot), i.findRecordedMD5(name)); err != nil {
		return err
	}
	i.image, i.bootBuild = found, boot.Build
	report.EmitObject(state.KindTemplate, name, found.ID, string(action))
	if err := i.facts.Update(func(facts *state.Facts) { facts.Template, facts.TemplateMD5 = name, found.MD5 }); err != nil {
		return err
	}
	return i.dropBucket(ctx, report, "image")
}

// An earlier run may have been stopped before it deleted the bucket.
func (i *Installation) dropBucket(ctx context.Context, report provisioner.Report, purpose string) error {
	action, err := i.clients.Objects.DeleteBucket(ctx, i.spec.Bucket(purpose))
	if err != nil || action == state.Found {
		return err
	}
	if purpose == "bootstrap" {
		report.EmitObject(kindObject, i.spec.Bucket(purpose)+"/"+bootstrapKey, "", string(action))
	}
	report.EmitObject(state.KindBucket, i.spec.Bucket(purpose), "", string(action))
	return nil
}

// Exoscale downloads the image from the object storage by a signed link.
func (i *Installation) registerImage(ctx context.Context, report provisioner.Report, name string, boot state.BootImage) (state.Template, error) {
	bucket, key := i.spec.Bucket("image"), name+".qcow2"
	action, err := i.clients.Objects.EnsureBucket(ctx, bucket)
	if err != nil {
		return state.Template{}, err
	}
	report.EmitObject(state.KindBucket, bucket, "", string(action))
	report.EmitProgress("downloading, patching and uploading " + name)
	sum, err := i.streamImage(ctx, report, boot, bucket, key)
	if err != nil {
		return state.Template{}, err
	}
	url, err := i.clients.Objects.SignGetURL(ctx, bucket, key, 6*time.Hour)
	if err != nil {
		return state.Template{}, err
	}
	report.EmitProgress("Exoscale is importing " + name)
	template := i.newTemplate(boot)
	template.URL, template.MD5 = url, sum
	// Recorded before the call, so that a registration whose answer is lost is recognized.
	if err := i.facts.Update(func(facts *state.Facts) { facts.Template, facts.TemplateMD5 = name, sum }); err != nil {
		return state.Template{}, err
	}
	return i.clients.Cloud.RegisterTemplate(ctx, template)
}

func (i *Installation) streamImage(ctx context.Context, report provisioner.Report, boot state.BootImage, bucket, key string) (sum string, err error) {
	image, err := i.clients.Images.OpenImage(ctx, boot, report.EmitProgress)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, image.Close()) }()
	hash := md5.New() //nolint:gosec // as above
	if err := i.clients.Objects.Upload(ctx, bucket, key, io.TeeReader(ignition.PatchPlatform(image), hash)); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
