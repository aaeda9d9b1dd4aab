package registry

import (
	"fmt"
	"strings"
	"testing"
)

func TestFindCredentials_LongestMatch(t *testing.T) {
	secret := `{"auths":{
		"quay.io":{"auth":"cXVheTpvbmU="},
		"quay.io/team":{"auth":"dGVhbTp0d28="},
		"https://index.docker.io/v1/":{"auth":"ZG9ja2VyOnRocmVl"},
		"registry.example:443":{"username":"plain","password":"four"}}}`
	for target, want := range map[[2]string]string{
		{"quay.io", ""}:                              "quay one",
		{"quay.io", "openshift-release-dev/ocp"}:     "quay one",
		{"quay.io", "team/app"}:                      "team two",
		{"quay.io", "teams/app"}:                     "quay one",
		{"registry-1.docker.io", "library/redis"}:    "docker three",
		{"registry.example", "a"}:                    "plain four",
		{"quay.io.example", ""}:                      "",
		{"registry.redhat.io", "openshift4/ose-cli"}: "",
	} {
		for range 20 { // its entries come in any order
			got, found, err := findCredentials(secret, target[0], target[1])
			if text := strings.TrimSpace(got.user + " " + got.password); text != want || found != (want != "") || err != nil {
				t.Fatalf("%v: %q, %v, %v", target, text, found, err)
			}
		}
	}
}

func TestFindCredentials_ErrorHasNoContent(t *testing.T) {
	for _, secret := range []string{
		`{"auths":{"quay.io":{"auth":"hunter2"}}}`, `hunter2`, `{"auths":"hunter2"}`, `{"auths":{"quay.io":{"auth":"aHVudGVyMg=="}}}`,
	} {
		_, found, err := findCredentials(secret, "quay.io", "")
		if found || err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, %v", secret, found, err)
		}
	}
	if _, found, err := findCredentials(" \n", "quay.io", ""); found || err != nil {
		t.Errorf("no pull secret: %v, %v", found, err)
	}
}

func TestCredentials_PrintNothing(t *testing.T) {
	secret := credentials{"somebody", "hunter2"}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(format, secret); strings.Contains(text, "hunter2") || strings.Contains(text, "somebody") {
			t.Errorf("%s prints %s", format, text)
		}
	}
}

func FuzzPullSecret(f *testing.F) {
	f.Add(`{"auths":{"quay.io":{"auth":"cXVheTpvbmU="}}}`, "quay.io", "a/b")
	f.Add(`{"auths":{"":{"auth":""}}}`, "", "")
	f.Fuzz(func(t *testing.T, secret, registry, repository string) {
		if _, found, err := findCredentials(secret, registry, repository); found && err != nil {
			t.Error("found and failed")
		}
	})
}
