package simcloud

import (
	"fmt"
	"slices"
	"strings"
)

// unmade is the secret of a cluster that a catalog refers to in the scenario secretMissing.
const (
	unmade    = "oidc-client"
	unmadeKey = "clientSecret"
)

// NeedsPeople tells whether a scenario stops an installation until somebody else has done something.
func NeedsPeople(scenario string) bool {
	return scenario != slowArgo && scenario != unexpectedAlert && slices.Contains(Handovers(), scenario)
}

// TakeTurn does what people do between two runs of a rehearsal, where a scenario has needed them: the cluster's bootstrap
// token is reset unless it is valid, and the secret that nobody had made is made. The configuration is in order as soon
// as the scenario is another one.
func (z *Zone) TakeTurn(cluster string) error {
	p, err := z.syn()
	if err != nil {
		return err
	}
	if err := p.syn.Settle(); err != nil {
		return err
	}
	found, known := p.syn.Cluster(cluster)
	if !known {
		return nil
	}
	if !p.syn.TokenValid(cluster) {
		if err := p.syn.ResetToken(cluster); err != nil {
			return fmt.Errorf("reset the bootstrap token: %w", err)
		}
	}
	files, _, err := p.git.Files(found.Catalog)
	if err != nil {
		return nil // there is no catalog that refers to anything
	}
	for _, content := range files {
		if strings.Contains(string(content), "/"+unmade+"/") {
			return p.vault.Put(found.Tenant+"/"+cluster+"/"+unmade, map[string]string{unmadeKey: "made-by-a-person"})
		}
	}
	return nil
}
