package release_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/release"

	"github.com/ProtonMail/go-crypto/openpgp/packet"
	openpgp "github.com/ProtonMail/go-crypto/openpgp/v2"
)

func TestReleaseKey_MatchesFingerprint(t *testing.T) {
	keys, err := openpgp.ReadArmoredKeyRing(bytes.NewReader(assets.ReleaseKey()))
	if err != nil || len(keys) != 1 {
		t.Fatalf("%d keys, %v", len(keys), err)
	}
	if got := fingerprint(keys[0]); got != release.KeyFingerprint {
		t.Errorf("fingerprint = %s", got)
	}
	if _, err := keys[0].VerifyPrimaryKey(time.Now(), nil); err != nil {
		t.Errorf("it is not valid now: %v", err)
	}
	if _, found := keys[0].Identities["Red Hat, Inc. (release key 2) <security@redhat.com>"]; !found {
		t.Errorf("identities = %v", keys[0].Identities)
	}
}

func TestVerify_BothSignatureFormats(t *testing.T) {
	for name, sign := range map[string]func(*testing.T, *mirror) []byte{
		"detached": func(t *testing.T, m *mirror) []byte {
			return detached(t, m.signer, m.checksums().content, nil)
		},
		"detached, armored": func(t *testing.T, m *mirror) []byte {
			return armorOf(t, openpgp.SignatureType, func(w io.Writer) error {
				_, err := w.Write(detached(t, m.signer, m.checksums().content, nil))
				return err
			})
		},
		"detached, by two": func(t *testing.T, m *mirror) []byte {
			list := m.checksums().content
			return slices.Concat(detached(t, newSigner(t, 0), list, nil), detached(t, m.signer, list, nil))
		},
		"message": func(t *testing.T, m *mirror) []byte {
			return message(t, []*openpgp.Entity{m.signer}, m.checksums().content, nil)
		},
		"compressed message": func(t *testing.T, m *mirror) []byte {
			return message(t, []*openpgp.Entity{m.signer}, m.checksums().content,
				&packet.Config{DefaultCompressionAlgo: packet.CompressionZLIB})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMirror(t)
				m.publish(t, versionScript)
				m.signature().content = sign(t, m)
				if err := fetch(t.Context(), m.installer()); err != nil {
					t.Error(err)
				}
				if !m.said("signed by " + fingerprint(m.signer)) {
					t.Errorf("who signed was not said: %q", m.logged)
				}
			})
		})
	}
}

func TestVerify_SignedContentOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		m.publish(t, versionScript)
		m.signature().content = message(t, []*openpgp.Entity{m.signer}, m.checksums().content, nil)
		m.archive().content = pack(t, map[string]string{"openshift-install": strings.Replace(versionScript, "exit 0", "exit 1", 1)})
		m.checksums().content = []byte(sum(m.archive().content) + "  " + archiveName("4.20.5") + "\n")
		if err := fetch(t.Context(), m.installer()); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "sha256") {
			t.Errorf("an archive that nobody signed: %v", err)
		}
	})
}

// Every release is signed by the same key, so a mirror could present an old one as a new one.
func TestFetch_RefusesOtherVersionsList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		ran := filepath.Join(t.TempDir(), "ran")
		old := pack(t, map[string]string{"openshift-install": "#!/bin/sh\ntouch '" + ran + "'\n"})
		plain := strings.Replace(archiveName("4.20.4"), "-4.20.4", "", 1)
		m.files[directory+plain] = &file{content: old}
		m.files[directory+"sha256sum.txt"] = &file{content: fmt.Appendf(nil, "%s  %s\n%[1]s  %[3]s\n", sum(old), archiveName("4.20.4"), plain)}
		m.sign(t)
		if err := fetch(t.Context(), m.installer()); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "no checksum") {
			t.Error(err)
		}
		if _, err := os.Stat(ran); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("it was run: %v", err)
		}
	})
}

