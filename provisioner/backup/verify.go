package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"filippo.io/age"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/backup/etcdsnapshot"
	"exoshift/provisioner/diagnosis"
	"exoshift/state"
	"exoshift/state/backup"
)

// unreadable is a backup whose content is not what was stored.
type unreadable struct {
	part   string
	reason string
}

// Error implements error.
func (u unreadable) Error() string { return u.part + ": " + u.reason }

// EmitUnreadable emits the finding about a backup that is damaged; nothing for other failures.
func EmitUnreadable(report provisioner.Report, clock provisioner.Clock, spec state.Spec, name string, failure error) {
	var damage unreadable
	if !errors.As(failure, &damage) {
		return
	}
	for _, finding := range diagnosis.EvaluateBackup(clock.Now(), spec, diagnosis.UnreadableBackup{Name: name, Reason: damage.Error()}) {
		report(provisioner.Event{
			Type: provisioner.TypeDiagnosis, Name: finding.Rule, State: provisioner.Present, Text: finding.Cause, Hint: finding.Fix, Evidence: finding.Evidence,
			Confidence: finding.Confidence, Since: &finding.Since, Disposition: string(finding.Disposition),
		})
	}
}

func newUnreadableError(name string, damage unreadable) error {
	return fault.New(fault.Invalid, "read the backup "+name+" back", damage).
		WithHint("make another one, and see the page of the finding: exoshift explain %s", diagnosis.BackupUnreadable)
}

// NewUnusableError is for a backup with a problem that is seen without reading it back.
func NewUnusableError(of Backup) error {
	return newUnreadableError(of.Name, unreadable{"manifest.json", of.Problem})
}

// NewOtherStatusError is for a backup whose snapshot is not that of its manifest.
func NewOtherStatusError(manifest backup.Manifest, found backup.Status) error {
	reason := fmt.Sprintf("it has the hash %d at revision %d with %d keys, not the hash %d at revision %d with %d keys", found.Hash, found.Revision, found.TotalKeys,
		manifest.Etcd.Hash, manifest.Etcd.Revision, manifest.Etcd.TotalKeys)
	return newUnreadableError(manifest.Name, unreadable{backup.PartSnapshot, reason})
}

// Verify downloads the parts of a backup, and compares them with its manifest: with identities, decrypted, and then it also returns what the
// snapshot says of itself. Nothing decrypted is written anywhere. fault.Invalid: it is damaged.
func (s *Store) Verify(ctx context.Context, manifest backup.Manifest, identities []age.Identity) (etcd backup.Status, decrypted bool, err error) {
	for _, part := range manifest.Parts {
		found, readable, err := s.verifyPart(ctx, part, identities)
		if err != nil {
			var damage unreadable
			if errors.As(err, &damage) {
				err = newUnreadableError(manifest.Name, damage)
			}
			return etcd, false, err
		}
		decrypted = readable
		if part.Name == backup.PartSnapshot {
			etcd = found
		}
	}
	return etcd, decrypted, nil
}

// verifyPart reports whether the part could be decrypted, too.
func (s *Store) verifyPart(ctx context.Context, part backup.Part, identities []age.Identity) (etcd backup.Status, readable bool, err error) {
	err = s.withPlain(ctx, part, identities, func(plain io.ReaderAt, size int64) error {
		readable = true
		etcd, err = verifyPlain(plain, size, part)
		return err
	})
	return etcd, readable, err
}

// withPlain downloads a part, compares what is stored with the manifest, and calls do with what it has, decrypted; without an identity of a
// recipient it does not. Nothing decrypted is written anywhere.
func (s *Store) withPlain(ctx context.Context, part backup.Part, identities []age.Identity, do func(plain io.ReaderAt, size int64) error) error {
	file, err := os.CreateTemp("", "exoshift-backup-*"+sealedSuffix)
	if err != nil {
		return fault.New(fault.Internal, "read a backup back", err)
	}
	defer func() { _ = file.Close() }()            // it was only read
	if err := os.Remove(file.Name()); err != nil { // it is gone with this process
		return fault.New(fault.Internal, "read a backup back", err)
	}
	sealed := newCounter()
	err = s.objects.Download(ctx, s.bucket, part.Object, io.MultiWriter(sealed, file))
	switch {
	case fault.Is(err, fault.NotFound):
		return unreadable{part.Name, "it is gone"}
	case err != nil:
		return err
	case sealed.size != part.SealedSize || sealed.sum() != part.SealedSHA256:
		return unreadable{part.Name, "what the bucket returns is not what was stored there: its SHA-256 is another one"}
	case len(identities) == 0:
		return nil
	}
	plain, size, err := age.DecryptReaderAt(file, sealed.size, identities...)
	var foreign *age.NoIdentityMatchError
	switch {
	case errors.As(err, &foreign):
		return nil
	case err != nil:
		return unreadable{part.Name, "it cannot be decrypted: " + err.Error()}
	}
	return do(plain, size)
}

