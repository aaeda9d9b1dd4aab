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
	signer, err := ssh.ParsePrivateKey([]byte(key.Private))
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
	lb.HostKey.Private = ""
	public, err := assets.RenderLoadBalancerUserData(lb)
	if err != nil {
		t.Fatal(err)
	}
	if stripped := assets.StripHostKey(with); string(stripped) != string(public) || strings.Contains(string(stripped), "PRIVATE") {
		t.Errorf("stripped is\n%s\nwant\n%s", stripped, public)
	}
	if found, err := assets.FindHostKey(public); err != nil || found != key.Public {
		t.Errorf("%q, %v, want %q", found, err, key.Public)
	}
	for name, userData := range map[string]string{
		"none":    string(without),
		"no YAML": "#cloud-config\n\t" + key.Private,
		"broken":  strings.Replace(string(with), key.Public, key.Public[:20], 1),
	} {
		found, err := assets.FindHostKey([]byte(userData))
		if err == nil || strings.Contains(err.Error(), "b3Blb") || strings.Contains(err.Error(), "AAAA") {
			t.Errorf("%s: %q, %v", name, found, err)
		}
	}
}
