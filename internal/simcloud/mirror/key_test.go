package mirror

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// ring is a client's key ring.
func ring(t *testing.T, key Key) openpgp.EntityList {
	t.Helper()
	known, err := openpgp.ReadArmoredKeyRing(bytes.NewReader(key.ExportPublic()))
	if err != nil {
		t.Fatal(err)
	}
	return known
}

func TestChecksums_BothSignatureForms(t *testing.T) {
	handler, key := mirrorOf(t, "true")
	sums := must(t, handler, directory+"sha256sum.txt")
	if _, err := openpgp.CheckDetachedSignature(ring(t, key), bytes.NewReader(sums), bytes.NewReader(must(t, handler, directory+"sha256sum.txt.gpg")), nil); err != nil {
		t.Errorf("the detached signature: %v", err)
	}
	inline := clientsURL + "stable-4.19/"
	message, err := openpgp.ReadMessage(bytes.NewReader(must(t, handler, inline+"sha256sum.txt.gpg")), ring(t, key), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(message.UnverifiedBody)
	if err != nil || message.SignatureError != nil || !bytes.Equal(body, must(t, handler, inline+"sha256sum.txt")) {
		t.Errorf("the message: %v, %v\n%s", err, message.SignatureError, body)
	}
}

func TestKey_RoundTrip(t *testing.T) {
	_, key := mirrorOf(t)
	again, err := ParseKey(key.ExportPrivate())
	if err != nil || !bytes.Equal(again.ExportPublic(), key.ExportPublic()) {
		t.Errorf("%v, %s", err, again.ExportPublic())
	}
	if bytes.Contains(key.ExportPublic(), []byte("PRIVATE")) || !strings.HasPrefix(string(key.ExportPublic()), "-----BEGIN PGP PUBLIC KEY BLOCK-----\n") {
		t.Errorf("the public key is\n%s", key.ExportPublic())
	}
}

func TestKey_Expires(t *testing.T) {
	made := time.Now().Add(-48 * time.Hour)
	key, err := NewKey(made, 24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	content := []byte("content")
	signature, err := key.signDetached(content, made.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	for at, valid := range map[time.Time]bool{made.Add(2 * time.Hour): true, time.Now(): false} {
		_, err := openpgp.CheckDetachedSignature(ring(t, key), bytes.NewReader(content), bytes.NewReader(signature), &packet.Config{Time: func() time.Time { return at }})
		if (err == nil) != valid {
			t.Errorf("at %s: %v", at, err)
		}
	}
}
