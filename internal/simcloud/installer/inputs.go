package installer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml"
)

const configFile = "install-config.yaml"

const (
	configAsset    = "*installconfig.InstallConfig"
	clusterAsset   = "*installconfig.ClusterID"
	kubeadminAsset = "*password.KubeadminPassword"
	bootstrapAsset = "*bootstrap.Bootstrap"
)

// loadInputs reads the install-config from the disk, or else from the state, and loads or generates the identity, the
// certificates and the password.
func (dir *directory) loadInputs() (inputs, []byte, error) {
	source, err := dir.takeConfig()
	if err != nil {
		return inputs{}, nil, configError{err}
	}
	config, err := parseConfig(source, dir.run.release, dir.run.fips, func(text string) { dir.log.writeEntry("warning", text) })
	if err != nil {
		return inputs{}, nil, configError{err}
	}
	in := inputs{config: config, version: dir.run.release.Version}
	in.id, err = loadOrGenerate(dir.assets, clusterAsset, func() (clusterID, error) { return newClusterID(config.Metadata.Name) })
	if err != nil {
		return inputs{}, nil, err
	}
	if in.password, err = loadOrGenerate(dir.assets, kubeadminAsset, newPassword); err != nil {
		return inputs{}, nil, err
	}
	in.files, err = generatePKI(dir.assets, config, dir.run.now)
	if err != nil {
		return inputs{}, nil, err
	}
	return in, source, os.RemoveAll(filepath.Join(dir.path, configFile))
}

// takeConfig returns the install-config. A change invalidates everything in the state that depends on it. Neither the
// authorities nor their certificates for the cluster's own clients depend on it, however old they are.
func (dir *directory) takeConfig() ([]byte, error) {
	var kept []byte
	if _, ok := dir.assets[configAsset]; ok {
		var err error
		if kept, err = loadOrGenerate(dir.assets, configAsset, func() ([]byte, error) { return nil, nil }); err != nil {
			return nil, err
		}
	}
	content, err := os.ReadFile(filepath.Join(dir.path, configFile))
	switch {
	case errors.Is(err, fs.ErrNotExist) && kept == nil:
		return nil, fmt.Errorf("no %s in %s and no terminal to ask on", configFile, dir.path)
	case errors.Is(err, fs.ErrNotExist):
		return kept, nil
	case err != nil:
		return nil, err
	}
	dir.log.writeEntry("info", "Consuming Install Config from target directory")
	if !bytes.Equal(content, kept) {
		dir.assets.delete(clusterAsset, bootstrapAsset, externalServer, internalServer, serviceServer, machineConfigServer)
	}
	return content, dir.assets.put(configAsset, content)
}

type manifestFolder struct {
	name   string
	assets []string // those that the real program consumes
}

func listManifestFolders() []manifestFolder {
	return []manifestFolder{
		{"manifests", []string{"Common Manifests"}},
		{"openshift", []string{"Openshift Manifests", "Master Machines", "Worker Machines"}},
	}
}

// takeManifests reads and removes the manifests in manifests/ and openshift/. Other files remain.
func (dir *directory) takeManifests() (map[string][]byte, error) {
	taken := map[string][]byte{}
	for _, folder := range listManifestFolders() {
		found, err := folder.read(dir.path)
		if err != nil {
			return nil, err
		}
		maps.Copy(taken, found)
		if len(found) > 0 {
			for _, asset := range folder.assets {
				dir.log.writeEntry("info", "Consuming "+asset+" from target directory")
			}
		}
	}
	for name := range taken {
		if err := os.Remove(filepath.Join(dir.path, filepath.FromSlash(name))); err != nil {
			return nil, err
		}
	}
	for _, folder := range listManifestFolders() {
		_ = os.Remove(filepath.Join(dir.path, folder.name)) // fails if other files remain
	}
	return taken, nil
}

// read returns manifests as "<folder>/<file>".
func (f manifestFolder) read(dir string) (map[string][]byte, error) {
	paths, err := filepath.Glob(filepath.Join(dir, f.name, "*"))
	if err != nil {
		return nil, err
	}
	found := map[string][]byte{}
	for _, path := range paths {
		if !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		name := f.name + "/" + filepath.Base(path)
		if err := checkYAML(content); err != nil {
			return nil, fmt.Errorf("failed to fetch Bootstrap Ignition Config: failed to load asset %q: failed to unmarshal %s: %w", f.assets[0], name, err)
		}
		found[name] = content
	}
	return found, nil
}

func checkYAML(content []byte) error {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	for {
		var document any
		switch err := decoder.Decode(&document); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}
