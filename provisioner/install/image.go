package install

import (
	"context"
	"crypto/md5" //nolint:gosec // Exoscale identifies images by their MD5; SHA-256 has verified the download
	"encoding/hex"
	"errors"
	"io"
	"time"

	"exoshift/ignition"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

func (i *Installation) openshiftInstall(ctx context.Context, _ provisioner.Report) error {
	return i.world.Installer.Fetch(ctx, i.folder.Path(state.BinDir))
}

// nodeImage registers the boot image of this very openshift-install, patched for Exoscale on its way through, unless
// a template of that build is there.
func (i *Installation) nodeImage(ctx context.Context, report provisioner.Report) error {
	boot, err := i.world.Installer.BootImage(ctx)
	if err != nil {
		return err
	}
	name := "rhcos-" + boot.Build
	i.image, err = i.world.Cloud.FindTemplate(ctx, name)
	action := state.Found
	if fault.Is(err, fault.NotFound) {
		action = state.Created
		i.image, err = i.register(ctx, report, name, boot)
	}
	if err != nil {
		return err
	}
	object(report, "template", name, i.image.ID, action)
	return i.remember(func(facts *state.Facts) { facts.Template = name })
}

// register streams the image into the object storage and has Exoscale fetch it through a signed link.
func (i *Installation) register(ctx context.Context, report provisioner.Report, name string, boot state.BootImage) (state.Template, error) {
	bucket, key := i.spec.Bucket("image"), name+".qcow2"
	action, err := i.world.Objects.EnsureBucket(ctx, bucket)
	if err != nil {
		return state.Template{}, err
	}
	object(report, "bucket", bucket, "", action)
	progress(report, "downloading, patching and uploading "+name)
	sum, err := i.stream(ctx, boot, bucket, key)
	if err != nil {
		return state.Template{}, err
	}
	url, err := i.world.Objects.SignedURL(ctx, bucket, key, 6*time.Hour)
	if err != nil {
		return state.Template{}, err
	}
	progress(report, "Exoscale is importing "+name)
	template, err := i.world.Cloud.RegisterTemplate(ctx, state.Template{
		Name: name, Description: "RHCOS for OpenShift " + i.spec.OpenShift.Version, Build: boot.Build,
		URL: url, MD5: sum, BootMode: "uefi", DefaultUser: "core",
	})
	if err != nil {
		return state.Template{}, err
	}
	action, err = i.world.Objects.DeleteBucket(ctx, bucket)
	if err != nil {
		return state.Template{}, err
	}
	object(report, "bucket", bucket, "", action)
	return template, nil
}

// stream copies the image to the bucket, patched, and returns the MD5 of what it wrote.
func (i *Installation) stream(ctx context.Context, boot state.BootImage, bucket, key string) (sum string, err error) {
	image, err := i.world.Images.OpenImage(ctx, boot)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, image.Close()) }()
	hash := md5.New() //nolint:gosec // as above
	if err := i.world.Objects.Upload(ctx, bucket, key, io.TeeReader(ignition.PatchPlatform(image), hash)); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