// CopyPart writes what a part of a backup has, decrypted, after what is stored was compared with the manifest. fault.Invalid: it is damaged.
// An error of the writer is returned as it is.
func (s *Store) CopyPart(ctx context.Context, manifest backup.Manifest, name string, identities []age.Identity, to io.Writer) error {
	part := manifest.FindPart(name)
	if part == nil {
		return newUnreadableError(manifest.Name, unreadable{name, "its manifest does not have it"})
	}
	copied := false
	err := s.withPlain(ctx, *part, identities, func(plain io.ReaderAt, size int64) error {
		copied = true
		_, err := io.Copy(to, io.NewSectionReader(plain, 0, size))
		return err
	})
	var damage unreadable
	switch {
	case errors.As(err, &damage):
		return newUnreadableError(manifest.Name, damage)
	case err == nil && !copied:
		return NewNoIdentityError(manifest)
	}
	return err
}

// ReadPart calls read with a part, decrypted, after all of it was compared with the manifest; an error of read is that of a damaged part. Errors
// are those of CopyPart.
func (s *Store) ReadPart(ctx context.Context, manifest backup.Manifest, name string, identities []age.Identity, read func(plain io.Reader) error) error {
	part := manifest.FindPart(name)
	if part == nil {
		return newUnreadableError(manifest.Name, unreadable{name, "its manifest does not have it"})
	}
	decrypted := false
	err := s.withPlain(ctx, *part, identities, func(plain io.ReaderAt, size int64) error {
		decrypted = true
		if _, err := verifyPlain(plain, size, *part); err != nil {
			return err
		}
		if err := read(io.NewSectionReader(plain, 0, size)); err != nil {
			return unreadable{name, err.Error()}
		}
		return nil
	})
	var damage unreadable
	switch {
	case errors.As(err, &damage):
		return newUnreadableError(manifest.Name, damage)
	case err == nil && !decrypted:
		return NewNoIdentityError(manifest)
	}
	return err
}

// ErrNoIdentity is why a backup cannot be decrypted here.
var ErrNoIdentity = errors.New("there is no identity of a recipient at hand")

// NewNoIdentityError is for a backup that nobody here can decrypt.
func NewNoIdentityError(manifest backup.Manifest) error {
	return fault.New(fault.Denied, "decrypt the backup "+manifest.Name, ErrNoIdentity).
		WithHint("set EXOSHIFT_AGE_IDENTITY to the file of the identity of one of its recipients: %s", strings.Join(manifest.Recipients, ", "))
}

// verifyPlain compares what a part has, decrypted, with what was sent.
func verifyPlain(plain io.ReaderAt, size int64, part backup.Part) (etcd backup.Status, err error) {
	sum := newCounter()
	if _, err := io.Copy(sum, io.NewSectionReader(plain, 0, size)); err != nil {
		return etcd, unreadable{part.Name, "it cannot be decrypted: " + err.Error()}
	}
	if sum.size != part.Size || sum.sum() != part.SHA256 {
		return etcd, unreadable{part.Name, "decrypted, it is not what the cluster has sent"}
	}
	if part.Name != backup.PartSnapshot {
		return etcd, nil
	}
	if err := etcdsnapshot.CheckSum(plain, size); err != nil {
		return etcd, unreadable{part.Name, err.Error()}
	}
	if etcd, err = etcdsnapshot.ReadStatus(plain, size); err != nil {
		return etcd, unreadable{part.Name, err.Error()}
	}
	return etcd, nil
}
