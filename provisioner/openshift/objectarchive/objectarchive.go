// Package objectarchive writes the objects of a cluster into an archive, secrets included: it is to be encrypted before it is stored anywhere.
package objectarchive

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state/backup"
)

// Archiver reads objects.
type Archiver struct{ connector *kubeapi.Connector }

// New returns an archiver of the connector's cluster.
func New(connector *kubeapi.Connector) *Archiver { return &Archiver{connector} }

// listSkipped returns the kinds that nobody restores: they are measured, computed, short-lived, or accesses of persons.
func listSkipped() []string {
	return []string{
		"componentstatuses", "events", "leases.coordination.k8s.io", "packagemanifests.packages.operators.coreos.com",
		"images.image.openshift.io", "imagetags.image.openshift.io", "imagestreamtags.image.openshift.io",
		"oauthaccesstokens.oauth.openshift.io", "oauthauthorizetokens.oauth.openshift.io", "useroauthaccesstokens.oauth.openshift.io",
	}
}

// listSkippedGroups returns groups whose kinds are computed from others.
func listSkippedGroups() []string {
	return []string{"metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io", "events.k8s.io", "authorization.openshift.io"}
}

// ArchiveObjects writes a compressed tar with a folder for each kind, and in it the pages of its list as JSON. Kinds that cannot be read are
// named in what is returned; without any kind of Kubernetes' own, it fails.
func (a *Archiver) ArchiveObjects(ctx context.Context, to io.Writer) (written backup.Objects, err error) {
	api, err := a.connector.Connect(ctx)
	if err != nil {
		return written, err
	}
	versions, err := api.ListVersions(ctx)
	if err != nil {
		return written, err
	}
	written.Missing = []string{}
	packed := gzip.NewWriter(to)
	archive := tar.NewWriter(packed)
	archived := map[string]bool{} // kinds: a group has most of them in several versions
	for _, version := range versions {
		if group, _, _ := strings.Cut(version, "/"); slices.Contains(listSkippedGroups(), group) {
			continue
		}
		kinds, err := api.ListResources(ctx, version)
		if err != nil {
			if ctx.Err() != nil || version == "v1" {
				return written, err
			}
			written.Missing = append(written.Missing, version)
			continue
		}
		for _, kind := range kinds {
			name := formatKind(version, kind.Name)
			if archived[name] {
				continue
			}
			archived[name] = true
			if err := archiveKind(ctx, api, archive, version, kind, &written); err != nil {
				return written, err
			}
		}
	}
	return written, errors.Join(archive.Close(), packed.Close())
}

// formatKind returns a kind as kubectl writes it: configmaps, deployments.apps.
func formatKind(version, resource string) string {
	group, _, grouped := strings.Cut(version, "/")
	if !grouped {
		return resource
	}
	return resource + "." + group
}

func archiveKind(ctx context.Context, api *kubeapi.Client, archive *tar.Writer, version string, kind metav1.APIResource, written *backup.Objects) error {
	name, grouped := formatKind(version, kind.Name), strings.Contains(version, "/")
	if strings.Contains(kind.Name, "/") || !slices.Contains(kind.Verbs, "list") || slices.Contains(listSkipped(), name) {
		return nil
	}
	page := 0
	var unwritten error
	err := kubeapi.EachPage(ctx, api, kubeapi.ResourcePath(version+"/"+kind.Name), func(content []byte, objects int) error {
		if objects == 0 {
			return nil
		}
		page++
		written.Count += objects
		header := &tar.Header{Name: fmt.Sprintf("%s/%04d.json", name, page), Mode: 0o600, Size: int64(len(content)), ModTime: time.Unix(0, 0), Format: tar.FormatPAX}
		if unwritten = archive.WriteHeader(header); unwritten == nil {
			_, unwritten = archive.Write(content)
		}
		return unwritten
	})
	switch {
	case err == nil:
		return nil
	case unwritten != nil:
		return unwritten
	case ctx.Err() != nil, !grouped, fault.Is(err, fault.Denied):
		return err
	}
	written.Missing = append(written.Missing, name)
	return nil
}
