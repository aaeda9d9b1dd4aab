package reach_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
	"exoshift/wizard/reach"
)

func TestParseSkip_ReasonAndExpiry(t *testing.T) {
	day := time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]reach.Skip{
		"ticket 4711":                               {Reason: "ticket 4711"},
		"  the mirror is used until 2027-01-31 ":    {Reason: "the mirror is used", Until: day},
		"the mirror is used, until 2027-01-31":      {Reason: "the mirror is used", Until: day},
		"the mirror is used (until 2027-01-31)":     {Reason: "the mirror is used", Until: day},
		"closed UNTIL 2027-01-31":                   {Reason: "closed", Until: day},
		"closed until the firewall is changed":      {Reason: "closed until the firewall is changed"},
		"open until 5 pm, then closed":              {Reason: "open until 5 pm, then closed"},
		"not until 2026-01-01 but until 2027-01-31": {Reason: "not until 2026-01-01 but", Until: day},
	} {
		got, err := reach.ParseSkip(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
		if again, err := reach.ParseSkip(got.String()); err != nil || again != got {
			t.Errorf("%q is read as %+v, %v", got, again, err)
		}
	}
}

func TestParseSkip_RefusesInvalid(t *testing.T) {
	for text, want := range map[string]string{
		"": "missing", "  ": "missing", "until 2027-01-31": "missing", "x until 2027-02-30": "not a valid date", "x until 31.1.2027": "not a valid date",
		"a\x1b[2Jb": "unprintable", "two\nlines": "unprintable", "\xff": "unprintable", strings.Repeat("é", 201): "longer",
	} {
		if got, err := reach.ParseSkip(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

func TestSkip_ExpiresAtStartOfDay(t *testing.T) {
	skip, err := reach.ParseSkip("x until 2027-01-31")
	if err != nil {
		t.Fatal(err)
	}
	midnight := time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)
	if skip.IsExpired(midnight.Add(-time.Second)) || !skip.IsExpired(midnight) || (reach.Skip{Reason: "x"}).IsExpired(midnight) {
		t.Error("it does not")
	}
}

func TestListSkips_Ordered(t *testing.T) {
	spec := state.Spec{Checks: state.ChecksSpec{Skip: map[string]string{"NET-B": "b until 2027-01-31", "NET-A": "a until 2027-01-31"}}}
	skips, err := reach.ListSkips(spec)
	if err != nil || len(skips) != 2 || skips[0].ID != "NET-A" || skips[1].Reason != "b" {
		t.Errorf("%+v, %v", skips, err)
	}
	spec.Checks.Skip["NET-C"] = ""
	if _, err := reach.ListSkips(spec); err == nil || !strings.Contains(err.Error(), "NET-C") {
		t.Errorf("%v", err)
	}
}
