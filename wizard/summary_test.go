package wizard_test

import (
	"strings"
	"testing"

	"exoshift/wizard/local"
)

func TestSummarizePullSecret_HidesContent(t *testing.T) {
	const ok = `{"auth": "ZGVtbzpzM2NyZXQ="}`
	for text, want := range map[string]string{
		pullSecret:                          "4 registries: quay.io ok, registry.redhat.io ok, cloud.openshift.com ok and 1 more",
		`{"auths": {"b:5000": ` + ok + `}}`: "1 registry: b:5000 ok",
		`{"auths": {"quay.io": {"auth": "s3cret"}, "a.example.net/x": ` + ok + `}}`:               "2 registries: quay.io unusable, a.example.net/x ok; 1 cannot be used",
		`{"auths": {"s3cret pass": ` + ok + `}}`:                                                  "1 registry: one without a name ok",
		`{"auths": {"\u001b[2J": ` + ok + `, "` + strings.Repeat("s3cret", 40) + `":` + ok + `}}`: "2 registries: one without a name ok, one without a name ok",
		`{"auths": {}}`:       "the pull secret has no auths",
		`{"auths": "s3cret"}`: "the pull secret has an unexpected JSON structure",
		`s3cret`:              "the pull secret is not valid JSON at character 1",
	} {
		got := local.SummarizePullSecret(text)
		if got != want || strings.Contains(got, "s3cret") || strings.Contains(got, "ZGVt") {
			t.Errorf("got  %q\nwant %q", got, want)
		}
		if other := local.SummarizeSecret("openshift.pullSecret", text); other != got {
			t.Errorf("by its field it is %q", other)
		}
	}
}

func TestSummarizeSecret_HidesKey(t *testing.T) {
	short, long := local.SummarizeSecret("exoscale.apiSecret", "a"), local.SummarizeSecret("exoscale.apiSecret", strings.Repeat("a", 99))
	if short != long || strings.Contains(short, "a") || short == "" {
		t.Errorf("%q, %q", short, long)
	}
	if got := local.SummarizeSecret("exoscale.apiSecret", " "); got != "" {
		t.Errorf("nothing is %q", got)
	}
}
