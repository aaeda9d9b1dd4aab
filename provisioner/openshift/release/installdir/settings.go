package installdir

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

const (
	dnsConfig       = "manifests/cluster-dns-02-config.yml"
	ingressConfig   = "manifests/cluster-ingress-02-config.yml"
	schedulerConfig = "manifests/cluster-scheduler-02-config.yml"
)

// checkDomain checks that the manifests have the domain of the records, certificates and machines.
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

// patchSettings changes the settings that the install-config lacks, and leaves files unchanged that have the wanted values.
func patchSettings(work string, wanted state.Generation, emit func(line string)) error {
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
		emit(setting.told)
	}
	return nil
}

type manifest struct {
	path   string
	fields yaml.MapSlice
}

func loadManifest(work, name string) (manifest, error) {
	m := manifest{path: filepath.Join(work, filepath.FromSlash(name))}
	content, err := fileread.Bytes(m.path, fileread.Large)
	if errors.Is(err, os.ErrNotExist) {
		return m, fmt.Errorf("openshift-install did not generate %s", name)
	}
	if err != nil {
		return m, err
	}
	if err := yaml.UnmarshalWithOptions(content, &m.fields, yaml.UseOrderedMap()); err != nil {
		return m, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

func (m manifest) getSpec(key string) any {
	fields, _ := getValue(m.fields, "spec").(yaml.MapSlice)
	return getValue(fields, key)
}

func (m manifest) setSpec(key string, to any) error {
	fields, _ := getValue(m.fields, "spec").(yaml.MapSlice)
	content, err := yaml.Marshal(withValue(m.fields, "spec", withValue(fields, key, to)))
	if err != nil {
		return err
	}
	return os.WriteFile(m.path, content, 0o600)
}

func getValue(fields yaml.MapSlice, key string) any {
	for _, item := range fields {
		if item.Key == key {
			return item.Value
		}
	}
	return nil
}

// withValue replaces the value of a key in its place, or appends it.
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
