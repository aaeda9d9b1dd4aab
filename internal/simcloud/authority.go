package simcloud

import (
	"crypto/rand"
	"time"

	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/mirror"
	"exoshift/internal/simcloud/store"
)

// authority is what is kept of the certificate authority of the simulated internet.
type authority struct{ Certificate, Key []byte } // PEM

// openAuthority returns the authority that clients of an earlier process trust already, or makes one.
func openAuthority(db *store.DB) (*fabric.CA, error) {
	kept, err := store.Load[authority](db, "zone/authority")
	if err != nil {
		return nil, err
	}
	if known, ok := kept.Get("root"); ok {
		return fabric.ParseCA(known.Certificate, known.Key)
	}
	made, err := fabric.NewCA("Simulated Internet Root")
	if err != nil {
		return nil, err
	}
	key, err := made.KeyPEM()
	if err != nil {
		return nil, err
	}
	return made, kept.Put("root", authority{Certificate: made.PEM(), Key: key})
}

// releaseKey is what is kept of the key that signs releases.
type releaseKey struct{ Private []byte }

// openReleaseKey returns the key that clients of an earlier process were told of, or makes one.
func openReleaseKey(db *store.DB) (mirror.Key, error) {
	kept, err := store.Load[releaseKey](db, "zone/release-key")
	if err != nil {
		return mirror.Key{}, err
	}
	if known, ok := kept.Get("mirror"); ok {
		return mirror.ParseKey(known.Private)
	}
	made, err := mirror.NewKey(time.Now(), 0)
	if err != nil {
		return mirror.Key{}, err
	}
	return made, kept.Put("mirror", releaseKey{Private: made.ExportPrivate()})
}

// hostSeed is what is kept of the SSH host keys of the simulated internet: what all of them are made from.
type hostSeed struct{ Seed []byte }

// openHostSeed returns the seed of the host keys that clients of an earlier process know, or makes one.
func openHostSeed(db *store.DB) ([]byte, error) {
	kept, err := store.Load[hostSeed](db, "zone/host-keys")
	if err != nil {
		return nil, err
	}
	if known, ok := kept.Get("seed"); ok {
		return known.Seed, nil
	}
	seed := make([]byte, 32)
	if _, err := rand.Read(seed); err != nil {
		return nil, err
	}
	return seed, kept.Put("seed", hostSeed{Seed: seed})
}
