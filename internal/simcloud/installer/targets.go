package installer

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// directory is the installer's directory while a command works in it.
type directory struct {
	path   string
	assets assets
	log    *journal
	run    *invocation
}

func openDirectory(run *invocation) (*directory, error) {
	if err := os.MkdirAll(run.dir, 0o750); err != nil {
		return nil, err
	}
	kept, err := loadAssets(run.dir)
	if err != nil {
		return nil, err
	}
	log, err := openJournal(run)
	if err != nil {
		return nil, err
	}
	log.line("debug", "OpenShift Installer "+run.release.Version)
	return &directory{path: run.dir, assets: kept, log: log, run: run}, nil
}

// createManifests consumes the install-config and writes manifests/ and openshift/.
func createManifests(dir *directory) error {
	in, _, err := dir.inputs()
	if err != nil {
		return err
	}
	manifests, err := in.manifests()
	if err != nil {
		return err
	}
	if err := dir.write(manifests); err != nil {
		return err
	}
	dir.log.line("info", fmt.Sprintf("Manifests created in: %s and %s", filepath.Join(dir.path, "manifests"), filepath.Join(dir.path, "openshift")))
	return nil
}

// createIgnitionConfigs consumes the manifests, or makes them, and writes everything that machines and people need.
func createIgnitionConfigs(dir *directory) error {
	in, source, err := dir.inputs()
	if err != nil {
		return err
	}
	manifests, err := dir.takeManifests()
	if err != nil {
		return err
	}
	if manifests != nil {
		delete(dir.assets, "*bootstrap.Bootstrap")
	} else if manifests, err = in.manifests(); err != nil {
		return err
	}
	document, err := obtain(dir.assets, "*bootstrap.Bootstrap", func() ([]byte, error) { return in.bootstrap(dir.run.release, source, manifests) })
	if err != nil {
		return err
	}
	admin, _, err := kubeconfigs(in.config, in.files)
	if err != nil {
		return err
	}
	about, err := metadata(in.config.Metadata.Name, in.id)
	if err != nil {
		return err
	}
	dir.log.line("info", fmt.Sprintf("Ignition-Configs created in: %s and %s", dir.path, filepath.Join(dir.path, "auth")))
	return dir.write(map[string][]byte{
		"bootstrap.ign":           document,
		"master.ign":              pointer(in.config, in.files, "master"),
		"worker.ign":              pointer(in.config, in.files, "worker"),
		"metadata.json":           about,
		"auth/kubeconfig":         admin,
		"auth/kubeadmin-password": []byte(in.password),
	})
}

// inputs reads the install-config, from the disk or else from the state, and obtains the identity, the certificates
// and the password. An install-config that differs from the state's starts anew.
func (dir *directory) inputs() (inputs, []byte, error) {
	source, err := dir.takeConfig()
	if err != nil {
		return inputs{}, nil, configError{err}
	}
	config, err := parseConfig(source)
	if err != nil {
		return inputs{}, nil, configError{err}
	}
	in := inputs{config: config}
	in.id, err = obtain(dir.assets, "*installconfig.ClusterID", func() (clusterID, error) { return newClusterID(config.Metadata.Name) })
	if err != nil {
		return inputs{}, nil, err
	}
	if in.password, err = obtain(dir.assets, "*password.KubeadminPassword", newPassword); err != nil {
		return inputs{}, nil, err
	}
	in.files, err = generatePKI(dir.assets, config, dir.run.now)
	if err != nil {
		return inputs{}, nil, err
	}
	return in, source, os.RemoveAll(filepath.Join(dir.path, configFile))
}

const configFile = "install-config.yaml"

func (dir *directory) takeConfig() ([]byte, error) {
	var kept []byte
	if _, ok := dir.assets["*installconfig.InstallConfig"]; ok {
		var err error
		if kept, err = obtain(dir.assets, "*installconfig.InstallConfig", func() ([]byte, error) { return nil, nil }); err != nil {
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
	dir.log.line("info", "Consuming Install Config from target directory")
	if !bytes.Equal(content, kept) {
		clear(dir.assets)
	}
	return content, dir.assets.put("*installconfig.InstallConfig", content)
}

// takeManifests reads and removes manifests/ and openshift/; nil if there are none.
func (dir *directory) takeManifests() (map[string][]byte, error) {
	var taken map[string][]byte
	for _, folder := range []string{"manifests", "openshift"} {
		names, err := filepath.Glob(filepath.Join(dir.path, folder, "*"))
		if err != nil || len(names) == 0 {
			continue
		}
		dir.log.line("info", "Consuming "+strings.ToUpper(folder[:1])+folder[1:]+" from target directory")
		for _, name := range names {
			content, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			if taken == nil {
				taken = map[string][]byte{}
			}
			taken[folder+"/"+filepath.Base(name)] = content
		}
		if err := os.RemoveAll(filepath.Join(dir.path, folder)); err != nil {
			return nil, err
		}
	}
	return taken, nil
}

func (dir *directory) write(files map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir.path, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			return err
		}
		if err := os.WriteFile(path, files[name], 0o640); err != nil {
			return err
		}
	}
	return nil
}
