package assets

import (
	"strings"
)

// Names of the restricted roles.
const (
	PolicyStorage         = "object_storage"      // the cluster's own services reach its buckets
	PolicyVolumes         = "csi-driver-exoscale" // the storage driver
	PolicyCloudController = "ccm-exoscale"
	PolicySharedState     = "shared_state" // a team reads and writes its shared state; no role of a cluster
)

// ListPolicies returns the names of the restricted roles that a cluster's own software works with.
func ListPolicies() []string { return []string{PolicyStorage, PolicyVolumes, PolicyCloudController} }

// RenderPolicy returns an IAM policy as JSON in Exoscale's form: what the object storage's user, the storage driver and
// the cloud controller manager need, and nothing else. Buckets are those that the object storage's user may work in.
//
// The operations are those that documentation and published setups of the two programs name; in rules a bucket is
// parameters.bucket.
func RenderPolicy(name string, buckets []string) ([]byte, error) {
	return render("policies/"+name+".json", struct{ Buckets []string }{buckets})
}

// quoteCEL returns the members of a list in the language of policies.
func quoteCEL(list []string) string {
	quoted := make([]string, len(list))
	for i, one := range list {
		quoted[i] = "'" + one + "'"
	}
	return strings.Join(quoted, ", ")
}
