package simcloud

import "testing"

// BenchmarkOpen opens and closes a zone, as hundreds of tests do.
func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		zone, err := Open(b.Context(), Options{Zone: region, Key: key, Secret: secret})
		if err != nil {
			b.Fatal(err)
		}
		if err := zone.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
