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

// seed makes this machine the first member of the cluster's etcd, with everything on its disk that the cluster will
// need later. A bootstrap host whose disk is new starts from nothing; that is only possible while no master is a
// member.
func (h *bootstrapHost) seed() error {
	_, own := h.cluster.members.Get(bootstrapMember)
	if _, data := h.machine.ReadFile(etcdDataFile); data {
		return nil
	}
	members := len(h.cluster.members.List())
	if own && members > 1 || !own && members > 0 {
		return errors.New("the cluster has members already; this machine has none of their data and cannot join")
	}
	if err := h.cluster.forget(); err != nil {
		return err
	}
	known := record{Domain: h.domain, Version: h.config.Version, Replicas: h.replicas(), Files: map[string][]byte{}}
	for _, name := range []string{
		"root-ca", "admin-kubeconfig-signer", "kubelet-bootstrap-kubeconfig-signer", "kube-apiserver-lb-signer",
		"kubelet-signer", "kubelet-client", "kube-apiserver-lb-server", "kube-apiserver-internal-lb-server", "machine-config-server",
	} {
		known.Files[name+".crt"] = []byte(h.text("tls/" + name + ".crt"))
		known.Files[name+".key"] = []byte(h.text("tls/" + name + ".key"))
	}
	known.Files["bootstrap-kubeconfig"] = []byte(h.text("auth/kubeconfig-kubelet"))
	if err := h.cluster.remember(known); err != nil {
		return err
	}
	return h.createMember()
}

// replicas is the number of masters that the installer was told.
func (h *bootstrapHost) replicas() int {
	config := struct {
		ControlPlane struct {
			Replicas int `yaml:"replicas"`
		} `yaml:"controlPlane"`
	}{}
	config.ControlPlane.Replicas = 3
	if err := yaml.Unmarshal([]byte(h.text("install-config.yaml")), &config); err != nil {
		h.machine.Console("install-config.yaml: %v", err)
	}
	return config.ControlPlane.Replicas
}

func (h *bootstrapHost) createMember() error {
	first, err := h.cluster.addMember(bootstrapMember, h.machine.Address().String())
	if err != nil {
		return err
	}
	if err := h.cluster.changeMember(bootstrapMember, func(m *member) { m.Started = true }); err != nil {
		return err
	}
	return h.machine.WriteFile(etcdDataFile, []byte(first.ID))
}

// runMember keeps etcd running on this machine until the cluster has removed the member.
func (h *bootstrapHost) runMember(ctx context.Context) {
	closePorts, err := openEtcdPorts(h.machine)
	if err != nil {
		h.machine.Console("etcd-bootstrap: %v", err)
		return
	}
	defer closePorts()
	h.cluster.run(ctx, bootstrapMember, h.machine)
}

// manifest reads a manifest of one document.
func (h *bootstrapHost) manifest(name string) (kube.Object, error) {
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

// parseManifest reads the YAML or JSON documents of a file.
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

// applyManifests creates what the manifests on the disk describe. A manifest that nobody understands is only shown,
// as the real program tries again for an hour before it gives up.
func (h *bootstrapHost) applyManifests(context.Context) error {
	if err := h.cluster.define(); err != nil {
		return err
	}
	for name := range strings.SplitSeq(h.text("manifests.txt"), "\n") {
		documents, err := parseManifest([]byte(h.text(name)))
		if err != nil {
			h.machine.Console("cluster-bootstrap: %s: %v", name, err)
		}
		for _, document := range documents {
			if err := h.cluster.apply(document); err != nil {
				h.machine.Console("cluster-bootstrap: %s: %s %s: %v", name, document.Text("kind"), document.Name(), err)
			}
		}
	}
	return h.cluster.publish()
}

// apply creates an object; one that is there stays.
func (c *cluster) apply(object kube.Object) error {
	apiVersion, kind := object.Text("apiVersion"), object.Text("kind")
	for _, known := range c.objects.Kinds() {
		if known.Kind != kind || strings.TrimPrefix(known.Group+"/"+known.Version, "/") != apiVersion {
			continue
		}
		_, err := c.objects.Create(known.GroupResource(), object.Namespace(), object)
		var failure *kube.Failure
		if errors.As(err, &failure) && failure.Code == http.StatusConflict {
			return nil
		}
		return err
	}
	return fmt.Errorf("no matches for kind %q in version %q", kind, apiVersion)
}
