package openshift

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/goccy/go-yaml"

	"exoshift/internal/simcloud/kube"
)

func (h *bootstrapHost) readManifest(name string) (kube.Object, error) {
	content, ok := h.machine.ReadFile(optOpenShift + name)
	if !ok {
		return nil, fmt.Errorf("%s is missing", name)
	}
	documents, err := parseManifest(content)
	if err != nil || len(documents) != 1 {
		return nil, fmt.Errorf("%s: %d documents: %w", name, len(documents), err)
	}
	return documents[0], nil
}

func parseManifest(content []byte) ([]kube.Object, error) {
	var objects []kube.Object
	for document := range strings.SplitSeq("\n"+string(content), "\n---") {
		if strings.TrimSpace(document) == "" {
			continue
		}
		encoded, err := yaml.YAMLToJSON([]byte(document))
		if err != nil {
			return nil, err
		}
		var object kube.Object
		if err := json.Unmarshal(encoded, &object); err != nil {
			return nil, err
		}
		if object != nil {
			objects = append(objects, object)
		}
	}
	return objects, nil
}

type document struct {
	file   string
	object kube.Object
}

// listDocuments returns the documents of all manifests on the disk, sorted by file name. Errors are written to the console.
func (h *bootstrapHost) listDocuments() []document {
	var found []document
	for name := range strings.SplitSeq(h.readText("manifests.txt"), "\n") {
		objects, err := parseManifest([]byte(h.readText(name)))
		if err != nil {
			h.machine.Console("cluster-bootstrap: %s: %v", name, err)
		}
		for _, object := range objects {
			found = append(found, document{name, object})
		}
	}
	return found
}

// applyManifests creates the objects of the manifests on the disk, and those of publish. A manifest that the API refuses is
// retried by applyRemaining.
func (h *bootstrapHost) applyManifests(ctx context.Context) error {
	if err := h.checkServingCertificate(); err != nil {
		return err
	}
	if err := errors.Join(h.cluster.registerKinds(), h.cluster.createNamespaces()); err != nil {
		return err
	}
	if err := h.applyRemaining(ctx); err != nil {
		h.machine.Console("cluster-bootstrap: %v", err)
	}
	return h.cluster.publish()
}

// applyRemaining retries the refused documents as long as that helps: file order does not follow dependencies. As long as the
// API refuses one, the bootstrap does not end; the real program gives up after an hour.
func (h *bootstrapHost) applyRemaining(context.Context) error {
	left, refusal := h.listDocuments(), error(nil)
	for before := -1; len(left) != before; {
		before = len(left)
		left, refusal = h.applyAll(left)
	}
	if len(left) > 0 {
		return fmt.Errorf("%d manifests cannot be applied: %w", len(left), refusal)
	}
	return nil
}

func (h *bootstrapHost) applyAll(documents []document) (refused []document, first error) {
	for _, d := range documents {
		err := h.cluster.apply(d.object)
		if err == nil {
			continue
		}
		if refused = append(refused, d); first == nil {
			first = fmt.Errorf("%s: %s %s: %w", d.file, d.object.GetString("kind"), d.object.Name(), err)
		}
	}
	return refused, first
}

func (c *cluster) apply(object kube.Object) error {
	kind, err := c.findKindOf(object)
	if err != nil {
		return err
	}
	if _, ok := c.objects.Get("namespaces", "", object.Namespace()); kind.Namespaced && !ok {
		return fmt.Errorf("namespaces %q not found", object.Namespace())
	}
	if err := validateSelector(object); err != nil {
		return err
	}
	_, err = c.objects.Create(kind.GroupResource(), object.Namespace(), object)
	var failure *kube.StatusError
	if errors.As(err, &failure) && failure.Code == http.StatusConflict {
		return nil
	}
	return err
}

func (c *cluster) findKindOf(object kube.Object) (kube.Kind, error) {
	kind, known := c.objects.FindKindOf(object)
	if !known {
		return kube.Kind{}, fmt.Errorf("no matches for kind %q in version %q", object.GetString("kind"), object.GetString("apiVersion"))
	}
	return kind, nil
}

func validateSelector(object kube.Object) error {
	if object.GetString("apiVersion") != "apps/v1" {
		return nil
	}
	selector, labels := object.Map("spec.selector.matchLabels"), object.Map("spec.template.metadata.labels")
	for key, value := range selector {
		if labels[key] != value {
			return errors.New("spec.template.metadata.labels: Invalid value: `selector` does not match template `labels`")
		}
	}
	if len(selector) == 0 && object.Get("spec.selector.matchExpressions") == nil {
		return errors.New("spec.selector: Required value")
	}
	return nil
}
