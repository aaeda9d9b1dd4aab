package openshift

import (
	"context"
	"slices"

	"exoshift/state"
)

// clusterVersion is the part of config.openshift.io/v1 ClusterVersion that tells how far the cluster is.
type clusterVersion struct {
	Status struct {
		Desired struct {
			Version string `json:"version"`
		} `json:"desired"`
		Conditions conditions `json:"conditions"`
	} `json:"status"`
}

// clusterOperator is the part of config.openshift.io/v1 ClusterOperator that tells how it is.
type clusterOperator struct {
	Metadata named `json:"metadata"`
	Status   struct {
		Conditions conditions `json:"conditions"`
	} `json:"status"`
}

// Version looks at the cluster version and the operators; the zero status before they exist.
func (c *Cluster) Version(ctx context.Context) (state.VersionStatus, error) {
	api, err := c.connect(ctx)
	if err != nil {
		return state.VersionStatus{}, err
	}
	version, _, err := read[clusterVersion](ctx, api, clusterVersions, "version")
	if err != nil {
		return state.VersionStatus{}, err
	}
	operators, err := list[clusterOperator](ctx, api, clusterOperators, "")
	if err != nil {
		return state.VersionStatus{}, err
	}
	status := version.status()
	status.Total = len(operators)
	status.Unstable = unstable(operators)
	return status, nil
}

func (v clusterVersion) status() state.VersionStatus {
	reported := v.Status.Conditions
	status := state.VersionStatus{
		Version:     v.Status.Desired.Version,
		Available:   reported.is("Available"),
		Progressing: reported.is("Progressing"),
		Failing:     reported.is("Failing"),
		Message:     reported.find("Available").Message,
	}
	switch {
	case status.Failing:
		status.Message = reported.find("Failing").Message
	case status.Progressing:
		status.Message = reported.find("Progressing").Message
	}
	return status
}

// unstable names the operators that are not available, are progressing or degraded, sorted.
func unstable(operators []clusterOperator) []string {
	var names []string
	for _, operator := range operators {
		reported := operator.Status.Conditions
		if !reported.is("Available") || reported.is("Progressing") || reported.is("Degraded") {
			names = append(names, operator.Metadata.Name)
		}
	}
	slices.Sort(names)
	return names
}
