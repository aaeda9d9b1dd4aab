package openshift

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// exhibit is what one file of a dump shows: all objects of a kind, or the one of a name.
type exhibit struct {
	place place
	name  string
}

// exhibits lists what is dumped, the most telling first. There are no Secrets, no MachineConfigs and no proxy settings
// in it, which hold passwords.
func exhibits() []exhibit {
	return []exhibit{
		{place: clusterVersions}, {place: clusterOperators}, {place: nodes}, {place: requests},
		{place: etcds}, {place: kubeAPIServers}, {place: kubeControllerManagers}, {place: kubeSchedulers},
		{place: "machineconfiguration.openshift.io/v1/machineconfigpools"},
		{place: systemConfig, name: "bootstrap"}, {place: etcdConfig, name: "etcd-endpoints"},
		{place: "v1/events"}, {place: "v1/pods"},
		{place: ingressControllers}, {place: consoleRoutes},
		{place: "operator.openshift.io/v1/networks"}, {place: "config.openshift.io/v1/networks"},
		{place: "config.openshift.io/v1/infrastructures"}, {place: "config.openshift.io/v1/schedulers"},
	}
}

// How much is dumped, and how many kinds side by side.
const (
	exhibitLimit = 2 << 20           // bytes of one file
	exhibitRoom  = exhibitLimit - 64 // bytes of its objects; the rest is for a last line about those left out
	sideBySide   = 4
)

// Dump hands the state of the cluster to write as the API tells it: a file for each kind, one object a line as JSON,
// those first that are not well. What fills pages and tells nothing is left out of the objects, and no Secret is ever
// read. What could not be had does not keep the rest back; the error joins a reason for each kind.
func (c *Cluster) Dump(ctx context.Context, write func(name string, content []byte) error) error {
	api, err := c.connect(ctx)
	if err != nil {
		return err
	}
	var group errgroup.Group
	group.SetLimit(sideBySide)
	var one sync.Mutex // guards failures, and lets one write at a time
	var failures []error
	var quiet silence
	for _, e := range exhibits() {
		group.Go(func() error {
			if quiet.lasts() {
				return nil
			}
			lines, failure := api.exhibit(ctx, e)
			one.Lock()
			defer one.Unlock()
			quiet.heard(failure)
			if content := lines.content(); len(content) > 0 {
				failure = errors.Join(failure, write(e.file(), content))
			}
			if failure != nil {
				failures = append(failures, failure)
			}
			return nil
		})
	}
	err = group.Wait()
	if quiet.lasts() {
		failures = append(failures, errors.New("nobody answers; what else there is was not asked for"))
	}
	return errors.Join(err, errors.Join(failures...))
}

// silence counts requests in a row that nobody answered. Each of them takes as long as requestTimeout; after as many as
// go side by side the next one would be waited for in vain, too.
type silence struct{ requests atomic.Int32 }

func (s *silence) heard(failure error) {
	var answer apierrors.APIStatus
	if failure == nil || errors.As(failure, &answer) {
		s.requests.Store(0)
		return
	}
	s.requests.Add(1)
}

func (s *silence) lasts() bool { return s.requests.Load() >= sideBySide }

// file returns the name of the file that shows it.
func (e exhibit) file() string {
	path, namespace, _ := strings.Cut(string(e.place), "@")
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

// exhibit reads the objects of an exhibit, page by page; what was read before an error counts.
func (a *api) exhibit(ctx context.Context, e exhibit) (display, error) {
	var lines display
	if e.name != "" {
		object, err := e.place.in(a).Get(ctx, e.name, metav1.GetOptions{})
		if err == nil {
			lines.add(*object)
		}
		return lines, a.absent(ctx, "read "+e.place.String()+" "+e.name, err)
	}
	options := metav1.ListOptions{Limit: pageSize}
	for {
		page, err := e.place.in(a).List(ctx, options)
		if err != nil {
			return lines, a.absent(ctx, "list "+e.place.String(), err)
		}
		for _, object := range page.Items {
			lines.add(object)
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return lines, nil
		}
	}
}

// absent explains an error, unless it says that there is no such thing.
func (a *api) absent(ctx context.Context, op string, err error) error {
	if err == nil || apierrors.IsNotFound(err) {
		return nil
	}
	return a.explain(ctx, op, err)
}

// display is objects as lines of JSON, up to a limit.
type display struct {
	unwell, well bytes.Buffer
	left         int // objects that there was no room for
}

func (d *display) add(object unstructured.Unstructured) {
	strip(object)
	line, err := json.Marshal(object.Object)
	if err != nil {
		d.left++
		return
	}
	into := &d.well
	if unwell(object) {
		into = &d.unwell
	}
	if into.Len()+len(line) >= exhibitRoom {
		d.left++
		return
	}
	into.Write(append(line, '\n'))
}

// content returns the lines that there is room for, and in a last one how many there was none for.
func (d *display) content() []byte {
	content, left := bytes.Clone(d.unwell.Bytes()), d.left
	for line := range bytes.Lines(d.well.Bytes()) {
		if len(content)+len(line) > exhibitRoom {
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
