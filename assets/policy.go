package assets

import (
	"bytes"
	"fmt"
	"text/template"
)

// Names of the restricted roles.
const (
	PolicyStorage         = "object_storage"      // the cluster's own services reach its buckets
	PolicyVolumes         = "csi-driver-exoscale" // the storage driver
	PolicyCloudController = "ccm-exoscale"
)

// ListPolicies returns the names of the restricted roles that a cluster's own software works with.
func ListPolicies() []string { return []string{PolicyStorage, PolicyVolumes, PolicyCloudController} }

// RenderPolicy returns an IAM policy as JSON in Exoscale's form: what the object storage's user, the storage driver and
// the cloud controller manager need, and nothing else. Buckets are those that the object storage's user may work in.
//
// The operations are those that documentation and published setups of the two programs name; in rules a bucket is
// parameters.bucket.
func RenderPolicy(name string, buckets []string) ([]byte, error) {
	parsed, err := template.ParseFS(files, "policies/"+name+".json")
	if err != nil {
		return nil, fmt.Errorf("policy %s: %w", name, err)
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, struct{ Buckets []string }{buckets}); err != nil {
		return nil, fmt.Errorf("policy %s: %w", name, err)
	}
	return out.Bytes(), nil
}
