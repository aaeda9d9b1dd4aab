package conformance

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math/rand/v2"

	"exoshift/internal/fault"
	"exoshift/provisioner/install/nodeimage"
	"exoshift/provisioner/objects"
	"exoshift/state"
)

// The image is a qcow2 file of version 3: header, reference counts, one table of each level, and data. It is as small as Exoscale
// takes disks, and has more than one part of a multipart upload.
const (
	imageGiB    = 10
	clusterBits = 16
	clusterSize = 1 << clusterBits
	firstData   = 5
	clusters    = firstData + 144
	imageBytes  = clusters * clusterSize
	copied      = 1 << 63 // flag of a table's entry: the cluster is in use once
)

func buildImage(seed string) []byte {
	const virtual = imageGiB << 30
	image, big := make([]byte, imageBytes), binary.BigEndian
	copy(image, "QFI\xfb")
	big.PutUint32(image[4:], 3)
	big.PutUint32(image[20:], clusterBits)
	big.PutUint64(image[24:], virtual)
	big.PutUint32(image[36:], virtual/(clusterSize/8*clusterSize)) // entries of the first level
	big.PutUint64(image[40:], 3*clusterSize)
	big.PutUint64(image[48:], 1*clusterSize)
	big.PutUint32(image[56:], 1)                      // clusters of the reference table
	big.PutUint32(image[96:], 4)                      // reference counts of 16 bits
	big.PutUint32(image[100:], 104)                   // length of the header
	big.PutUint64(image[clusterSize:], 2*clusterSize) // the one block of reference counts
	for i := range clusters {
		big.PutUint16(image[2*clusterSize+2*i:], 1)
	}
	big.PutUint64(image[3*clusterSize:], 4*clusterSize|copied) // the one table of the second level
	for i := range clusters - firstData {
		big.PutUint64(image[4*clusterSize+8*i:], uint64(firstData+i)*clusterSize|copied)
	}
	var key [32]byte
	copy(key[:], seed)
	_, _ = rand.NewChaCha8(key).Read(image[firstData*clusterSize:]) // never fails
	copy(image[firstData*clusterSize:], "options rw ignition.platform.id=openstack console=tty0\n")
	return image
}

// imageSource stands in for openshift-install and its mirror: everything after the download is the recipe's.
type imageSource struct{ run string }

func (s imageSource) FindBootImage(context.Context) (state.BootImage, error) {
	return state.BootImage{Build: s.run}, nil
}

func (s imageSource) OpenImage(context.Context, state.BootImage, func(string)) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(buildImage(s.run))), nil
}

// imageObjects settles the verdict about the upload once it is done.
type imageObjects struct {
	*objects.Client
	ledger *ledger
}

func (o imageObjects) Upload(ctx context.Context, bucket, key string, content io.Reader, sent func(bytes int)) error {
	err := o.Client.Upload(ctx, bucket, key, content, sent)
	if err == nil {
		err = o.CheckPrivate(ctx, bucket, key)
	}
	o.ledger.check(ImageUpload, err, "an image of %d MB was uploaded in parts, and strangers cannot read it", imageBytes/1_000_000)
	return err
}

// imagePart looks at the way of an image into a zone.
type imagePart struct{ *run }

// settle registers an image as the recipe does, reads it back, and deletes it.
func (r imagePart) settle(ctx context.Context) error {
	source := imageSource{r.spec.Cluster.ID}
	image := nodeimage.New(r.spec, r.cloud, imageObjects{r.storage, r.ledger}, nodeimage.Transfer{Source: source}, source, r.buckets, r.facts)
	since := r.options.Network.Clock.Now()
	if err := image.Ensure(ctx, r.report); err != nil {
		return err
	}
	made := image.Template()
	took := r.options.Network.Clock.Now().Sub(since).Round(1e9)
	r.ledger.settle(ImageTemplate, true, "an image was registered by a signed link and read back as it was given, after %s", took)
	if _, err := r.cloud.Delete(ctx, state.Object{Kind: state.KindTemplate, Name: made.Name, ID: made.ID}); err != nil {
		return err
	}
	_, err := r.cloud.FindTemplate(ctx, made.Name)
	if err == nil {
		err = fault.Newf(fault.Conflict, "delete template "+made.Name, "it is still listed")
	} else if fault.Is(err, fault.NotFound) {
		err = nil
	}
	r.ledger.check(ImageDeleted, err, "a template is gone from the list once its deletion has ended")
	return nil
}
