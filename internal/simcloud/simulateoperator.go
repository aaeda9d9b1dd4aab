package simcloud

import (
	"fmt"
	"slices"
	"strings"
)

// missingSecret is the secret of a cluster that a catalog refers to in the scenario secretMissing.
const (
	missingSecret    = "oidc-client"
	missingSecretKey = "clientSecret"
)

// RequiresOperator tells whether a scenario stops an installation until somebody else has done something.
func RequiresOperator(scenario string) bool {
	return scenario != slowArgo && scenario != unexpectedAlert && slices.Contains(SynScenarios(), scenario)
}

// SimulateOperator does what people do between two runs of a rehearsal, where a scenario has needed them: the cluster's bootstrap
// token is reset unless it is valid, and the secret that nobody had made is made. The configuration is in order as soon
// as the scenario is another one.
func (z *Zone) SimulateOperator(cluster string) error {
	p, err := z.syn()
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
		return nil // there is no catalog that refers to anything
	}
	for _, content := range files {
		if strings.Contains(string(content), "/"+missingSecret+"/") {
			return p.vault.Put(found.Tenant+"/"+cluster+"/"+missingSecret, map[string]string{missingSecretKey: "made-by-a-person"})
		}
	}
	return nil
}
