package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"exoshift/assets"
)

func TestHAProxy_AcceptsConfigOfAnySize(t *testing.T) {
	if _, err := os.Stat(haproxy); err != nil {
		t.Skipf("HAProxy is missing: install it, or run make e2e: %v", err)
	}
	for _, lb := range []assets.LoadBalancer{
		{Domain: domain, Masters: 1, Routers: 1},
		{Domain: domain, Masters: 3, Routers: 4, ProxyProtocol: true},
		{Domain: domain, Masters: 5, Routers: 200},
	} {
		t.Run(fmt.Sprintf("%d masters, %d routers", lb.Masters, lb.Routers), func(t *testing.T) {
			config, err := assets.RenderHAProxyConfig(lb)
			must(t, err)
			file := filepath.Join(t.TempDir(), "haproxy.cfg")
			must(t, os.WriteFile(file, config, 0o644))
			if output, err := exec.Command(haproxy, "-c", "-q", "-f", file).CombinedOutput(); err != nil || len(output) > 0 {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
}

func TestCloudInit_AcceptsUserData(t *testing.T) {
	if _, err := exec.LookPath("cloud-init"); err != nil {
		t.Skipf("cloud-init is missing, so nobody checks the user-data against its schema: %v", err)
	}
	userData, err := assets.RenderLoadBalancerUserData(assets.LoadBalancer{Domain: domain, Masters: 3, Routers: 4, ProxyProtocol: true})
	must(t, err)
	file := filepath.Join(t.TempDir(), "user-data")
	must(t, os.WriteFile(file, userData, 0o644))
	if output, err := exec.Command("cloud-init", "schema", "--config-file", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}
