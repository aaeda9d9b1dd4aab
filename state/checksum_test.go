package state_test

import (
	"bytes"
	"errors"
	"io/fs"
	"testing"

	"exoshift/state"
)

func TestSealed_ReadWithPassphraseOnly(t *testing.T) {
	folder, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	secret := []byte("kind: Secret")
	if err := folder.WriteSealed("steward.age", "passphrase", secret); err != nil {
		t.Fatal(err)
	}
	if sealed, err := folder.Read("steward.age"); err != nil || bytes.Contains(sealed, secret) {
		t.Errorf("it lies open: %v, %q", err, sealed)
	}
	if got, err := folder.ReadSealed("steward.age", "passphrase"); err != nil || !bytes.Equal(got, secret) {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := folder.ReadSealed("steward.age", "another"); err == nil || got != nil {
		t.Errorf("another passphrase reads %q", got)
	}
	if err := errors.Join(folder.Remove("steward.age"), folder.Remove("steward.age")); err != nil {
		t.Error(err)
	}
	if _, err := folder.ReadSealed("steward.age", "passphrase"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
