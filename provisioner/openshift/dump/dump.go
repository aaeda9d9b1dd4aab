// Package dump writes down the state of a cluster for those who help.
package dump

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"exoshift/provisioner/openshift/kubeapi"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type dumpItem struct {
	resource kubeapi.ResourcePath
	name     string
}

// listDumpItems returns the most important first. Secrets, MachineConfigs and proxy settings are not included, because they hold
// passwords.
func listDumpItems() []dumpItem {
	return []dumpItem{
		{resource: kubeapi.ClusterVersions}, {resource: kubeapi.ClusterOperators}, {resource: kubeapi.Nodes}, {resource: kubeapi.CertificateRequests},
		{resource: kubeapi.Etcds}, {resource: kubeapi.KubeAPIServers}, {resource: kubeapi.KubeControllerManagers}, {resource: kubeapi.KubeSchedulers},
		{resource: "machineconfiguration.openshift.io/v1/machineconfigpools"},
		{resource: kubeapi.SystemConfig, name: "bootstrap"}, {resource: kubeapi.EtcdConfig, name: "etcd-endpoints"},
		{resource: "v1/events"}, {resource: "v1/pods"},
		{resource: kubeapi.IngressControllers}, {resource: kubeapi.ConsoleRoutes},
		{resource: "operator.openshift.io/v1/networks"}, {resource: "config.openshift.io/v1/networks"},
		{resource: "config.openshift.io/v1/infrastructures"}, {resource: "config.openshift.io/v1/schedulers"},
	}
}

const (
	maxDumpFile     = 2 << 20          // bytes of one file
	maxDumpContent  = maxDumpFile - 64 // bytes of its objects; the rest is for a last line with the number of omitted objects
	dumpParallelism = 4
)

// Dumper dumps the state of the cluster.
type Dumper struct{ connector *kubeapi.Connector }

// New returns a dumper of the connector's cluster.
func New(connector *kubeapi.Connector) *Dumper { return &Dumper{connector} }

// Dump passes the state of the cluster to write: a file for each kind, with one object per line as JSON, unhealthy ones first.
// Bulky fields without diagnostic value are removed, and no Secret is ever read. A kind that cannot be read does not prevent the
// others from being dumped; the error joins a reason for each kind.
func (c *Dumper) Dump(ctx context.Context, write func(name string, content []byte) error) error {
	api, err := c.connector.Connect(ctx)
	if err != nil {
		return err
	}
	var group errgroup.Group
	group.SetLimit(dumpParallelism)
	var one sync.Mutex // guards failures, and serializes write
	var failures []error
	var quiet failureCounter
	for _, e := range listDumpItems() {
		group.Go(func() error {
			if quiet.isExceeded() {
				return nil
			}
			lines, failure := readDumpItem(ctx, api, e)
			one.Lock()
			defer one.Unlock()
			quiet.record(failure)
			if content := lines.render(); len(content) > 0 {
				failure = errors.Join(failure, write(e.fileName(), content))
			}
			if failure != nil {
				failures = append(failures, failure)
			}
			return nil
		})
	}
	err = group.Wait()
	if quiet.isExceeded() {
		failures = append(failures, errors.New("no response; all other resources were skipped"))
	}
	return errors.Join(err, errors.Join(failures...))
}

// failureCounter counts consecutive requests without a response. Each of them takes as long as requestTimeout; after as many as
// run in parallel, further ones would time out, too.
type failureCounter struct{ requests atomic.Int32 }

func (s *failureCounter) record(failure error) {
	var answer apierrors.APIStatus
	if failure == nil || errors.As(failure, &answer) {
		s.requests.Store(0)
		return
	}
	s.requests.Add(1)
}

func (s *failureCounter) isExceeded() bool { return s.requests.Load() >= dumpParallelism }

