package mirror

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path"
	"strings"
)

type bootImage struct {
	build  string
	system string // prefix of the names of files and of deployments
	title  string
	folder string // directory of the stream's builds on its host
}

// newBootImage returns the boot image of a version: numbered after OpenShift up to 4.18 and after RHEL from then on; OKD has
// CentOS Stream. Of the builds those of 4.18, 4.21 and of OKD 4.21 are real ones. That OKD 4.20 is on Stream 10, and the folder
// of Stream 9, are guesses.
func newBootImage(version string) bootImage {
	switch okd := strings.Contains(version, "-okd-"); {
	case okd && strings.HasPrefix(version, "4.19."):
		return bootImage{"9.0.20250510-0", "scos", "CentOS Stream CoreOS", CentOSHost + "/centos/scos/9/prod/streams/c9s"}
	case okd:
		return bootImage{"10.0.20251103-0", "scos", "CentOS Stream CoreOS", ImagesHost + streamsPath + "c10s"}
	case strings.HasPrefix(version, "4.18."):
		return bootImage{"418.94.202501221327-0", "rhcos", "Red Hat Enterprise Linux CoreOS", ImagesHost + streamsPath + "4.18-9.4"}
	}
	return bootImage{"9.6.20251212-1", "rhcos", "Red Hat Enterprise Linux CoreOS", ImagesHost + streamsPath + "rhel-9.6"}
}

func (p bootImage) imageURL() string {
	return fmt.Sprintf("https://%s/builds/%s/x86_64/%s-%s-openstack.x86_64.qcow2.gz", p.folder, p.build, p.system, p.build)
}

// BuildImage returns the boot image of a version for OpenStack: its build, the compressed image and that one's SHA-256 in hex.
// It is deterministic.
func BuildImage(version string) (build string, qcow2gz []byte, sha256 string) {
	shown := newBootImage(version)
	qcow2gz = gzipImage(buildDisk(shown))
	return shown.build, qcow2gz, hashSHA256(qcow2gz)
}

// UncompressedSHA256 returns the SHA-256, in hex, of a version's uncompressed image.
func UncompressedSHA256(version string) string { return hashSHA256(buildDisk(newBootImage(version))) }

// ImageURL returns the URL of a version's image.
func ImageURL(version string) string { return newBootImage(version).imageURL() }

// ImageName returns the name of a version's image.
func ImageName(version string) string { return newBootImage(version).build }

// StreamName returns the name of the stream of a version's image.
func StreamName(version string) string {
	if !strings.Contains(version, "-okd-") {
		minor := strings.SplitN(version, ".", 3)
		return "rhcos-" + strings.Join(minor[:min(2, len(minor))], ".")
	}
	return path.Base(newBootImage(version).folder)
}

type images struct{ cache *cache }

func (i images) serve(w http.ResponseWriter, r *http.Request) {
	for _, version := range []string{"4.18.0", "4.19.0", "4.19.0-okd-scos.0", "4.20.0-okd-scos.0"} {
		shown := newBootImage(version)
		if shown.imageURL() != "https://"+r.Host+r.URL.Path {
			continue
		}
		content, err := i.cache.get(shown.build, func() ([]byte, error) { return gzipImage(buildDisk(shown)), nil })
		w.Header().Set("Content-Type", "application/gzip")
		serve(w, r, content, err)
		return
	}
	http.NotFound(w, r)
}

// The layout of a valid qcow2 file of version 3 with 16 clusters: header, reference counts, one table of each level, and data at
// the place of the boot partition.
const (
	clusterBits = 16
	cluster     = 1 << clusterBits
	clusters    = 16
	virtualSize = 16 << 30
	firstData   = 5
	bootOffset  = 128 << 20 // of the third partition on the virtual disk
	copied      = 1 << 63   // flag of a table entry: the cluster is in use once
)

func buildDisk(shown bootImage) []byte {
	image := make([]byte, clusters*cluster)
	big := binary.BigEndian
	writeHeader(image)
	big.PutUint64(image[1*cluster:], 2*cluster) // the one block of reference counts
	for i := range clusters {
		big.PutUint16(image[2*cluster+2*i:], 1)
	}
	big.PutUint64(image[3*cluster:], 4*cluster|copied) // the one table of the second level
	for i := range clusters - firstData {
		entry := 4*cluster + 8*(bootOffset/cluster+i)
		big.PutUint64(image[entry:], uint64(firstData+i)*cluster|copied)
	}
	// The contents of a boot image do not compress well; the seed makes it deterministic.
	noise := rand.NewChaCha8([32]byte([]byte(fmt.Sprintf("%-32.32s", shown.build))))
	_, _ = noise.Read(image[(firstData+1)*cluster:]) // never fails
	copy(image[firstData*cluster+4096:], renderBootEntry(shown))
	return image
}

func writeHeader(image []byte) {
	big := binary.BigEndian
	copy(image, "QFI\xfb")
	big.PutUint32(image[4:], 3)
	big.PutUint32(image[20:], clusterBits)
	big.PutUint64(image[24:], virtualSize)
	big.PutUint32(image[36:], virtualSize/(cluster/8*cluster)) // entries of the first level
	big.PutUint64(image[40:], 3*cluster)
	big.PutUint64(image[48:], 1*cluster)
	big.PutUint32(image[56:], 1)    // clusters of the reference table
	big.PutUint32(image[96:], 4)    // reference counts of 16 bits
	big.PutUint32(image[100:], 104) // length of the header
}

func renderBootEntry(shown bootImage) string {
	deployment := "/ostree/" + shown.system + "-0/"
	return "title " + shown.title + " " + shown.build + " (ostree:0)\nversion 1\n" +
		"linux /boot" + deployment + "vmlinuz\ninitrd /boot" + deployment + "initramfs.img\n" +
		"options rw $ignition_firstboot ostree=/ostree/boot.1/" + shown.system + "/0/0 " +
		"ignition.platform.id=openstack console=ttyS0,115200n8 console=tty0\n"
}

func gzipImage(image []byte) []byte {
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed) // most of it is noise
	if err != nil {
		return nil // there is such a level
	}
	_, _ = zip.Write(image) // a bytes.Buffer never fails
	_ = zip.Close()
	return packed.Bytes()
}
