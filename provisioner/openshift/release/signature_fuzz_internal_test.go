package release

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	openpgp "github.com/ProtonMail/go-crypto/openpgp/v2"
)

// FuzzVerify passes arbitrary signatures to another key and to the right one: whatever is accepted is the list that was signed.
func FuzzVerify(f *testing.F) {
	const list = "0a0a  openshift-install-linux.tar.gz\n"
	config := &packet.Config{Algorithm: packet.PubKeyAlgoEdDSA}
	signer, err := openpgp.NewEntity("publisher", "", "releases@example.net", config)
	if err != nil {
		f.Fatal(err)
	}
	key := releaseKey{keys: openpgp.EntityList{signer}, fingerprint: "0A"}
	now := time.Now().Add(time.Minute)
	var detached, signed, squeezed, plain bytes.Buffer
	if err := openpgp.DetachSign(&detached, []*openpgp.Entity{signer}, bytes.NewReader([]byte(list)), nil); err != nil {
		f.Fatal(err)
	}
	for _, seed := range []struct {
		into   *bytes.Buffer
		by     []*openpgp.Entity
		config *packet.Config
	}{{&signed, []*openpgp.Entity{signer}, nil}, {&squeezed, []*openpgp.Entity{signer}, &packet.Config{DefaultCompressionAlgo: packet.CompressionZLIB}}} {
		w, err := openpgp.Sign(seed.into, seed.by, nil, seed.config)
		if err != nil {
			f.Fatal(err)
		}
		if _, err := w.Write([]byte(list)); errors.Join(err, w.Close()) != nil {
			f.Fatal(err)
		}
	}
	w, err := packet.SerializeLiteral(unclosed{&plain}, true, "", 0)
	if err != nil {
		f.Fatal(err)
	}
	if _, err := w.Write([]byte("another list")); errors.Join(err, w.Close()) != nil {
		f.Fatal(err)
	}
	var armored bytes.Buffer
	a, err := armor.Encode(&armored, openpgp.SignatureType, nil)
	if err != nil {
		f.Fatal(err)
	}
	if _, err := a.Write(detached.Bytes()); errors.Join(err, a.Close()) != nil {
		f.Fatal(err)
	}
	for _, good := range []*bytes.Buffer{&detached, &signed, &squeezed, &armored} {
		if got, err := key.verify([]byte(list), good.Bytes(), now); err != nil || string(got) != list {
			f.Fatalf("a right signature is refused: %q, %v", got, err)
		}
		f.Add([]byte(list), good.Bytes())
		f.Add([]byte("0b0b  openshift-install-linux.tar.gz\n"), good.Bytes())
	}
	f.Add([]byte(list), plain.Bytes())
	f.Add([]byte(list), []byte("-----BEGIN PGP SIGNATURE-----\n\n=aaaa\n-----END PGP SIGNATURE-----\n"))
	f.Add([]byte(""), []byte("<html>"))
	f.Fuzz(func(t *testing.T, published, signature []byte) {
		got, err := key.verify(published, signature, now)
		if err != nil && (err.Error() == "" || got != nil) {
			t.Fatalf("%q was refused with %q", got, err)
		}
		if err == nil && string(got) != list {
			t.Fatalf("%q was never signed", got)
		}
	})
}

type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
