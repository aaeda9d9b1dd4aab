package ignition

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"exoshift/internal/fault"
)

const (
	// hostKeyPath is the host key of RHCOS's SSH server, which generates one if it is missing.
	hostKeyPath = "/etc/ssh/ssh_host_ed25519_key"
	// gatewayPairPath is where openshift-install writes the key pair of the journal's gateway, without the extensions.
	gatewayPairPath = "/opt/openshift/tls/journal-gatewayd"
)

// Unknown fields are kept as they are.
type fields = map[string]json.RawMessage

// WithIdentity returns bootstrap.ign with the keys of an identity by NewIdentity. All else is kept as openshift-install
// wrote it; a document without a gateway (OKD's) gets none. Its errors do not quote the contents.
func WithIdentity(document, identity []byte) ([]byte, error) {
	const op = "add the bootstrap machine's keys"
	files, err := readIdentityFiles(identity)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	changed, err := withFiles(document, files)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	return changed, nil
}

func withFiles(document []byte, files map[string][]byte) ([]byte, error) {
	var whole, storage fields
	var list []fields
	if json.Unmarshal(document, &whole) != nil || json.Unmarshal(whole["storage"], &storage) != nil ||
		json.Unmarshal(storage["files"], &list) != nil {
		return nil, errors.New("bootstrap.ign has no list of files")
	}
	list, err := replaceFiles(list, files)
	if err != nil {
		return nil, err
	}
	if storage["files"], err = json.Marshal(list); err != nil {
		return nil, err
	}
	if whole["storage"], err = json.Marshal(storage); err != nil {
		return nil, err
	}
	return json.Marshal(whole)
}

func replaceFiles(list []fields, files map[string][]byte) ([]fields, error) {
	missing := maps.Clone(files)
	for _, file := range list {
		var path string
		_ = json.Unmarshal(file["path"], &path) // Ignition itself reports a file without a path
		content, wanted := files[path]
		if !wanted {
			continue
		}
		delete(missing, path)
		var err error
		if file["contents"], err = json.Marshal(newSource(content)); err != nil {
			return nil, err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(missing)) {
		if !strings.HasPrefix(path, hostKeyPath) {
			continue
		}
		added, err := newFile(path, files[path])
		if err != nil {
			return nil, err
		}
		list = append(list, added)
	}
	return list, nil
}

func newFile(path string, content []byte) (fields, error) {
	mode := 0o600
	if strings.HasSuffix(path, ".pub") {
		mode = 0o644
	}
	encoded, err := json.Marshal(map[string]any{"path": path, "mode": mode, "overwrite": true, "contents": newSource(content)})
	if err != nil {
		return nil, err
	}
	var file fields
	return file, json.Unmarshal(encoded, &file)
}

func newSource(content []byte) map[string]string {
	return map[string]string{"source": "data:;base64," + base64.StdEncoding.EncodeToString(content)}
}