func (e dumpItem) fileName() string {
	path, namespace, _ := strings.Cut(string(e.resource), "@")
	parts := strings.Split(path, "/")
	words := []string{parts[len(parts)-1]}
	if len(parts) == 3 {
		group, _, _ := strings.Cut(parts[0], ".")
		words = append(words, group)
	}
	for _, word := range []string{namespace, e.name} {
		if word != "" {
			words = append(words, word)
		}
	}
	return strings.Join(words, "-") + ".jsonl"
}

// readDumpItem reads page by page; objects read before an error are returned beside it.
func readDumpItem(ctx context.Context, api *kubeapi.Client, e dumpItem) (dumpBuffer, error) {
	var lines dumpBuffer
	if e.name != "" {
		object, err := api.GetObject(ctx, e.resource, e.name)
		if err == nil {
			lines.add(*object)
		}
		return lines, ignoreNotFound(ctx, api, "read "+e.resource.String()+" "+e.name, err)
	}
	following := ""
	for {
		page, err := api.ListObjects(ctx, e.resource, following)
		if err != nil {
			return lines, ignoreNotFound(ctx, api, "list "+e.resource.String(), err)
		}
		for _, object := range page.Items {
			lines.add(object)
		}
		if following = page.GetContinue(); following == "" {
			return lines, nil
		}
	}
}

// ignoreNotFound returns nil if the resource does not exist.
func ignoreNotFound(ctx context.Context, api *kubeapi.Client, op string, err error) error {
	if err == nil || apierrors.IsNotFound(err) {
		return nil
	}
	return api.ToFault(ctx, op, err)
}

type dumpBuffer struct {
	unhealthy, healthy bytes.Buffer
	skipped            int // objects beyond the limit
}

func (d *dumpBuffer) add(object unstructured.Unstructured) {
	stripObject(object)
	line, err := json.Marshal(object.Object)
	if err != nil {
		d.skipped++
		return
	}
	into := &d.healthy
	if isUnhealthy(object) {
		into = &d.unhealthy
	}
	if into.Len()+len(line) >= maxDumpContent {
		d.skipped++
		return
	}
	into.Write(append(line, '\n'))
}

// render appends a line with the number of omitted objects.
func (d *dumpBuffer) render() []byte {
	content, left := bytes.Clone(d.unhealthy.Bytes()), d.skipped
	for line := range bytes.Lines(d.healthy.Bytes()) {
		if len(content)+len(line) > maxDumpContent {
			left++
			continue
		}
		content = append(content, line...)
	}
	if left > 0 {
		line, _ := json.Marshal(map[string]int{"left_out": left}) // always encodes
		content = append(append(content, line...), '\n')
	}
	return content
}

// stripObject removes bulky fields without diagnostic value, and those that may hold a password: of pods, whose spec holds
// environment variables, only the status is kept.
func stripObject(object unstructured.Unstructured) {
	object.SetManagedFields(nil)
	unstructured.RemoveNestedField(object.Object, "metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
	switch object.GetKind() {
	case "Node":
		unstructured.RemoveNestedField(object.Object, "status", "images")
	case "Pod":
		node, _, _ := unstructured.NestedString(object.Object, "spec", "nodeName")
		object.SetAnnotations(nil)
		object.Object["spec"] = map[string]any{"nodeName": node}
	}
}

func isUnhealthy(object unstructured.Unstructured) bool {
	phase, _, _ := unstructured.NestedString(object.Object, "status", "phase")
	switch object.GetKind() {
	case "Event":
		severity, _, _ := unstructured.NestedString(object.Object, "type")
		return severity != "Normal"
	case "Pod":
		if phase == "Succeeded" {
			return false
		}
	}
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, condition := range conditions {
		if fields, ok := condition.(map[string]any); ok && isBadCondition(fields) {
			return true
		}
	}
	return len(conditions) == 0 // no decision on a request, or no controller for the object
}

func isBadCondition(condition map[string]any) bool {
	kind, _ := condition["type"].(string)
	status, _ := condition["status"].(string)
	switch {
	case kind == "Ready" || kind == "Available":
		return status != "True"
	case strings.HasSuffix(kind, "Degraded"), kind == "Failing", kind == "Progressing":
		return status == "True"
	}
	return false
}
