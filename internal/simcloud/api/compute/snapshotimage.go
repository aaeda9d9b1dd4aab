package compute

import (
	"crypto/md5" //nolint:gosec // the API states MD5
	"encoding/binary"
	"encoding/hex"
	"strings"
)

const (
	imageSuffix = ".qcow2"

	qcow2Magic       = "QFI\xfb"
	qcow2Version     = 3
	qcow2HeaderSize  = 104
	qcow2ClusterBits = 16
	qcow2Cluster     = 1 << qcow2ClusterBits
	qcow2Refcounts   = 4 // log2 of their width in bits
)

// buildImage returns the disk of a snapshot as an exported QCOW2 image without data: simulated disks have no contents. It is
// deterministic; the ID is behind the header, where readers ignore it, so that no two images are equal.
func (snap snapshot) buildImage() []byte {
	const table, l1 = qcow2Cluster, 3 * qcow2Cluster // of reference counts, whose only block is between the two
	size := snap.Size << 30
	entries := (size + qcow2Cluster*qcow2Cluster/8 - 1) / (qcow2Cluster * qcow2Cluster / 8) // an L2 table is a cluster of 8-byte entries
	content := make([]byte, 4*qcow2Cluster)
	copy(content, qcow2Magic)
	binary.BigEndian.PutUint32(content[4:], qcow2Version)
	binary.BigEndian.PutUint32(content[20:], qcow2ClusterBits)
	binary.BigEndian.PutUint64(content[24:], uint64(size))
	binary.BigEndian.PutUint32(content[36:], uint32(entries))
	binary.BigEndian.PutUint64(content[40:], l1)
	binary.BigEndian.PutUint64(content[48:], table)
	binary.BigEndian.PutUint32(content[56:], 1) // clusters of the table of reference counts
	binary.BigEndian.PutUint32(content[96:], qcow2Refcounts)
	binary.BigEndian.PutUint32(content[100:], qcow2HeaderSize)
	binary.BigEndian.PutUint64(content[table:], 2*qcow2Cluster)
	for n := range 4 {
		binary.BigEndian.PutUint16(content[2*qcow2Cluster+2*n:], 1) // each of the file's clusters is used once
	}
	copy(content[qcow2HeaderSize+8:], snap.ID) // after the end of the header's extensions
	return content
}

func (snap snapshot) imageName() string { return snap.ID + imageSuffix }

func (snap snapshot) checksum() string {
	sum := md5.Sum(snap.buildImage()) //nolint:gosec // see the import
	return hex.EncodeToString(sum[:])
}

// Image returns the content of an exported snapshot by the name in its link.
func (s *Snapshots) Image(name string) ([]byte, bool) {
	id, ok := strings.CutSuffix(name, imageSuffix)
	if !ok {
		return nil, false
	}
	snap, ok := s.table.Lookup(id)
	if !ok || snap.State != exported {
		return nil, false
	}
	return snap.buildImage(), true
}
