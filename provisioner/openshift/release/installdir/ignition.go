package installdir

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"

	"github.com/vincent-petithory/dataurl"
)

// Load fails with fault.Conflict for a generation that is damaged, or of another version.
func Load(dir, version string) (state.Ignition, error) {
	ignition, err := loadIgnition(dir, version)
	if err != nil {
		return state.Ignition{}, fault.New(fault.Conflict, "read the generated files in "+dir, err).
			WithHint("put the folder back from a backup: a generation cannot be mended; if no machine was made from it, move it away and run again")
	}
	return ignition, nil
}

func loadIgnition(dir, version string) (state.Ignition, error) {
	ignition := state.Ignition{Pointers: map[string][]byte{}}
	var metadata struct {
		ClusterID string `json:"clusterID"`
		InfraID   string `json:"infraID"`
	}
	if err := loadJSON(filepath.Join(dir, "metadata.json"), &metadata); err != nil {
		return ignition, err
	}
	if metadata.ClusterID == "" || metadata.InfraID == "" {
		return ignition, errors.New("metadata.json names no cluster")
	}
	ignition.InfraID, ignition.ClusterID = metadata.InfraID, metadata.ClusterID
	made, err := loadRecord(dir)
	if err == nil && made.Version != "" && version != "" && made.Version != version {
		err = fmt.Errorf("they were made by version %s, not %s", made.Version, version)
	}
	if err == nil {
		err = loadBootstrap(dir, made, &ignition)
	}
	if err != nil {
		return ignition, err
	}
	if err := checkKubeconfig(dir); err != nil {
		return ignition, err
	}
	return ignition, loadPointers(dir, &ignition)
}

// checkKubeconfig is made before a run waits for a cluster that it could not reach with what it has.
func checkKubeconfig(dir string) error {
	const name = "auth/kubeconfig"
	content, err := fileread.Bytes(filepath.Join(dir, name), fileread.Small)
	if err == nil {
		err = kubeapi.CheckKubeconfig(content)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func loadBootstrap(dir string, made record, ignition *state.Ignition) error {
	content, err := fileread.Bytes(filepath.Join(dir, bootstrapIgnition), fileread.Large)
	if errors.Is(err, os.ErrNotExist) && !made.Created.IsZero() {
		ignition.Created, ignition.Expires = made.Created, made.Expires
		return nil
	}
	if err != nil {
		return err
	}
	if !json.Valid(content) {
		return errors.New("bootstrap.ign is not JSON")
	}
	ignition.Bootstrap = content
	if ignition.Created, ignition.Expires, err = parseValidity(content); err != nil {
		return fmt.Errorf("bootstrap.ign: %w", err)
	}
	return nil
}

// Read reads a finished generation of any version, "" if it was made by hand; os.ErrNotExist if there is none.
func Read(dir string) (ignition state.Ignition, version string, err error) {
	if ignition, err = loadIgnition(dir, ""); err != nil {
		return ignition, "", err
	}
	made, err := loadRecord(dir)
	return ignition, made.Version, err
}

// loadRecord returns an empty record for a generation that was made by hand.
func loadRecord(dir string) (record, error) {
	var made record
	err := loadJSON(filepath.Join(dir, recordFile), &made)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return made, err
}

func loadPointers(dir string, ignition *state.Ignition) error {
	for _, role := range []string{"master", "worker"} {
		pointer, err := fileread.Bytes(filepath.Join(dir, role+".ign"), fileread.Large)
		if err != nil {
			return err
		}
		authority, err := parseRootCA(pointer)
		if err != nil {
			return fmt.Errorf("%s.ign: %w", role, err)
		}
		if ignition.RootCA != nil && !bytes.Equal(ignition.RootCA, authority) {
			return errors.New("master.ign and worker.ign are of different generations")
		}
		ignition.RootCA, ignition.Pointers[role] = authority, pointer
	}
	sum := sha256.Sum256(ignition.RootCA)
	ignition.RootCAHash = hex.EncodeToString(sum[:])
	return nil
}

// parseRootCA returns the CA of the machine config servers that a pointer Ignition config trusts, as PEM.
func parseRootCA(pointer []byte) ([]byte, error) {
	var document struct {
		Ignition struct {
			Security struct {
				TLS struct {
					CertificateAuthorities []struct {
						Source string `json:"source"`
					} `json:"certificateAuthorities"`
				} `json:"tls"`
			} `json:"security"`
		} `json:"ignition"`
	}
	if err := json.Unmarshal(pointer, &document); err != nil {
		return nil, err
	}
	authorities := document.Ignition.Security.TLS.CertificateAuthorities
	if len(authorities) != 1 {
		return nil, fmt.Errorf("it trusts %d authorities instead of one", len(authorities))
	}
	source, err := dataurl.DecodeString(authorities[0].Source)
	if err != nil {
		return nil, fmt.Errorf("its authority: %w", err)
	}
	block, _ := pem.Decode(source.Data)
	if block == nil || block.Type != "CERTIFICATE" || len(block.Headers) > 0 { // like Ignition, whose pool skips others
		return nil, errors.New("its authority is not a certificate in PEM")
	}
	if _, err := x509.ParseCertificate(block.Bytes); err != nil {
		return nil, fmt.Errorf("its authority: %w", err)
	}
	return source.Data, nil
}

func loadJSON(path string, into any) error {
	content, err := fileread.Bytes(path, fileread.Large)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, into); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return nil
}
