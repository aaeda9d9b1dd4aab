package operators

import (
	"testing"
	"time"

	"exoshift/internal/simcloud/kube"
)

func TestIsExpired_LikeKubernetes(t *testing.T) {
	made := time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		decision, certificate string
		keeps                 time.Duration // from its creation; 0: forever
	}{
		{"", "", 24 * time.Hour},
		{"Approved", "", 0},
		{"Approved", "PEM", 90 * time.Minute},
		{"Denied", "", 90 * time.Minute},
		{"Failed", "", 90 * time.Minute},
	} {
		request := kube.Object{"metadata": kube.Object{"creationTimestamp": made.Format(time.RFC3339)}, "status": kube.Object{"certificate": c.certificate}}
		if c.decision != "" {
			request.Set("status.conditions", []any{map[string]any{"type": c.decision, "status": "True",
				"lastUpdateTime": made.Add(30 * time.Minute).Format(time.RFC3339)}})
		}
		if keeps := max(c.keeps, time.Minute); isExpired(request, made.Add(keeps)) {
			t.Errorf("%+v: deleted after %s", c, keeps)
		}
		if got := isExpired(request, made.Add(c.keeps+48*time.Hour)); got != (c.keeps > 0) {
			t.Errorf("%+v: deleted later: %t", c, got)
		}
		if c.keeps > 0 && !isExpired(request, made.Add(c.keeps+time.Second)) {
			t.Errorf("%+v: kept longer than %s", c, c.keeps)
		}
	}
}
