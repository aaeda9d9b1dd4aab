package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"exoshift/wizard/reach"
)

// Vault reports its health by the HTTP status.
func probeVault(ctx context.Context, a client) error {
	answer, err := a.fetch(ctx, call{url: a.buildURL("/v1/sys/health")}, listVaultStatuses()...)
	if err != nil {
		return err
	}
	var health struct {
		Initialized *bool `json:"initialized"`
		Sealed      *bool `json:"sealed"`
	}
	if json.Unmarshal(answer.body, &health) != nil || health.Initialized == nil || health.Sealed == nil {
		return answer.newProtocolError(errors.New("what answers is no Vault: it tells nothing about its health"))
	}
	if problem := describeVaultStatus(answer.status); problem != "" {
		return answer.fail(reach.ServerError, fmt.Errorf("it answers %d: %s", answer.status, problem))
	}
	return nil
}

func listVaultStatuses() []int { return []int{200, 429, 472, 473, 474, 501, 503, 530} }

func describeVaultStatus(status int) string {
	switch status {
	case 474:
		return "it stands by, and does not reach the active server"
	case 501:
		return "it was never initialized"
	case 503:
		return "it is sealed: somebody has to unseal it"
	case 530:
		return "this server was removed from its cluster"
	}
	return "" // active, standby, or a replica
}
