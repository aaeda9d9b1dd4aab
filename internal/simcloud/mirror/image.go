package mirror

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
)

const imagesPath = "/art/storage/prod/streams/"

// Image returns the boot image of a version for OpenStack: its build, the compressed image and that one's SHA-256 in
// hex. The bytes are the same every time.
func Image(version string) (build string, qcow2gz []byte, sha256 string) {
	build = Build(version)
	qcow2gz = compress(disk(build))
	return build, qcow2gz, checksum(qcow2gz)
}

// UncompressedSHA256 returns the SHA-256, in hex, of a version's image after it is unpacked.
func UncompressedSHA256(version string) string { return checksum(disk(Build(version))) }

// ImageURL returns where the image of a version is served.
func ImageURL(version string) string {
	build := Build(version)
	return fmt.Sprintf("https://%s%s%s/builds/%s/x86_64/%s", ImagesHost, imagesPath, stream(build), build, fileName(build))
}

// Build returns the image that a version boots from: numbered after OpenShift up to 4.18, after RHEL from 4.19 on
// (only the builds of 4.18 and 4.21 are real ones).
func Build(version string) string {
	if strings.HasPrefix(version, "4.18.") {
		return "418.94.202501221327-0"
	}
	return "9.6.20251212-1"
}

func stream(build string) string {
	if strings.HasPrefix(build, "418.") {
		return "4.18-9.4"
	}
	return "rhel-9.6"
}

func fileName(build string) string { return "rhcos-" + build + "-openstack.x86_64.qcow2.gz" }

func serveImage(w http.ResponseWriter, r *http.Request) {
	for _, version := range []string{"4.18.0", "4.19.0"} {
		build := Build(version)
		if r.PathValue("build") != build || r.PathValue("stream") != stream(build) || r.PathValue("file") != fileName(build) {
			continue
		}
		_, image, _ := Image(version)
		w.Header().Set("Content-Type", "application/gzip")
		_, _ = w.Write(image) // the client went away
		return
	}
	http.NotFound(w, r)
}

// The image is a valid qcow2 file of version 3 with 16 clusters: header, reference counts, one table of each level,
// and data at the place of the boot partition.
const (
	clusterBits = 16
	cluster     = 1 << clusterBits
	clusters    = 16
	virtualSize = 16 << 30
	firstData   = 5
	bootOffset  = 128 << 20 // of the third partition on the virtual disk
	copied      = 1 << 63   // flag of a table entry: the cluster is in use once
)

func disk(build string) []byte {
	image := make([]byte, clusters*cluster)
	big := binary.BigEndian
	header(image)
	big.PutUint64(image[1*cluster:], 2*cluster) // the one block of reference counts
	for i := range clusters {
		big.PutUint16(image[2*cluster+2*i:], 1)
	}
	big.PutUint64(image[3*cluster:], 4*cluster|copied) // the one table of the second level
	for i := range clusters - firstData {
		entry := 4*cluster + 8*(bootOffset/cluster+i)
		big.PutUint64(image[entry:], uint64(firstData+i)*cluster|copied)
	}
	// What a boot image holds does not compress well; the seed makes it the same every time.
	noise := rand.NewChaCha8([32]byte([]byte(fmt.Sprintf("%-32.32s", build))))
	_, _ = noise.Read(image[(firstData+1)*cluster:]) // never fails
	copy(image[firstData*cluster+4096:], bootEntry(build))
	return image
}

func header(image []byte) {
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

func bootEntry(build string) string {
	return "title Red Hat Enterprise Linux CoreOS " + build + " (ostree:0)\nversion 1\n" +
		"linux /boot/ostree/rhcos-0/vmlinuz\ninitrd /boot/ostree/rhcos-0/initramfs.img\n" +
		"options rw $ignition_firstboot ostree=/ostree/boot.1/rhcos/0/0 ignition.platform.id=openstack console=ttyS0,115200n8 console=tty0\n"
}

func compress(image []byte) []byte {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(image) // a bytes.Buffer takes everything
	_ = zip.Close()
	return packed.Bytes()
}
