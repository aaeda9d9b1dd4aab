// Package backup is the vocabulary of backups of a cluster: what their manifests say, and what a snapshot of etcd says of itself.
package backup

import (
	"errors"
	"time"
)

// Format is that of manifests.
const Format = 1

// Manifest describes a backup, and is stored after everything else of it. It holds no secret.
type Manifest struct {
	Format  int       `json:"v"`
	Name    string    `json:"name"`
	Cluster string    `json:"cluster"`  // its ID
	InfraID string    `json:"infra_id"` // that of its installation
	Created time.Time `json:"created"`
	// OpenShift is the version of the cluster: etcd is restored by the same one.
	OpenShift string `json:"openshift"`
	Etcd      Etcd   `json:"etcd"`
	// Dirty: the snapshot was made while the control plane changed. This program makes none of these.
	Dirty      bool         `json:"dirty"`
	Objects    Objects      `json:"objects"`
	Parts      []Part       `json:"parts"`
	Recipients []string     `json:"recipients"` // public keys, to which the parts are encrypted
	Program    string       `json:"program"`
	Verified   Verification `json:"verified"`
}

// Etcd is the snapshot in a backup.
type Etcd struct {
	Node string `json:"node"` // whose member made it
	Status
}

// Objects are those of the API in a backup.
type Objects struct {
	Count   int      `json:"count"`
	Missing []string `json:"missing"` // kinds, or groups with their version, that could not be read
}

// Status is what `etcdutl snapshot status` prints of a snapshot.
type Status struct {
	Hash      uint32 `json:"hash"`     // CRC-32C of all keys and values
	Revision  int64  `json:"revision"` // of the last change in it
	TotalKeys int64  `json:"total_keys"`
	TotalSize int64  `json:"total_size"` // of the database, in bytes
}

// Names of the parts of a backup.
const (
	PartSnapshot  = "snapshot.db"
	PartResources = "static_kuberesources.tar.gz"
	PartObjects   = "objects.tar.gz"
)

// Part is a file of a backup, which is stored encrypted.
type Part struct {
	Name   string `json:"name"`
	Object string `json:"object"` // its key in the bucket
	Size   int64  `json:"size"`   // in bytes, as its hash before the encryption
	SHA256 string `json:"sha256"` // hexadecimal
	// SealedSize and SealedSHA256 are of the object.
	SealedSize   int64  `json:"sealed_size"`
	SealedSHA256 string `json:"sealed_sha256"`
}

// Verification is how a backup was read back.
type Verification struct {
	At time.Time `json:"at,omitzero"` // zero: it was not
	// Decrypted: the files themselves were compared, and the snapshot was read; otherwise what is stored is what was sent.
	Decrypted bool `json:"decrypted"`
}

// FindPart returns the part of that name; nil: there is none.
func (m Manifest) FindPart(name string) *Part {
	for i := range m.Parts {
		if m.Parts[i].Name == name {
			return &m.Parts[i]
		}
	}
	return nil
}

// SnapshotFile is one of the files that the cluster's own cluster-backup.sh has written on a master.
type SnapshotFile struct {
	Name   string // without its folder
	SHA256 string // hexadecimal, as the master computed it
}

// Snapshot is what cluster-backup.sh has written.
type Snapshot struct {
	Node      string
	Database  SnapshotFile
	Resources SnapshotFile
	Status    *Status // as the script printed it; nil: it did not
}

// StoredObject is an object of a bucket.
type StoredObject struct {
	Key      string
	Size     int64 // in bytes
	Modified time.Time
}

// ErrProgressing is why cluster-backup.sh refuses to make a backup.
var ErrProgressing = errors.New("an operator of the control plane is progressing")
