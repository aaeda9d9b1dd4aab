package rotation

import (
	"bytes"
	"context"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/objects"
	"exoshift/state"
)

// storage is the object storage of a zone.
type storage struct {
	net  network.Network
	zone string
}

const (
	checkedObject  = "exoshift-key-check"
	checkedContent = "This object is written, read and deleted to check an API key."
)

// CheckAccess writes, reads and deletes an object in a bucket with a key. A key that was just created may not be known everywhere yet: its
// refusal is fault.Transient.
func (s storage) CheckAccess(ctx context.Context, key state.APIKey, bucket string) error {
	client, err := objects.New(s.net, s.zone, key.Key, key.Secret, state.NoJournal{})
	if err != nil {
		return err
	}
	defer client.Close()
	if _, err = client.EnsureObject(ctx, bucket, checkedObject, []byte(checkedContent)); err == nil {
		var content []byte
		if content, err = client.GetObject(ctx, bucket, checkedObject, int64(len(checkedContent))); err == nil && !bytes.Equal(content, []byte(checkedContent)) {
			err = fault.Newf(fault.Transient, "read "+checkedObject+" in "+bucket, "it has another content")
		}
	}
	if err == nil {
		_, err = client.DeleteObject(ctx, bucket, checkedObject)
	}
	if fault.Is(err, fault.Denied) {
		return fault.New(fault.Transient, "use the new API key", err)
	}
	return err
}
