package assets_test

import (
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"exoshift/assets"
)

func TestFindHostKey_OfUserData(t *testing.T) {
	key, err := assets.NewHostKey()
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.ParsePrivateKey([]byte(key))
	if err != nil {
		t.Fatal(err)
	}
	lb := demo()
	without, err := assets.RenderLoadBalancerUserData(lb)
	if err != nil {
		t.Fatal(err)
	}
	lb.HostKey = key
	with, err := assets.RenderLoadBalancerUserData(lb)
	if err != nil {
		t.Fatal(err)
	}
	found, err := assets.FindHostKey(with)
	if want := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey()))); err != nil || found != want {
		t.Errorf("%q, %v, want %q", found, err, want)
	}
	for name, userData := range map[string]string{
		"none":    string(without),
		"no YAML": "#cloud-config\n\t" + key,
		"broken":  strings.Replace(string(with), "b3Blb", "b4Blb", 1),
	} {
		found, err := assets.FindHostKey([]byte(userData))
		if err == nil || strings.Contains(err.Error(), "b3Blb") || strings.Contains(err.Error(), "b4Blb") {
			t.Errorf("%s: %q, %v", name, found, err)
		}
	}
}
