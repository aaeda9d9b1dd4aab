package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/api/storage"
)

func TestSOS_UsageAndPresignedURL(t *testing.T) {
	with := func(c *api.Config) {
		c.Buckets = func() []storage.Bucket {
			return []storage.Bucket{{Name: "c-1-bootstrap", Zone: zone, Created: time.Now(), Size: 42}}
		}
		c.Link = func(key, secret, bucket, object string) string {
			return "https://sos.example.com/" + bucket + "/" + object + "?by=" + key + "&with=" + secret[:1]
		}
	}
	inBubble(t, with, func(w world) {
		if body := w.accepted(http.MethodGet, "/sos-buckets-usage", ""); !strings.Contains(body, `"size":42`) {
			t.Errorf("usage: %s", body)
		}
		body := w.accepted(http.MethodGet, "/sos/b/presigned-url?key=a%2Fb", "")
		if !strings.Contains(body, "/b/a/b?by="+key) {
			t.Errorf("link: %s", body)
		}
	})
}
