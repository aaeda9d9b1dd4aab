// Package hostbackup runs the cluster's own cluster-backup.sh on a master, in a privileged pod with the root of the master's disk: the way of
// `oc debug node/...`, which OpenShift's documentation describes, and which needs nothing beyond the administrator's kubeconfig. The pod has a
// namespace of its own, and what the script has written is deleted with it.
package hostbackup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/provisioner/openshift/nodeprobe"
	"exoshift/state"
	"exoshift/state/backup"
)

const (
	namespaces kubeapi.ResourcePath = "v1/namespaces"
	pods       kubeapi.ResourcePath = "v1/pods@" + namespaceName
	proxies    kubeapi.ResourcePath = "config.openshift.io/v1/proxies"
)

// Names on the master. The script is in every release of OpenShift; the folder of files is cleaned by the system, too, if nobody else does.
const (
	script    = "/usr/local/bin/cluster-backup.sh"
	directory = "/var/tmp/" + namespaceName
)

// dirtyMark is in the names of files that the script has made with --force while the control plane changed.
const dirtyMark = "__POSSIBLY_DIRTY__"

const opMake = "make a snapshot of etcd"

// Maker makes snapshots of etcd.
type Maker struct{ connector *kubeapi.Connector }

// New returns a maker for the connector's cluster.
func New(connector *kubeapi.Connector) *Maker { return &Maker{connector} }

// PrepareSnapshot starts the pod on a master. It is called until it returns nil; fault.Transient: the pod does not run yet.
func (m *Maker) PrepareSnapshot(ctx context.Context, node string) error {
	api, err := m.connector.Connect(ctx)
	if err != nil {
		return err
	}
	owned, exists, err := kubeapi.Get[namespaceFields](ctx, api, namespaces, namespaceName)
	switch {
	case err != nil:
		return err
	case !exists:
		if _, err := api.Create(ctx, namespaces, buildNamespace()); err != nil && !apierrors.IsAlreadyExists(err) {
			return api.ToFault(ctx, "create namespace "+namespaceName, err)
		}
	case !owned.isOurs():
		return newForeignNamespaceError("create namespace " + namespaceName)
	case owned.Metadata.Deleted != nil:
		return fault.Newf(fault.Transient, opMake, "the pod of an earlier backup has to end")
	}
	return startPod(ctx, api, node)
}

func startPod(ctx context.Context, api *kubeapi.Client, node string) error {
	found, exists, err := kubeapi.Get[podFields](ctx, api, pods, podName)
	switch {
	case err != nil:
		return err
	case exists && found.Spec.Node != node:
		return fault.Newf(fault.Conflict, opMake, "the pod of another backup runs on %s", found.Spec.Node).WithHint("run the same command again: it ends that first")
	case exists && found.isEnded():
		return fault.Newf(fault.Conflict, opMake, "the pod %s/%s has ended: %s", namespaceName, podName, kubeapi.Sanitize(found.Status.Phase+" "+found.Status.Message))
	case exists && found.Status.Conditions.Is("Ready"):
		return nil
	case exists:
		return fault.Newf(fault.Transient, opMake, "the pod %s/%s has not started on %s", namespaceName, podName, node)
	}
	image, err := nodeprobe.FindImage(ctx, api, node)
	if err != nil {
		return err
	}
	_, err = api.Create(ctx, pods, buildPod(node, image))
	switch {
	case err == nil, apierrors.IsAlreadyExists(err):
		return fault.Newf(fault.Transient, opMake, "the pod %s/%s has not started on %s", namespaceName, podName, node)
	case apierrors.IsForbidden(err): // a namespace gets its account and its range of user IDs a moment later
		return fault.New(fault.Transient, "create pod "+podName, kubeapi.TruncateMessage(err))
	}
	return api.ToFault(ctx, "create pod "+podName, err)
}

// MakeSnapshot runs the script. fault.Conflict: the script refuses it, as operators progress if the cause is backup.ErrProgressing.
func (m *Maker) MakeSnapshot(ctx context.Context, node string) (made backup.Snapshot, err error) {
	api, err := m.connector.Connect(ctx)
	if err != nil {
		return made, err
	}
	made.Node = node
	environment, err := readProxy(ctx, api)
	if err != nil {
		return made, err
	}
	if err := runOnHost(ctx, api, io.Discard, "find", directory, "-mindepth", "1", "-delete"); err != nil { // of a call whose answer was lost
		return made, err
	}
	var printed bytes.Buffer
	if err := runOnHost(ctx, api, &printed, append(append([]string{"env"}, environment...), script, directory)...); err != nil {
		return made, explainRefusal(err, printed.String())
	}
	made.Status = parseStatus(printed.String())
	printed.Reset()
	if err := runOnHost(ctx, api, &printed, "find", directory, "-type", "f", "-exec", "sha256sum", "{}", "+"); err != nil {
		return made, err
	}
	made.Database, made.Resources, err = parseFiles(printed.String())
	return made, err
}

// explainRefusal adds what the script has printed last.
func explainRefusal(err error, printed string) error {
	var exit *kubeapi.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	lines := strings.Split(strings.TrimSpace(printed+"\n"+exit.Output), "\n")
	said := kubeapi.Sanitize(strings.Join(lines[max(0, len(lines)-3):], " "))
	cause := error(exit)
	if strings.Contains(printed+exit.Output, "operator is progressing") {
		cause = backup.ErrProgressing
	}
	return fault.New(fault.Conflict, opMake, refusal{said, cause}).WithHint("run the same command again once the control plane is at rest: oc get clusteroperators")
}

