package installer

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

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
	log.writeEntry("debug", "OpenShift Installer "+run.release.Version)
	return &directory{path: run.dir, assets: kept, log: log, run: run}, nil
}

// createManifests consumes the install-config and writes manifests/ and openshift/.
func createManifests(dir *directory) error {
	in, _, err := dir.loadInputs()
	if err != nil {
		return err
	}
	manifests, err := in.renderManifests()
	if err != nil {
		return err
	}
	if err := dir.write(manifests); err != nil {
		return err
	}
	dir.log.writeEntry("info", fmt.Sprintf("Manifests created in: %s and %s", filepath.Join(dir.path, "manifests"), filepath.Join(dir.path, "openshift")))
	return nil
}

// createIgnitionConfigs consumes the manifests, or generates them, and writes Ignition documents, kubeconfig and password.
func createIgnitionConfigs(dir *directory) error {
	in, source, err := dir.loadInputs()
	if err != nil {
		return err
	}
	manifests, err := dir.takeManifests()
	if err != nil {
		return err
	}
	if len(manifests) > 0 {
		dir.assets.delete(bootstrapAsset)
	} else if manifests, err = in.renderManifests(); err != nil {
		return err
	}
	document, err := loadOrGenerate(dir.assets, bootstrapAsset, func() ([]byte, error) { return in.renderBootstrap(dir.run.release, source, manifests) })
	if err != nil {
		return err
	}
	admin, _, err := renderKubeconfigs(in.config, in.files)
	if err != nil {
		return err
	}
	about, err := renderMetadata(in.config.Metadata.Name, in.id)
	if err != nil {
		return err
	}
	dir.log.writeEntry("info", fmt.Sprintf("Ignition-Configs created in: %s and %s", dir.path, filepath.Join(dir.path, "auth")))
	return dir.write(map[string][]byte{
		"bootstrap.ign":           document,
		"master.ign":              renderPointer(in.config, in.files, "master"),
		"worker.ign":              renderPointer(in.config, in.files, "worker"),
		"metadata.json":           about,
		"auth/kubeconfig":         admin,
		"auth/kubeadmin-password": []byte(in.password),
	})
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
