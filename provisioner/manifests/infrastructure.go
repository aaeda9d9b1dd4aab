package manifests

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"exoshift/internal/fileread"
	"exoshift/state"

	"github.com/goccy/go-yaml"
)

// CheckInfrastructure refuses a catalog that describes the machines for Terraform: the pipeline of its repository has no state of
// machines that Terraform has not created, and would create all of them a second time.
func CheckInfrastructure(spec state.Spec, catalogDir string) error {
	dir := filepath.Join(catalogDir, "manifests", catalogInfrastructure)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := checkMachines(filepath.Join(dir, "main.tf.json"), spec); err != nil {
		return err
	}
	return newInvalidError(fmt.Errorf("%s contains this cluster's machines for Terraform, which has no state of them: the pipeline of the catalog's repository would create a second cluster", dir)).
		WithHint("add ~%s to the applications in %s.yml of the tenant's configuration, and compile the catalog again", catalogInfrastructure, spec.Cluster.ID)
}

// checkMachines refuses a catalog that was compiled for another cluster, zone or domain: the cluster would use another one's API.
// The file may be missing.
func checkMachines(path string, spec state.Spec) error {
	content, err := fileread.Text(path, maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return newInvalidError(err).WithHint("compile the catalog again")
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
		return newInvalidError(fmt.Errorf("%s: %w", path, err)).WithHint("compile the catalog again")
	}
	cluster := described.Module.Cluster
	for _, content := range []struct{ what, theirs, ours string }{
		{"cluster", cluster.ClusterID, spec.Cluster.ID},
		{"base domain", cluster.BaseDomain, spec.Cluster.BaseDomain},
		{"zone", cluster.Region, spec.Exoscale.Zone},
	} {
		if content.theirs != "" && content.theirs != content.ours {
			return newMismatchError(path, content.what, content.theirs, content.ours)
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
	return newInvalidError(fmt.Errorf("%s is for the %s %s, but this cluster's is %s", place, what, theirs, ours)).
		WithHint("compile the catalog of this cluster, or correct the answers")
}
