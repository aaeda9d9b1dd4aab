package apply

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/internal/stable"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/yaml"
)

const (
	// maxManifests bounds what is applied at once, in bytes: the kinds of a big operator are a few million.
	maxManifests = 16 << 20
	maxObjects   = 2000
)

const decodeOp = "read the manifests"

// decodeManifests removes the fields that only an API server writes. An error quotes nothing of the content: it may hold a
// secret.
func decodeManifests(content []byte) ([]*unstructured.Unstructured, error) {
	if len(content) > maxManifests {
		return nil, fault.Newf(fault.Invalid, decodeOp, "they have %d bytes, more than the limit of %d", len(content), maxManifests)
	}
	var all []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
	for number := 1; ; number++ {
		var document runtime.RawExtension
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fault.Newf(fault.Invalid, decodeOp, "document %d is neither YAML nor JSON%s", number, formatLine(err))
		}
		objects, err := decodeObjects(document.Raw, number)
		if err != nil {
			return nil, err
		}
		if all = append(all, objects...); len(all) > maxObjects {
			return nil, fault.Newf(fault.Invalid, decodeOp, "they have more than %d objects", maxObjects)
		}
	}
}

var linePattern = regexp.MustCompile(`line \d+`)

// formatLine returns the position of a parser's error, and omits the rest, which may quote a secret.
func formatLine(err error) string {
	if line := linePattern.FindString(err.Error()); line != "" {
		return " at " + line
	}
	return ""
}

func decodeObjects(document []byte, number int) ([]*unstructured.Unstructured, error) {
	if text := bytes.TrimSpace(document); len(text) == 0 || bytes.Equal(text, []byte("null")) {
		return nil, nil
	}
	object := &unstructured.Unstructured{}
	if err := json.Unmarshal(document, &object.Object); err != nil {
		return nil, fault.Newf(fault.Invalid, decodeOp, "document %d is not an object", number)
	}
	if !strings.HasSuffix(object.GetKind(), "List") || !object.IsList() {
		return []*unstructured.Unstructured{object}, normalizeObject(object, number)
	}
	items, _ := object.Object["items"].([]any)
	var all []*unstructured.Unstructured
	for _, item := range items {
		fields, _ := item.(map[string]any)
		object := &unstructured.Unstructured{Object: fields}
		if err := normalizeObject(object, number); err != nil {
			return nil, err
		}
		all = append(all, object)
	}
	return all, nil
}

// normalizeObject refuses objects without a name, and removes the fields that only an API server writes.
func normalizeObject(object *unstructured.Unstructured, number int) error {
	metadata, _ := object.Object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	kind, _ := object.Object["kind"].(string)
	version, _ := object.Object["apiVersion"].(string)
	if name == "" || kind == "" || version == "" || strings.Count(version, "/") > 1 {
		return fault.Newf(fault.Invalid, decodeOp, "an object of document %d has no apiVersion, kind or name", number)
	}
	for _, field := range []string{"managedFields", "resourceVersion", "uid", "generation", "creationTimestamp", "selfLink"} {
		delete(metadata, field)
	}
	delete(object.Object, "status")
	if kind == "Secret" && version == "v1" {
		encodeSecret(object)
	}
	return nil
}

// encodeSecret moves stringData to data, because the API records no owner for stringData, and sets the default type, so that a
// secret of another type does not match.
func encodeSecret(secret *unstructured.Unstructured) {
	if kind, _ := secret.Object["type"].(string); kind == "" {
		secret.Object["type"] = string(corev1.SecretTypeOpaque)
	}
	plain, _ := secret.Object["stringData"].(map[string]any)
	delete(secret.Object, "stringData")
	if len(plain) == 0 {
		return
	}
	data, ok := secret.Object["data"].(map[string]any)
	if !ok {
		data = map[string]any{}
		secret.Object["data"] = data
	}
	for key, value := range plain {
		text, _ := value.(string)
		data[key] = base64.StdEncoding.EncodeToString([]byte(text))
	}
}

// Ranks by which objects are applied.
const (
	rankDefinition = iota
	rankNamespace
	rankAccess
	rankContent
	rankOther
	rankCustom // of kinds that the same manifests define: their webhooks may have to run
	rankWebhook
)

func sortObjects(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	own := listDefinedGroups(objects)
	sorted := slices.Clone(objects)
	stable.Sort(sorted, func(a, b *unstructured.Unstructured) int { return computeRank(a, own) - computeRank(b, own) })
	return sorted
}

func computeRank(object *unstructured.Unstructured, own map[string]bool) int {
	group := parseGroup(object)
	return RankKind(group, object.GetKind(), own[group])
}

// RankKind returns in which order objects of a kind are applied, the lowest rank first. custom: objects that are applied before them define it.
func RankKind(group, kind string, custom bool) int {
	switch {
	case kind == definitionKind:
		return rankDefinition
	case group == "" && kind == "Namespace":
		return rankNamespace
	case group == "rbac.authorization.k8s.io", group == "" && kind == "ServiceAccount":
		return rankAccess
	case group == "" && (kind == "Secret" || kind == "ConfigMap"):
		return rankContent
	case custom:
		return rankCustom
	case group == "admissionregistration.k8s.io", group == "apiregistration.k8s.io":
		return rankWebhook
	}
	return rankOther
}

const definitionKind = "CustomResourceDefinition"

func listDefinedGroups(objects []*unstructured.Unstructured) map[string]bool {
	groups := map[string]bool{}
	for _, object := range objects {
		if object.GetKind() == definitionKind {
			group, _, _ := unstructured.NestedString(object.Object, "spec", "group")
			groups[group] = true
		}
	}
	return groups
}

func parseGroup(object *unstructured.Unstructured) string {
	group, _, found := strings.Cut(object.GetAPIVersion(), "/")
	if !found {
		return ""
	}
	return group
}
