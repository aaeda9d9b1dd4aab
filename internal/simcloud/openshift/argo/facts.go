package argo

import (
	"context"
	"net/http"
	"strings"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/cluster"
)

// collectFacts gives Steward's own facts precedence over additional ones.
func (s *steward) collectFacts(ctx context.Context) (map[string]any, error) {
	facts := map[string]any{}
	more, err := s.api.Get(ctx, apiclient.FormatResourcePath(SynNamespace, cluster.ConfigMapResource)+"/"+moreFactsName)
	if err != nil && !apiclient.IsCode(err, http.StatusNotFound) {
		return nil, err
	}
	for name, value := range more.Map("data") {
		facts[name] = value
	}
	kubernetes, err := s.api.Get(ctx, "/version")
	if err != nil {
		return nil, err
	}
	facts["kubernetesVersion"] = map[string]any(kubernetes)
	version, err := s.api.Get(ctx, "/apis/config.openshift.io/v1/clusterversions/version")
	if err != nil {
		return nil, err
	}
	if parts := strings.SplitN(getOpenShiftVersion(version), ".", 3); len(parts) == 3 {
		facts["openshiftVersion"] = map[string]any{"Major": parts[0], "Minor": parts[1], "Patch": parts[2]}
	}
	route, err := s.api.Get(ctx, "/apis/route.openshift.io/v1/namespaces/openshift-authentication/routes/oauth-openshift")
	if err == nil {
		facts["openshiftOAuthRoute"] = route.GetString("spec.host")
	}
	if apiclient.IsCode(err, http.StatusNotFound) {
		err = nil
	}
	return facts, err
}

// getOpenShiftVersion returns the newest version that was installed and verified, else the wanted one.
func getOpenShiftVersion(version kube.Object) string {
	for _, entry := range version.List("status.history") {
		if verified, _ := entry["verified"].(bool); verified && entry.GetString("state") == "Completed" {
			return entry.GetString("version")
		}
	}
	return version.GetString("status.desired.version")
}