func TestFetch_RefusesBadSignature(t *testing.T) {
	other := func(t *testing.T) *openpgp.Entity { return newSigner(t, 0) }
	hour := &packet.Config{SigLifetimeSecs: 3600}
	for name, test := range map[string]struct {
		sign func(*testing.T, *mirror) []byte
		want string
	}{
		"another signer": {func(t *testing.T, m *mirror) []byte {
			return detached(t, other(t), m.checksums().content, nil)
		}, "not signed by the release key"},
		"a message of another signer": {func(t *testing.T, m *mirror) []byte {
			return message(t, []*openpgp.Entity{other(t)}, m.checksums().content, nil)
		}, "not signed by the release key"},
		"over another text": {func(t *testing.T, m *mirror) []byte {
			return detached(t, m.signer, []byte("another"), nil)
		}, "invalid signature"},
		"a message that was changed": {func(t *testing.T, m *mirror) []byte {
			signed := message(t, []*openpgp.Entity{m.signer}, m.checksums().content, nil)
			return bytes.Replace(signed, []byte(archiveName("4.20.5")), []byte(archiveName("4.20.6")), 1)
		}, "invalid signature"},
		"a message without a signature": {func(t *testing.T, m *mirror) []byte {
			return literal(t, m.checksums().content)
		}, "not signed by the release key"},
		"a signature that has ended": {func(t *testing.T, m *mirror) []byte {
			signature := detached(t, m.signer, m.checksums().content, hour)
			time.Sleep(2 * time.Hour)
			return signature
		}, "its signature has expired"},
		"SHA-1": {func(t *testing.T, m *mirror) []byte {
			return weak(t, m.signer, m.checksums().content)
		}, "insecure message hash algorithm: SHA-1"},
		"no signature but text": {func(*testing.T, *mirror) []byte { return []byte("signed, I swear") }, ""},
		"cut armor":             {func(*testing.T, *mirror) []byte { return []byte("-----BEGIN PGP SIGNATURE-----\n\nAAA") }, ""},
		"empty":                 {func(*testing.T, *mirror) []byte { return nil }, "not signed by the release key"},
		"a key that has ended": {func(t *testing.T, m *mirror) []byte {
			m.signer = newSigner(t, time.Hour)
			m.net.ReleaseKey = armored(t, m.signer)
			signature := detached(t, m.signer, m.checksums().content, nil)
			time.Sleep(2 * time.Hour)
			return signature
		}, "has expired"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMirror(t)
				m.publish(t, versionScript)
				m.signature().content = test.sign(t, m)
				err := fetch(t.Context(), m.installer())
				if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), test.want) || fault.HintOf(err) == "" {
					t.Errorf("kind %v: %v", fault.KindOf(err), err)
				}
				if !strings.Contains(err.Error(), "https://mirror.openshift.com"+directory+"sha256sum.txt.gpg") {
					t.Errorf("the place is missing: %v", err)
				}
				if m.requests(directory+archiveName("4.20.5")) > 0 || len(m.cached(t)) > 0 {
					t.Errorf("it was downloaded all the same: %v", m.cached(t))
				}
			})
		})
	}
}

func TestFetch_DefaultsToPinnedKey(t *testing.T) {
	m := newMirror(t)
	m.publish(t, versionScript)
	m.net.ReleaseKey = nil
	err := fetch(t.Context(), m.installer())
	if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "not signed by the release key "+release.KeyFingerprint) {
		t.Errorf("signed by someone else: %v", err)
	}
}

func TestFetch_RefusesUnsigned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		m.publish(t, versionScript)
		delete(m.files, directory+"sha256sum.txt.gpg")
		err := fetch(t.Context(), m.installer())
		if !fault.Is(err, fault.Invalid) || !strings.Contains(fault.HintOf(err), "signed") {
			t.Errorf("got %v, %q", err, fault.HintOf(err))
		}
	})
}

func TestFetch_RefusesInvalidKeyFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		m.publish(t, versionScript)
		secret := armorOf(t, openpgp.PrivateKeyType, func(w io.Writer) error { return m.signer.SerializePrivate(w, nil) })
		for name, test := range map[string]struct {
			key  []byte
			want string
		}{
			"empty":         {[]byte{}, "no OpenPGP public key"},
			"text":          {[]byte("ssh-ed25519 AAAA"), "no OpenPGP public key"},
			"a signature":   {armorOf(t, openpgp.SignatureType, func(w io.Writer) error { _, err := w.Write(m.signature().content); return err }), "no OpenPGP public key"},
			"two keys":      {armored(t, m.signer, newSigner(t, 0)), "2 OpenPGP keys"},
			"a private key": {secret, "private key"},
		} {
			m.net.ReleaseKey = test.key
			err := fetch(t.Context(), m.installer())
			if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), test.want) || !strings.Contains(fault.HintOf(err), "--release-key") {
				t.Errorf("%s: kind %v, %v", name, fault.KindOf(err), err)
			}
		}
	})
}
