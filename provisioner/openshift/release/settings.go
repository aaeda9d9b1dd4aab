package release

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
	"exoshift/state"

	"github.com/goccy/go-yaml"
)

// Manifests of the program that are read or changed.
const (
	dnsConfig       = "manifests/cluster-dns-02-config.yml"
	ingressConfig   = "manifests/cluster-ingress-02-config.yml"
	schedulerConfig = "manifests/cluster-scheduler-02-config.yml"
)

// checkDomain wants the manifests to be made for the domain that records, certificates and machines are made for.
func checkDomain(work, domain string) error {
	const op = "check the generated domain"
	generated, err := loadManifest(work, dnsConfig)
	if err != nil {
		return fault.New(fault.Internal, op, err)
	}
	if made := generated.getSpec("baseDomain"); made != domain {
		return fault.Newf(fault.Conflict, op, "openshift-install generated for %v, not for %s", made, domain).
			WithHint("check cluster.id and cluster.baseDomain in the answers file")
	}
	return nil
}

// patchSettings changes the settings for which the install-config has no word, and leaves what is as wanted untouched.
func patchSettings(work string, wanted state.Generation, tell func(line string)) error {
	for _, setting := range []struct {
		file, key string
		value     any
		told      string
	}{
		{schedulerConfig, "mastersSchedulable", wanted.MastersSchedulable, fmt.Sprintf("Masters schedulable: %t", wanted.MastersSchedulable)},
		{ingressConfig, "domain", wanted.AppsDomain, "Routes are below " + wanted.AppsDomain},
	} {
		generated, err := loadManifest(work, setting.file)
		if err == nil && generated.getSpec(setting.key) == setting.value {
			continue
		}
		if err == nil {
			err = generated.setSpec(setting.key, setting.value)
		}
		if err != nil {
			return fault.New(fault.Internal, "change "+setting.file, err)
		}
		tell(setting.told)
	}
	return nil
}

// manifest is one of the program's manifests: a mapping in the order of its file.
type manifest struct {
	path   string
	fields yaml.MapSlice
}

func loadManifest(work, name string) (manifest, error) {
	m := manifest{path: filepath.Join(work, filepath.FromSlash(name))}
	content, err := fileread.Bytes(m.path, fileread.Large)
	if errors.Is(err, os.ErrNotExist) {
		return m, fmt.Errorf("openshift-install left files out: there is no %s", name)
	}
	if err != nil {
		return m, err
	}
	if err := yaml.UnmarshalWithOptions(content, &m.fields, yaml.UseOrderedMap()); err != nil {
		return m, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// getSpec returns the value of a key of the object's spec, or nil.
func (m manifest) getSpec(key string) any {
	fields, _ := getValue(m.fields, "spec").(yaml.MapSlice)
	return getValue(fields, key)
}

// setSpec writes the file with one key of its spec changed.
func (m manifest) setSpec(key string, to any) error {
	fields, _ := getValue(m.fields, "spec").(yaml.MapSlice)
	content, err := yaml.Marshal(withValue(m.fields, "spec", withValue(fields, key, to)))
	if err != nil {
		return err
	}
	return os.WriteFile(m.path, content, 0o600)
}

// getValue returns what a mapping has for a key, or nil.
func getValue(fields yaml.MapSlice, key string) any {
	for _, item := range fields {
		if item.Key == key {
			return item.Value
		}
	}
	return nil
}

// withValue returns a mapping in which a key has a value: in its place, or at the end.
func withValue(fields yaml.MapSlice, key string, to any) yaml.MapSlice {
	changed := slices.Clone(fields)
	for i := range changed {
		if changed[i].Key == key {
			changed[i].Value = to
			return changed
		}
	}
	return append(changed, yaml.MapItem{Key: key, Value: to})
}
