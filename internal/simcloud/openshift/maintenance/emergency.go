package maintenance

import (
	"context"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/container"
)

const (
	emergencyAccounts = "emergencyaccounts.cluster.appuio.io"
	emergencyInterval = 20 * time.Second
	clusterAdmin      = "cluster-admin"
)

// RunEmergency is emergency-credentials-controller in a pod: for each account it creates a service account with cluster-admin
// and issues tokens for it. The real one's storage of tokens is not simulated; a token request at the API returns the same
// token.
func RunEmergency(ctx context.Context, c container.Container) error {
	c.Running()
	for ctx.Err() == nil {
		if c.Cluster.Members.CheckQuorum() == nil {
			for _, account := range c.Cluster.Objects.List(emergencyAccounts, "") {
				if err := createEmergencyAccess(c.Cluster, account); err != nil {
					c.Machine.Console("emergency-credentials-controller: %s: %v", account.Name(), err)
				}
			}
		}
		_ = c.Cluster.Clock.Sleep(ctx, emergencyInterval)
	}
	return ctx.Err()
}

func createEmergencyAccess(c *cluster.Cluster, account kube.Object) error {
	if account.GetString("status.lastTokenCreationTimestamp") != "" {
		return nil
	}
	if err := c.Objects.Ensure(cluster.AccountResource, account.Namespace(), kube.NewNamed(account.Name()), nil); err != nil {
		return err
	}
	binding := kube.NewNamed("emergency-account-" + account.Name())
	binding["roleRef"] = kube.Object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": clusterAdmin}
	binding["subjects"] = []kube.Object{{"kind": "ServiceAccount", "namespace": account.Namespace(), "name": account.Name()}}
	if err := c.Objects.Ensure("clusterrolebindings.rbac.authorization.k8s.io", "", binding, nil); err != nil {
		return err
	}
	validity, err := parseDuration(account, "spec.validityDuration", 30*24*time.Hour)
	if err != nil {
		return err
	}
	_, err = c.Objects.Update(emergencyAccounts, account.Namespace(), account.Name(), func(o kube.Object) error {
		o.Set("status.lastTokenCreationTimestamp", c.Timestamp())
		o.Set("status.tokens", []kube.Object{{"uid": account.GetString("metadata.uid"), "expirationTimestamp": c.Clock.Now().Add(validity).UTC().Format(time.RFC3339)}})
		return nil
	})
	return err
}
