package simcloud

import (
	"crypto/rand"
	"time"

	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/mirror"
	"exoshift/internal/simcloud/store"
)

type authority struct{ Certificate, Key []byte } // PEM

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

type releaseKey struct{ Private []byte }

// openReleaseKey loads the key, so that clients of an earlier process can still verify releases, or generates it.
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

type hostSeed struct{ Seed []byte }

// openHostSeed loads the seed of all SSH host keys, so that they match the known_hosts of earlier clients, or generates it.
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
