package sharedstate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"exoshift/internal/app/exit"
	"exoshift/internal/fileread"
	"exoshift/provisioner/gitlablock"
	"exoshift/provisioner/objects/sharedstore"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/provisioner/openshift/kubelease"
	"exoshift/state/shared"
)

// Kinds of what holds the locks, in the place of conditional writes.
const (
	lockKubernetes = "kubernetes"
	lockGitLab     = "gitlab"
)

var namespacePattern = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)

// ResolveLock reads the value of --lock: kubernetes:NAMESPACE or gitlab:PROJECT. It returns what shared state keeps of it: the project
// with its server, so that all machines lock in the same place.
func ResolveLock(lookup Lookup, text string) (string, error) {
	kind, name, _ := strings.Cut(text, ":")
	switch {
	case text == "":
		return "", nil
	case kind == lockKubernetes && len(name) <= 63 && namespacePattern.MatchString(name):
		return text, nil
	case kind == lockGitLab && strings.HasPrefix(name, "https://"):
		return text, nil
	case kind == lockGitLab && strings.Trim(name, "/") != "" && !strings.Contains(name, "://"):
		return lockGitLab + ":" + strings.TrimRight(lookup.findGitLab(), "/") + "/" + strings.Trim(name, "/"), nil
	}
	return "", exit.WithCode(exit.Usage, fmt.Errorf("--lock %s: it is kubernetes:NAMESPACE or gitlab:GROUP/PROJECT", text))
}

// findGitLab returns the server of the job that this runs in, or that of GitLab's own command, or the public one.
func (l Lookup) findGitLab() string {
	server, _ := l("CI_SERVER_URL")
	host, _ := l("GITLAB_HOST")
	if host != "" && !strings.Contains(host, "://") {
		host = "https://" + host
	}
	return cmp.Or(server, host, "https://gitlab.com")
}

// configure replaces what b has as the configuration of shared state says.
func (b *backend) configure(a Access, config shared.Config, o *shared.Options) error {
	if config.Unconditional {
		o.Store, o.Leases = withoutConditions(o.Store), withoutConditions(o.Leases)
	}
	kind, name, _ := strings.Cut(config.Lock, ":")
	switch kind {
	case "":
		return nil
	case lockKubernetes:
		login, err := a.Lookup.findCluster()
		if err != nil {
			return err
		}
		if b.cluster, err = kubelease.Open(a.Net, login, name); err != nil {
			return err
		}
		b.closers = append(b.closers, b.cluster.Close)
		o.Leases = b.cluster
		return nil
	case lockGitLab:
		locks, err := gitlablock.Open(a.Net, a.Lookup.locateProject(name), o.Leases)
		if err == nil {
			b.closers = append(b.closers, locks.Close)
			o.Leases = locks
		}
		return err
	}
	return exit.WithCode(exit.Usage, fmt.Errorf("the locks of this shared state are held by %q, which this version of exoshift does not know; update exoshift", kind))
}

func withoutConditions[T any](s T) T {
	if bucket, isBucket := any(s).(*sharedstore.Store); isBucket {
		if plain, fits := any(bucket.WithoutConditions()).(T); fits {
			return plain
		}
	}
	return s
}

// locateProject splits https://HOST/PROJECT.
func (l Lookup) locateProject(text string) gitlablock.Location {
	scheme, rest, _ := strings.Cut(text, "://")
	host, project, _ := strings.Cut(rest, "/")
	at := gitlablock.Location{Server: scheme + "://" + host, Project: project, User: "exoshift"}
	if token, given := l("GITLAB_TOKEN"); given {
		at.Password = token
	} else if token, given := l("CI_JOB_TOKEN"); given {
		at.User, at.Password = "gitlab-ci-token", token
	}
	return at
}

// accountDir is where a pod has the token of its service account.
const accountDir = "/var/run/secrets/kubernetes.io/serviceaccount"

// findCluster returns the cluster of KUBECONFIG, or that of the pod that this runs in, or that of ~/.kube/config.
func (l Lookup) findCluster() (kubeapi.Login, error) {
	if path, given := l("KUBECONFIG"); given && path != "" {
		return readKubeconfig(path)
	}
	host, inPod := l("KUBERNETES_SERVICE_HOST")
	port, _ := l("KUBERNETES_SERVICE_PORT")
	authority, err := fileread.Bytes(filepath.Join(accountDir, "ca.crt"), fileread.Small)
	if inPod && err == nil {
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		return kubeapi.Login{Server: "https://" + host + ":" + port, Authority: authority, Token: readAccountToken}, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return kubeapi.Login{}, fmt.Errorf("find the cluster that has the locks: %w; name its kubeconfig with KUBECONFIG", err)
	}
	return readKubeconfig(filepath.Join(home, ".kube", "config"))
}

func readKubeconfig(path string) (kubeapi.Login, error) {
	content, err := fileread.Bytes(path, fileread.Small)
	if errors.Is(err, fs.ErrNotExist) {
		return kubeapi.Login{}, exit.WithCode(exit.Usage, fmt.Errorf("the locks of this shared state are in a Kubernetes cluster, and there is no kubeconfig %s; name one with KUBECONFIG", path))
	}
	return kubeapi.Login{Kubeconfig: content}, err
}

func readAccountToken() (string, error) {
	token, err := fileread.Text(filepath.Join(accountDir, "token"), fileread.Small)
	return strings.TrimSpace(string(token)), err
}

// claim marks what holds the locks as this shared state's.
func (b *backend) claim(ctx context.Context, config shared.Config) error {
	if b.cluster == nil {
		return nil
	}
	return b.cluster.Claim(ctx, config.ID)
}

// verify fails unless what holds the locks is this shared state's.
func (b *backend) verify(ctx context.Context, id string) error {
	if b.cluster == nil {
		return nil
	}
	return b.cluster.Verify(ctx, id)
}
