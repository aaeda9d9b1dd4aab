package release

import "testing"

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
