package similar_test

import (
	"strings"
	"testing"

	"exoshift/internal/text/similar"
)

func TestFindNearest(t *testing.T) {
	scenarios := []string{"happy", "late-dns", "load-balancer-packages", "load-balancer-silent", "master-never-joins"}
	for word, want := range map[string]string{
		"late":                     "late-dns", // the only one that begins so
		"LATE":                     "late-dns",
		"lat-dns":                  "late-dns",
		"late-dsn":                 "late-dns",
		"hapy":                     "happy",
		"load-balancer":            "", // two begin so
		"load-balancer-si":         "load-balancer-silent",
		"m":                        "", // one letter is no beginning
		"":                         "",
		"quota":                    "",
		strings.Repeat("late", 20): "",
	} {
		if got := similar.FindNearest(word, scenarios); got != want {
			t.Errorf("%q is taken for %q, want %q", word, got, want)
		}
	}
}

func TestFindWithin_CountsLetters(t *testing.T) {
	for word, want := range map[string]string{"NET-REG-03": "NET-REG-003", "net-rge-003": "NET-REG-003", "NET-DNS-103": "", "NET": ""} {
		if got := similar.FindWithin(word, []string{"NET-REG-003"}, 2); got != want {
			t.Errorf("%q is taken for %q, want %q", word, got, want)
		}
	}
}
