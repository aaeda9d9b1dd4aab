package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"filippo.io/age"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/state/backup"
)

func (c *Create) upload(ctx context.Context, report provisioner.Report) error {
	for _, one := range []struct {
		name string
		file backup.SnapshotFile
	}{{backup.PartSnapshot, c.snapshot.Database}, {backup.PartResources, c.snapshot.Resources}} {
		err := c.storePart(ctx, report, one.name, one.file.SHA256, func(ctx context.Context, to io.Writer) error {
			return c.clients.Cluster.ReadSnapshotFile(ctx, one.file, to)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *Create) archive(ctx context.Context, report provisioner.Report) error {
	err := c.storePart(ctx, report, backup.PartObjects, "", func(ctx context.Context, to io.Writer) (err error) {
		c.manifest.Objects, err = c.clients.Cluster.ArchiveObjects(ctx, to)
		return err
	})
	if err == nil && len(c.manifest.Objects.Missing) > 0 {
		report.EmitProgress(fmt.Sprintf("%d objects; not of the kinds that could not be read: %v", c.manifest.Objects.Count, c.manifest.Objects.Missing))
	}
	return err
}

// storePart encrypts what write writes, and stores it. sum is its SHA-256 if that is known. A transfer that was cut is begun again.
func (c *Create) storePart(ctx context.Context, report provisioner.Report, name, sum string, write func(context.Context, io.Writer) error) error {
	var part backup.Part
	err := repeat(ctx, c.clients.Clock, report, storageLimit, func(ctx context.Context) (err error) {
		part, err = c.seal(ctx, name, write)
		if err == nil && sum != "" && part.SHA256 != sum {
			err = fault.Newf(fault.Transient, "read "+name+" from the master", "it was changed on its way")
		}
		return err
	})
	if err != nil {
		return err
	}
	report.EmitObject(kindStored, c.store.bucket+"/"+part.Object, "", string(state.Created))
	c.manifest.Parts = append(c.manifest.Parts, part)
	return nil
}

// counter hashes and counts what is written to it.
type counter struct {
	hash.Hash
	size int64
}

func newCounter() *counter { return &counter{Hash: sha256.New()} }

// Write implements io.Writer.
func (c *counter) Write(content []byte) (int, error) {
	c.size += int64(len(content))
	return c.Hash.Write(content)
}

func (c *counter) sum() string { return hex.EncodeToString(c.Sum(nil)) }

var errEnded = errors.New("the upload has ended")

// seal passes what write writes through the encryption into an object, without a copy anywhere.
func (c *Create) seal(ctx context.Context, name string, write func(context.Context, io.Writer) error) (part backup.Part, err error) {
	part.Name, part.Object = name, formatKey(c.manifest.Name, name+sealedSuffix)
	plain, sealed := newCounter(), newCounter()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	reader, writer := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		writer.CloseWithError(encrypt(io.MultiWriter(sealed, writer), c.options.Keys.Parsed, func(to io.Writer) error {
			return write(ctx, io.MultiWriter(plain, to))
		}))
	}()
	err = c.clients.Objects.Upload(ctx, c.store.bucket, part.Object, reader, nil)
	_ = reader.CloseWithError(errEnded) // it never fails
	cancel()
	<-ended
	part.Size, part.SHA256, part.SealedSize, part.SealedSHA256 = plain.size, plain.sum(), sealed.size, sealed.sum()
	return part, err
}

func encrypt(to io.Writer, recipients []age.Recipient, write func(io.Writer) error) error {
	sealing, err := age.Encrypt(to, recipients...)
	if err != nil {
		return fault.New(fault.Internal, "encrypt a backup", err)
	}
	if err := write(sealing); err != nil {
		return err
	}
	return sealing.Close()
}
