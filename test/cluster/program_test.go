package cluster

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// source is the module that etcd, the API server, the controller manager and kubectl are built of, as one program.
const source = "kubernetes"

// errNoNetwork means that the program can neither be built nor be downloaded.
var errNoNetwork = errors.New("Kubernetes is neither built nor downloaded, and there is no network: run make e2e with one")

// built returns the path of the program. It is built once and kept in the user's cache.
var built = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	version, err := kubernetesVersion()
	if err != nil {
		return "", err
	}
	key, err := fingerprint()
	if err != nil {
		return "", err
	}
	kept := filepath.Join(cache, "exoshift-e2e", "kubernetes-"+version+"-"+key)
	if _, err := os.Stat(kept); err == nil {
		return kept, nil
	}
	return kept, build(version, kept)
})

// program returns the path of the program, or skips the test where it cannot be had.
func program(t *testing.T) string {
	t.Helper()
	path, err := built()
	if errors.Is(err, errNoNetwork) {
		t.Skip(err)
	}
	must(t, err)
	return path
}

// kubernetesVersion returns the version of the API server, with its v.
func kubernetesVersion() (string, error) {
	said, err := exec.Command("go", "list", "-C", source, "-m", "-f", "{{.Version}}", "k8s.io/kubernetes").Output()
	return strings.TrimSpace(string(said)), err
}

// fingerprint changes with the sources that the program is built of.
func fingerprint() (string, error) {
	hash := sha256.New()
	for _, name := range []string{"go.sum", "main.go"} {
		content, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			return "", err
		}
		hash.Write(content)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:4]), nil
}

func build(version, kept string) error {
	fmt.Printf("building etcd and Kubernetes %s, once; this takes minutes\n", version)
	began := time.Now()
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		return err
	}
	fresh := fmt.Sprintf("%s.%d", kept, os.Getpid())
	defer func() { _ = os.Remove(fresh) }()
	minor := strings.Split(version, ".")[1]
	const variable = " -X k8s.io/component-base/version."
	command := exec.Command("go", "build", "-C", source, "-buildvcs=false", "-o", fresh, "-ldflags",
		"-s -w"+variable+"gitVersion="+version+variable+"gitMajor=1"+variable+"gitMinor="+minor, ".")
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	said, err := command.CombinedOutput()
	if strings.Contains(string(said), "dial tcp") || strings.Contains(string(said), "GOPROXY=off") {
		return fmt.Errorf("%w\n%s", errNoNetwork, said)
	}
	if err != nil {
		return fmt.Errorf("build Kubernetes: %w\n%s", err, said)
	}
	fmt.Printf("built within %s\n", time.Since(began).Round(time.Second))
	return os.Rename(fresh, kept)
}
