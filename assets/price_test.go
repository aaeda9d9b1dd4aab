package assets_test

import (
	"math"
	"testing"

	"exoshift/assets"
)

func TestPrices_PerHour(t *testing.T) {
	prices, err := assets.ReadPrices()
	if err != nil || prices.Date == "" {
		t.Fatalf("%+v, %v", prices, err)
	}
	for _, c := range []struct {
		kind, instanceType string
		gib                int
		price              float64
		known              bool
	}{
		{"instance", "standard.medium", 100, 0.04666 + 0.014, true},
		{"instance", "standard.unheard-of", 0, 0, false},
		{"elastic-ip", "", 0, 0.01389, true},
		{"block-volume", "", 100, 0.006, true},
		{"security-group", "", 0, 0, true},
		{"bucket", "", 0, 0, false},
	} {
		price, known := prices.PerHour(c.kind, c.instanceType, c.gib)
		if known != c.known || math.Abs(price-c.price) > 1e-9 {
			t.Errorf("%s %s: %f, %v", c.kind, c.instanceType, price, known)
		}
	}
}
