package installdir

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
	"exoshift/state"

	"github.com/goccy/go-yaml"
)

const networkOperator = "manifests/cluster-network-03-config.yml"

// Prepare adds manifests to those that openshift-install has generated, and changes the settings that the install-config lacks. It emits
// what it did by emit, and fails with fault.Conflict if they were generated for another domain.
func Prepare(work string, wanted state.Generation, emit func(line string)) error {
	if err := checkDomain(work, wanted.Domain); err != nil {
		return err
	}
	if err := injectManifests(work, wanted.Manifests); err != nil {
		return err
	}
	if len(wanted.Manifests) > 0 {
		emit(formatSummary(wanted.Manifests))
	}
	return patchSettings(work, wanted, emit)
}

type objectKey struct{ group, kind, namespace, name string }

func (i objectKey) String() string {
	if i.namespace == "" {
		return i.kind + " " + i.name
	}
	return i.kind + " " + i.namespace + "/" + i.name
}

func parseObjectKey(content []byte) (objectKey, error) {
	var object struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string `yaml:"kind"`
		Metadata   struct {
			Name      string `yaml:"name"`
			Namespace string `yaml:"namespace"`
		} `yaml:"metadata"`
	}
	err := yaml.Unmarshal(content, &object)
	var positioned yaml.Error
	if errors.As(err, &positioned) {
		// The library's message quotes adjacent lines, and the names of aliases, which may be a secret that begins with *.
		err = errors.New("its YAML cannot be read")
		if t := positioned.GetToken(); t != nil && t.Position != nil {
			err = fmt.Errorf("its YAML cannot be read at line %d", t.Position.Line)
		}
	}
	if err != nil {
		return objectKey{}, err
	}
	group, _, grouped := strings.Cut(object.APIVersion, "/")
	if !grouped {
		group = ""
	}
	return objectKey{group, object.Kind, object.Metadata.Namespace, object.Metadata.Name}, nil
}

// injectManifests writes manifests beside the program's own. None may replace one of those, by its name or by the object it
// describes: which of them takes effect would be undefined. The network operator's settings may be replaced.
func injectManifests(work string, manifests []state.Manifest) error {
	generated, err := listGeneratedObjects(work)
	if err != nil {
		return fault.New(fault.Internal, "read the generated manifests", err)
	}
	for _, manifest := range manifests {
		object, err := parseObjectKey(manifest.Content)
		if err != nil {
			return newCollisionError(manifest, fmt.Errorf("%s: not a Kubernetes object: %w", manifest.Source, err))
		}
		if other, taken := generated[object]; taken && other != manifest.Name {
			return newCollisionError(manifest, fmt.Errorf("%s and openshift-install's %[3]s both describe %[2]s", manifest.Source, object, other))
		}
		if err := writeManifest(work, manifest); err != nil {
			return err
		}
	}
	return nil
}

func writeManifest(work string, manifest state.Manifest) error {
	if !isInjectable(manifest.Name) {
		return fault.Newf(fault.Internal, "add "+manifest.Name, "%s is not allowed there", manifest.Source)
	}
	flags := os.O_CREATE | os.O_WRONLY | os.O_EXCL
	if manifest.Name == networkOperator {
		flags = os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	}
	target := filepath.Join(work, filepath.FromSlash(manifest.Name))
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return fault.New(fault.Internal, "add "+manifest.Name, err)
	}
	file, err := os.OpenFile(target, flags, 0o600)
	if errors.Is(err, os.ErrExist) {
		return newCollisionError(manifest, fmt.Errorf("%s would become %s, which openshift-install generates", manifest.Source, manifest.Name))
	}
	if err != nil {
		return fault.New(fault.Internal, "add "+manifest.Name, err)
	}
	_, err = file.Write(manifest.Content)
	if err := errors.Join(err, file.Close()); err != nil {
		return fault.New(fault.Internal, "add "+manifest.Name, err)
	}
	return nil
}

func newCollisionError(manifest state.Manifest, err error) error {
	return fault.New(fault.Invalid, "add "+manifest.Name, err).
		WithHint("rename or remove it; files of openshift-install cannot be replaced")
}

func isInjectable(name string) bool {
	folder := path.Dir(name)
	return path.Clean(name) == name && (folder == "manifests" || folder == "openshift")
}

func listGeneratedObjects(work string) (map[objectKey]string, error) {
	found := map[objectKey]string{}
	for _, folder := range []string{"manifests", "openshift"} {
		entries, err := os.ReadDir(filepath.Join(work, folder))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		for _, entry := range entries {
			content, err := fileread.Bytes(filepath.Join(work, folder, entry.Name()), fileread.Large)
			if err != nil {
				return nil, err
			}
			// The program's own manifests are not validated.
			if object, err := parseObjectKey(content); err == nil && object.kind != "" {
				found[object] = folder + "/" + entry.Name()
			}
		}
	}
	return found, nil
}

// formatSummary counts the added manifests by kind, and contains nothing of their content.
func formatSummary(manifests []state.Manifest) string {
	kinds := map[string]int{}
	for _, manifest := range manifests {
		object, _ := parseObjectKey(manifest.Content)
		kinds[object.kind]++
	}
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		parts = append(parts, fmt.Sprintf("%d %s", kinds[kind], kind))
	}
	return fmt.Sprintf("Manifests added: %d (%s)", len(manifests), strings.Join(parts, ", "))
}
