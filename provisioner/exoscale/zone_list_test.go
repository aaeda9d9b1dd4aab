package exoscale_test

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/site"
	"exoshift/provisioner/exoscale"
)

func TestListZones_WithoutCredentials(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		zones, err := exoscale.ListZones(ctx, w.net)
		w.check(err)
		if !slices.Contains(zones, zone) || !slices.Contains(zones, "at-vie-1") || !slices.IsSorted(zones) {
			w.t.Errorf("zones %v", zones)
		}
		w.InjectFaults(site.Fault{Match: "GET /v2/zone", Respond: func(answer http.ResponseWriter, request *http.Request) {
			if request.Header.Get("Authorization") != "" {
				w.t.Error("the request is signed")
			}
			matchPattern(200, `not JSON`)(answer, request)
		}})
		_, err = exoscale.ListZones(ctx, w.net)
		w.wantFault(err, fault.Internal, "list zones", "")
	})
}
