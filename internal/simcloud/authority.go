package simcloud

import (
	"exoshift/internal/simcloud/fabric"
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