// refusal is what the script says, with its cause.
type refusal struct {
	said  string
	cause error
}

// Error implements error.
func (r refusal) Error() string { return script + ": " + r.said }

// Unwrap returns the cause.
func (r refusal) Unwrap() error { return r.cause }

// parseStatus returns nil if no line of what the script printed is a status.
func parseStatus(printed string) *backup.Status {
	for line := range strings.Lines(printed) {
		var found struct {
			Hash      *uint32 `json:"hash"`
			Revision  *int64  `json:"revision"`
			TotalKeys int64   `json:"totalKey"`
			TotalSize int64   `json:"totalSize"`
		}
		if json.Unmarshal([]byte(line), &found) == nil && found.Hash != nil && found.Revision != nil {
			return &backup.Status{Hash: *found.Hash, Revision: *found.Revision, TotalKeys: found.TotalKeys, TotalSize: found.TotalSize}
		}
	}
	return nil
}

var (
	sumPattern       = regexp.MustCompile(`^([0-9a-f]{64}) [ *](/\S+)$`)
	databasePattern  = regexp.MustCompile(`^snapshot_[0-9A-Za-z_:.-]+\.db$`)
	resourcesPattern = regexp.MustCompile(`^static_kuberesources_[0-9A-Za-z_:.-]+\.tar\.gz$`)
)

// parseFiles parses the lines of sha256sum: there has to be one pair of files.
func parseFiles(printed string) (database, resources backup.SnapshotFile, err error) {
	var databases, archives []backup.SnapshotFile
	for line := range strings.Lines(printed) {
		match := sumPattern.FindStringSubmatch(strings.TrimSpace(line))
		if match == nil || path.Dir(match[2]) != directory {
			return database, resources, fault.Newf(fault.Internal, opMake, "sha256sum prints something else than sums")
		}
		switch file := (backup.SnapshotFile{Name: path.Base(match[2]), SHA256: match[1]}); {
		case strings.Contains(file.Name, dirtyMark):
			return database, resources, fault.Newf(fault.Conflict, opMake, "it was made while the control plane changed: %s", file.Name)
		case databasePattern.MatchString(file.Name):
			databases = append(databases, file)
		case resourcesPattern.MatchString(file.Name):
			archives = append(archives, file)
		}
	}
	if len(databases) != 1 || len(archives) != 1 {
		return database, resources, fault.Newf(fault.Conflict, opMake, "%s has written %d snapshots and %d archives, not one of each", script, len(databases), len(archives))
	}
	return databases[0], archives[0], nil
}

// ReadSnapshotFile writes one of the files that the script has written.
func (m *Maker) ReadSnapshotFile(ctx context.Context, file backup.SnapshotFile, to io.Writer) error {
	api, err := m.connector.Connect(ctx)
	if err != nil {
		return err
	}
	return runOnHost(ctx, api, to, "cat", path.Join(directory, path.Base(file.Name)))
}

// EndSnapshot deletes the files on the master, the pod and its namespace: state.Found if there are none; fault.Transient: they are being deleted.
func (m *Maker) EndSnapshot(ctx context.Context) (state.Action, error) {
	const op = "delete namespace " + namespaceName
	api, err := m.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	owned, exists, err := kubeapi.Get[namespaceFields](ctx, api, namespaces, namespaceName)
	switch {
	case err != nil:
		return "", err
	case !exists:
		return state.Found, nil
	case !owned.isOurs():
		return "", newForeignNamespaceError(op)
	case owned.Metadata.Deleted == nil:
		_ = runOnHost(ctx, api, io.Discard, "rm", "-rf", directory) // the pod does it, too, when it ends
		err := api.Delete(ctx, namespaces, namespaceName, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return "", api.ToFault(ctx, op, err)
		}
	}
	if _, exists, err = kubeapi.Get[namespaceFields](ctx, api, namespaces, namespaceName); err != nil || exists {
		if err == nil {
			err = fault.Newf(fault.Transient, op, "it is being deleted")
		}
		return "", err
	}
	return state.Deleted, nil
}

func newForeignNamespaceError(op string) error {
	return fault.Newf(fault.Conflict, op, "somebody else has made a namespace of that name").WithHint("see whose it is, and delete it: oc describe namespace %s", namespaceName)
}

// runOnHost runs a command on the master itself.
func runOnHost(ctx context.Context, api *kubeapi.Client, out io.Writer, command ...string) error {
	return kubeapi.ExecTo(ctx, api, kubeapi.Container{Namespace: namespaceName, Pod: podName}, out, slices.Concat([]string{"chroot", hostRoot}, command)...)
}

// readProxy returns the variables of the cluster's proxy, by which the script may have to pull etcd's image.
func readProxy(ctx context.Context, api *kubeapi.Client) ([]string, error) {
	proxy, _, err := kubeapi.Get[struct {
		Status struct {
			HTTP    string `json:"httpProxy"`
			HTTPS   string `json:"httpsProxy"`
			NoProxy string `json:"noProxy"`
		} `json:"status"`
	}](ctx, api, proxies, "cluster")
	var variables []string
	for _, variable := range [][2]string{{"HTTP_PROXY", proxy.Status.HTTP}, {"HTTPS_PROXY", proxy.Status.HTTPS}, {"NO_PROXY", proxy.Status.NoProxy}} {
		if variable[1] != "" {
			variables = append(variables, variable[0]+"="+variable[1])
		}
	}
	return variables, err
}
