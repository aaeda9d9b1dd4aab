package syn

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

func (c *Connection) registerCluster(ctx context.Context, report provisioner.Report) error {
	lieutenant, err := c.signInLieutenant(ctx, report)
	if err != nil {
		return err
	}
	// It did not exist during the checks, or Lieutenant's operator has not processed it yet. If it exists now, an answer
	// was lost.
	young := c.cluster.ID != "" && c.cluster.Catalog.URL == ""
	cluster, action, err := lieutenant.EnsureCluster(ctx, c.buildCluster())
	if err != nil {
		return err
	}
	c.cluster = cluster
	report.EmitObject(KindCluster, cluster.ID, "", string(action))
	err = c.updateFacts(func(facts *state.SynFacts) {
		facts.Lieutenant, facts.Tenant, facts.Catalog = c.Spec.Syn.LieutenantURL, cluster.Tenant, cluster.Catalog.Redacted()
		if action == state.Created || young && facts.Created.IsZero() {
			facts.Created = c.now()
		}
	})
	if err != nil {
		return err
	}
	if err := c.checkRegistered(report, cluster); err != nil {
		return err
	}
	return c.setInitialFacts(ctx, lieutenant)
}

// The cluster will report these facts itself later, but its configuration cannot be compiled without them.
func (c *Connection) setInitialFacts(ctx context.Context, lieutenant Lieutenant) error {
	facts, err := parseVersionFacts(c.Facts.Get().OpenShiftVersion)
	if err != nil {
		return err
	}
	_, err = lieutenant.EnsureDynamicFacts(ctx, c.Spec.Cluster.ID, facts)
	return err
}

// Kubernetes' minor version is OpenShift's plus 13, e.g. for 4.21.3.
func parseVersionFacts(version string) (map[string]any, error) {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, found := strings.Cut(rest, ".")
	number, err := strconv.Atoi(minor)
	if err != nil || !found {
		return nil, fault.Newf(fault.Internal, "tell Lieutenant the cluster's version", "%q is no version", version)
	}
	return map[string]any{
		"kubernetesVersion": map[string]any{"major": "1", "minor": strconv.Itoa(number + 13)},
		"openshiftVersion":  map[string]any{"Major": major, "Minor": minor},
	}, nil
}

// The cluster's own Steward reports its facts, which replace the initial ones.
func (c *Connection) waitReported() provisioner.StepFunc {
	return withHint("wait for the cluster's facts in Lieutenant",
		"look at the log of the Deployment steward in the namespace syn, then run again", provisioner.PollUntil(c.Clock, synthesisEvery, limitSynthesis, func(ctx context.Context, report provisioner.Report) error {
			lieutenant, err := c.signInLieutenant(ctx, report)
			if err != nil {
				return err
			}
			cluster, err := lieutenant.GetCluster(ctx, c.Spec.Cluster.ID)
			if err != nil {
				return err
			}
			if missing := listUnreported(cluster); missing != "" {
				return fmt.Errorf("Lieutenant has not heard from the cluster's Steward: no %s yet", missing)
			}
			return nil
		}))
}

// Only Steward reports these facts.
func listUnreported(cluster state.SynCluster) string {
	kubernetes, _ := cluster.DynamicFacts["kubernetesVersion"].(map[string]any)
	openshift, _ := cluster.DynamicFacts["openshiftVersion"].(map[string]any)
	switch {
	case cluster.Catalog.DeployKey == "":
		return "key for the catalog's repository"
	case kubernetes["gitVersion"] == nil:
		return "version of Kubernetes"
	case openshift["Patch"] == nil:
		return "version of OpenShift"
	}
	return ""
}
