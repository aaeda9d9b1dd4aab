// Image packs the program into a container image, an OCI archive: without a daemon, and with the same bytes from the same program.
// Nothing of a distribution is in it. The program is static, and so is the openshift-install that it downloads; that of FIPS
// clusters alone needs a C library.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

type options struct {
	program, output string
	version         string
	platform        string
	created         int64 // seconds since 1970
}

func main() {
	var o options
	flag.StringVar(&o.program, "program", "bin/exoshift", "the program, a static binary")
	flag.StringVar(&o.output, "output", "bin/exoshift-image.tar", "the OCI archive")
	flag.StringVar(&o.version, "version", "dev", "version, the tag of the image")
	flag.StringVar(&o.platform, "platform", "linux/amd64", "that the program is for")
	flag.Int64Var(&o.created, "created", 0, "the image's time, in seconds since 1970")
	flag.Parse()
	if err := write(o); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1) //nolint:forbidigo // it is main
	}
}

func write(o options) error {
	platform, err := v1.ParsePlatform(o.platform)
	if err != nil {
		return err
	}
	image, err := build(o, *platform)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "image-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	named := layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": o.version})
	if err := path.AppendImage(image, named, layout.WithPlatform(*platform)); err != nil {
		return err
	}
	return archive(dir, o.output, time.Unix(o.created, 0))
}

// build returns an image of two layers: what seldom changes, and the program.
func build(o options, platform v1.Platform) (v1.Image, error) {
	program, err := os.ReadFile(o.program)
	if err != nil {
		return nil, err
	}
	at := time.Unix(o.created, 0).UTC()
	image := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	image = mutate.ConfigMediaType(image, types.OCIConfigJSON)
	for _, files := range [][]file{listBase(), {directory("usr/local/bin/", 0o755), {name: "usr/local/bin/exoshift", mode: 0o755, content: program}}} {
		layer, err := newLayer(files, at)
		if err != nil {
			return nil, err
		}
		if image, err = mutate.Append(image, mutate.Addendum{Layer: layer, MediaType: types.OCILayer, History: v1.History{Created: v1.Time{Time: at}, CreatedBy: "exoshift"}}); err != nil {
			return nil, err
		}
	}
	described := map[string]string{
		"org.opencontainers.image.title": "exoshift", "org.opencontainers.image.description": "Install OpenShift 4 on Exoscale",
		"org.opencontainers.image.version": o.version,
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.Created, config.OS, config.Architecture, config.Variant = v1.Time{Time: at}, platform.OS, platform.Architecture, platform.Variant
	config.Config = v1.Config{
		Entrypoint: []string{"/usr/local/bin/exoshift"}, User: fmt.Sprintf("%d:%d", userID, groupID), WorkingDir: home, Labels: described,
		Env: []string{
			"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + home, "XDG_STATE_HOME=" + home + "/state", "XDG_CACHE_HOME=" + home + "/cache",
			"TMPDIR=/tmp",
		},
		Volumes: map[string]struct{}{home: {}, "/tmp": {}},
	}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return nil, err
	}
	annotated, is := mutate.Annotations(image, described).(v1.Image)
	if !is {
		return nil, fmt.Errorf("annotate the image: %T is none", annotated)
	}
	return annotated, nil
}
