package apiserver

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/simcloud/kube"
)

func TestListResources_ShortNames(t *testing.T) {
	listed := listResources([]kube.Kind{kube.FindBuiltinKind(kube.CSRResource)}, "certificates.k8s.io/v1")
	if diff := cmp.Diff([]string{"csr"}, listed[0]["shortNames"]); diff != "" {
		t.Error(diff)
	}
}
