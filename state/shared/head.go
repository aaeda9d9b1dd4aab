package shared

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"exoshift/internal/fault"
	"exoshift/state/store"
)

const (
	clustersPrefix = "clusters/"
	headName       = "head.json"
)

// Head lists the files of a cluster's folder. Whoever replaces it has seen what it replaces.
type Head struct {
	Format  int               `json:"v"`
	Cluster string            `json:"cluster"`
	Counter int               `json:"counter"` // grows with each head
	Epoch   int               `json:"epoch"`   // of the lease that its writer held
	Files   map[string]File   `json:"files"`   // by their names in the folder
	Streams map[string]Stream `json:"streams"`
	Summary *Summary          `json:"summary,omitempty"` // nil: no run has kept one
	Nonce   string            `json:"nonce"`
	MAC     string            `json:"mac"`
}

// File is one file of the folder.
type File struct {
	Object string `json:"object"`
	Size   int    `json:"size"`             // of the object, in bytes
	Sum    string `json:"sha256"`           // of the object
	Plain  string `json:"plain"`            // authentication code of the content
	Sealed string `json:"sealed,omitempty"` // checksum of the recipients; "": it is not encrypted
	Mode   uint32 `json:"mode"`
}

// Stream is a file of lines that only grows. It is stored in segments, numbered from 1.
type Stream struct {
	Generation int `json:"generation"` // grows when the file was replaced
	Segments   int `json:"segments"`   // at least so many
}

// repository reads and writes what a store holds of clusters.
type repository struct {
	store  store.Store
	sealer sealer
	memory *Memory
	config Config
}

func (r *repository) readHead(ctx context.Context, id string) (Head, store.Version, error) {
	op := "read the shared state of cluster " + id
	object, err := r.store.Get(ctx, headKey(id))
	if errors.Is(err, fs.ErrNotExist) {
		return Head{Format: format, Cluster: id}, "", nil
	}
	if err != nil {
		return Head{}, "", fmt.Errorf("%s: %w", op, err)
	}
	var head Head
	if err := decode(object.Content, &head); err != nil {
		return Head{}, "", fmt.Errorf("%s: %w", op, err)
	}
	plain := head
	plain.MAC = ""
	if !r.sealer.isAuthentic(encode(plain), head.MAC) || head.Cluster != id {
		return Head{}, "", newTampered(op, headKey(id))
	}
	if err := r.memory.CheckCounter(id, head.Counter); err != nil {
		return Head{}, "", err
	}
	return head, object.Version, nil
}

// writeHead replaces a head by the next one.
func (r *repository) writeHead(ctx context.Context, head Head, by author, replaced store.Version) (Head, store.Version, error) {
	head.Counter++
	head.Nonce, head.MAC = by.nonce, ""
	head.MAC = r.sealer.authenticate(encode(head))
	version, err := r.store.Put(ctx, headKey(head.Cluster), encode(head), replaced)
	if err != nil {
		return head, "", fmt.Errorf("write the shared state of cluster %s: %w", head.Cluster, err)
	}
	return head, version, r.memory.CheckCounter(head.Cluster, head.Counter)
}

func headKey(id string) string { return clustersPrefix + id + "/" + headName }

// putFile stores a content in an object of its own.
func (r *repository) putFile(ctx context.Context, id string, content []byte, sealed bool, mode fs.FileMode) (File, error) {
	file := File{Object: clustersPrefix + id + "/objects/" + rand.Text(), Plain: r.sealer.authenticate(content), Mode: uint32(mode)}
	if sealed {
		var err error
		file.Sealed = r.hashRecipients()
		if content, err = r.sealer.seal(content); err != nil {
			return file, err
		}
	}
	file.Size, file.Sum = len(content), hash(content)
	_, err := r.store.Put(ctx, file.Object, content, "")
	return file, err
}

// getFile verifies what it returns by the head, which is authenticated.
func (r *repository) getFile(ctx context.Context, name string, file File) ([]byte, error) {
	op := "read " + name + " of shared state"
	object, err := r.store.Get(ctx, file.Object)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.NotFound, op, err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", op, err)
	case len(object.Content) < file.Size:
		return nil, newDamaged(op, file, "it is truncated: %d of %d bytes are left", len(object.Content), file.Size)
	case hash(object.Content) != file.Sum:
		return nil, newDamaged(op, file, "it was changed: its checksum differs")
	case file.Sealed == "":
		return object.Content, nil
	}
	content, err := unseal(object.Content, r.sealer.identities)
	if err != nil {
		return nil, fault.New(fault.Denied, op, err).WithHint("set EXOSHIFT_AGE_IDENTITY to an identity of one of its recipients")
	}
	return content, nil
}

func newDamaged(op string, file File, format string, args ...any) error {
	return fault.Newf(fault.Invalid, op, format, args...).WithHint("restore an earlier version of the object %s in the bucket", file.Object)
}

func (r *repository) hashRecipients() string {
	return hash([]byte(strings.Join(r.config.Recipients, "\n")))
}

// deleteUnneeded deletes the objects that only the head before needed. One that is left over does no harm.
func (r *repository) deleteUnneeded(ctx context.Context, before, after Head) {
	needed := map[string]bool{}
	for _, file := range after.Files {
		needed[file.Object] = true
	}
	for _, file := range before.Files {
		if !needed[file.Object] {
			_ = r.store.Delete(ctx, file.Object)
		}
	}
}
