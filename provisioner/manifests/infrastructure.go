package manifests

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"exoshift/internal/fileread"
	"exoshift/state"

	"github.com/goccy/go-yaml"
)

// checkInfrastructure refuses a catalog that was compiled for another cluster, zone or domain: it describes other machines, and
// the cluster would use another one's API. The file may be missing.
func checkInfrastructure(path string, spec state.Spec) error {
	content, err := fileread.Text(path, maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return newInvalidError(err).WithHint("compile the catalog anew")
	}
	var described struct {
		Module struct {
			Cluster struct {
				ClusterID  string `json:"cluster_id"`
				BaseDomain string `json:"base_domain"`
				Region     string `json:"region"`
			} `json:"cluster"`
		} `json:"module"`
	}
	if err := json.Unmarshal(content, &described); err != nil {
		return newInvalidError(fmt.Errorf("%s: %w", path, err)).WithHint("compile the catalog anew")
	}
	cluster := described.Module.Cluster
	for _, said := range []struct{ what, theirs, ours string }{
		{"cluster", cluster.ClusterID, spec.Cluster.ID},
		{"base domain", cluster.BaseDomain, spec.Cluster.BaseDomain},
		{"zone", cluster.Region, spec.Exoscale.Zone},
	} {
		if said.theirs != "" && said.theirs != said.ours {
			return newMismatchError(path, said.what, said.theirs, said.ours)
		}
	}
	return nil
}

// checkZone refuses a cloud controller that would search for its machines in another zone.
func checkZone(d document, zone string) error {
	if d.kind != "Secret" {
		return nil
	}
	values, _ := getField(d.fields, "stringData").(yaml.MapSlice)
	if theirs, _ := getField(values, "api-zone").(string); theirs != "" && theirs != zone {
		return newMismatchError(d.position, "zone", theirs, zone)
	}
	return nil
}

func newMismatchError(place, what, theirs, ours string) error {
	return newInvalidError(fmt.Errorf("%s is for the %s %s, and this cluster's is %s", place, what, theirs, ours)).
		WithHint("compile the catalog of this cluster, or correct the answers")
}
