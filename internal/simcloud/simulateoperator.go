package simcloud

import (
	"fmt"
	"strings"
)

// missingSecret is the secret that a catalog refers to in the scenario vault-secret-missing.
const (
	missingSecret    = "oidc-client"
	missingSecretKey = "clientSecret"
)

// SimulateOperator performs what other people do between two runs of a rehearsal, if a scenario requires it: it resets the
// cluster's bootstrap token unless it is valid, and creates the missing secret. The configuration is repaired by choosing
// another scenario.
func (s *ProjectSyn) SimulateOperator(cluster string) error {
	p, err := s.open()
	if err != nil {
		return err
	}
	if err := p.syn.Reconcile(); err != nil {
		return err
	}
	found, known := p.syn.FindCluster(cluster)
	if !known {
		return nil
	}
	if !p.syn.IsTokenValid(cluster) {
		if err := p.syn.ResetToken(cluster); err != nil {
			return fmt.Errorf("reset the bootstrap token: %w", err)
		}
	}
	files, _, err := p.git.ReadFiles(found.Catalog)
	if err != nil {
		return nil // no catalog refers to a secret
	}
	for _, content := range files {
		if strings.Contains(string(content), "/"+missingSecret+"/") {
			return p.vault.Put(found.Tenant+"/"+cluster+"/"+missingSecret, map[string]string{missingSecretKey: "made-by-a-person"})
		}
	}
	return nil
}
