package bootstrap

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"

	"exoshift/internal/simcloud/certificate"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/operators"
)

// applyManifests creates the objects of the manifests on the disk, and those of publish. A manifest that the API refuses is
// retried by applyRemaining.
func (h *bootstrapHost) applyManifests(ctx context.Context) error {
	if err := h.checkServingCertificate(); err != nil {
		return err
	}
	if err := errors.Join(cluster.RegisterKinds(h.cluster.Objects), cluster.CreateNamespaces(h.cluster.Objects)); err != nil {
		return err
	}
	if err := h.applyRemaining(ctx); err != nil {
		h.machine.Console("cluster-bootstrap: %v", err)
	}
	return operators.Publish(h.cluster)
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
		err := createObject(h.cluster.Objects, d.object)
		if err == nil {
			continue
		}
		if refused = append(refused, d); first == nil {
			first = fmt.Errorf("%s: %s %s: %w", d.file, d.object.GetString("kind"), d.object.Name(), err)
		}
	}
	return refused, first
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

// createObject creates an object of a manifest, unless it exists.
func createObject(objects *kube.Objects, object kube.Object) error {
	kind, err := cluster.FindKindOf(objects, object)
	if err != nil {
		return err
	}
	if _, ok := objects.Get("namespaces", "", object.Namespace()); kind.Namespaced && !ok {
		return fmt.Errorf("namespaces %q not found", object.Namespace())
	}
	if err := validateSelector(object); err != nil {
		return err
	}
	_, err = objects.Create(kind.GroupResource(), object.Namespace(), object)
	var failure *kube.StatusError
	if errors.As(err, &failure) && failure.Code == http.StatusConflict {
		return nil
	}
	return err
}

// checkServingCertificate returns an error if the API server of the bootstrap host serves an expired certificate: its own
// clients on this machine then refuse it. Certificates expire by the wall clock.
func (h *bootstrapHost) checkServingCertificate() error {
	shown, err := certificate.ParseBundle([]byte(h.readText("tls/kube-apiserver-localhost-server.crt")))
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(h.readText("tls/kube-apiserver-localhost-signer.crt")))
	if _, err := shown[0].Verify(x509.VerifyOptions{Roots: roots, DNSName: "localhost"}); err != nil {
		return fmt.Errorf("https://localhost:%d: tls: failed to verify certificate: %w", cluster.APIPort, err)
	}
	return nil
}
