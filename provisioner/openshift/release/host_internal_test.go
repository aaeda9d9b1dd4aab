package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exoshift/internal/fault"
)

func TestResolveHostSuffix_HostPlatform(t *testing.T) {
	for host, want := range map[[2]string]string{
		{"linux", "amd64"}: "linux", {"linux", "arm64"}: "linux-arm64",
		{"darwin", "amd64"}: "mac", {"darwin", "arm64"}: "mac-arm64",
		{"windows", "amd64"}: "", {"linux", "riscv64"}: "",
	} {
		got, err := resolveHostSuffix(host[0], host[1])
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%v: %q, %v", host, got, err)
		}
	}
}

func TestResolveArchive_FIPS(t *testing.T) {
	if got, err := resolveArchive("linux", "amd64", "4.20.5", true); got != "openshift-install-rhel9-amd64.tar.gz" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for _, host := range [][2]string{{"linux", "arm64"}, {"darwin", "amd64"}} {
		if got, err := resolveArchive(host[0], host[1], "4.20.5", true); err == nil {
			t.Errorf("%v: %q", host, got)
		}
	}
}

// openshift-install refuses a host that is not in FIPS mode, after the download.
func TestCheckHost_FIPS(t *testing.T) {
	dir := t.TempDir()
	for content, want := range map[string]string{"1\n": "", "0\n": "not in FIPS mode", "": "not in FIPS mode", "none": "no such file"} {
		path := filepath.Join(dir, strings.TrimSpace(content)+"state")
		if content != "none" {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		err := checkHost(Choice{FIPS: true, HostFIPS: path})
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || !fault.Is(err, fault.Invalid)) {
			t.Errorf("%q: %v", content, err)
		}
		if err := checkHost(Choice{HostFIPS: path}); err != nil {
			t.Errorf("without FIPS: %v", err)
		}
	}
}
