package installer

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/coreos/ignition/v2/config/v3_2/types"

	"exoshift/internal/simcloud/mirror"
)

// ignitionVersion of everything the installer writes, from OpenShift 4.8 on.
const ignitionVersion = "3.2.0"

// renderPointer returns the pointer Ignition of a role: the URL of the full document and its CA.
func renderPointer(config installConfig, files pki, role string) []byte {
	source := "https://api-int." + config.clusterDomain() + ":22623/config/" + role
	authority := encodeDataURL(files["root-ca.crt"])
	document := types.Config{Ignition: types.Ignition{
		Version:  ignitionVersion,
		Config:   types.IgnitionConfig{Merge: []types.Resource{{Source: &source}}},
		Security: types.Security{TLS: types.TLS{CertificateAuthorities: []types.Resource{{Source: &authority}}}},
	}}
	content, _ := json.Marshal(document) // strings only: cannot fail
	return content
}

func (in inputs) renderBootstrap(release mirror.Release, installConfig []byte, manifests map[string][]byte) ([]byte, error) {
	_, credentials, err := renderKubeconfigs(in.config, in.files)
	if err != nil {
		return nil, err
	}
	disk := map[string][]byte{
		"/opt/openshift/install-config.yaml": installConfig,
		"/opt/openshift/release-version":     []byte(release.Version), // the real host reads it from the release image
		"/opt/openshift/release-image":       []byte(release.Image()),
		"/root/.docker/config.json":          []byte(in.config.PullSecret),
	}
	for name, content := range in.files {
		disk["/opt/openshift/tls/"+name] = content
	}
	// A simulated disk cannot be listed, so the bootstrap host reads the manifests' names here.
	disk["/opt/openshift/manifests.txt"] = []byte(strings.Join(slices.Sorted(maps.Keys(manifests)), "\n"))
	for _, group := range []map[string][]byte{credentials, manifests} {
		for name, content := range group {
			disk["/opt/openshift/"+name] = content
		}
	}
	document := types.Config{
		Ignition: types.Ignition{Version: ignitionVersion},
		Passwd:   types.Passwd{Users: []types.PasswdUser{{Name: "core", SSHAuthorizedKeys: []types.SSHAuthorizedKey{types.SSHAuthorizedKey(in.config.SSHKey)}}}},
		Systemd:  types.Systemd{Units: listBootstrapUnits(release.IsOKD())},
	}
	for _, path := range slices.Sorted(maps.Keys(disk)) {
		document.Storage.Files = append(document.Storage.Files, newFile(path, disk[path]))
	}
	return json.Marshal(document)
}

func newFile(path string, content []byte) types.File {
	source, mode, overwrite := encodeDataURL(content), 0o600, true
	return types.File{
		Node:          types.Node{Path: path, Overwrite: &overwrite},
		FileEmbedded1: types.FileEmbedded1{Contents: types.Resource{Source: &source}, Mode: &mode},
	}
}

func encodeDataURL(content []byte) string {
	return "data:text/plain;charset=utf-8;base64," + base64.StdEncoding.EncodeToString(content)
}

// listBootstrapUnits lists the services of section 3.1, which package openshift implements. OKD has no journal gateway.
func listBootstrapUnits(okd bool) []types.Unit {
	var units []types.Unit
	enabled := true
	for _, name := range []string{"release-image", "node-image-pull", "kubelet", "bootkube", "approve-csr", "progress"} {
		content := "[Service]\nExecStart=/usr/local/bin/" + name + ".sh\n\n[Install]\nWantedBy=multi-user.target\n"
		units = append(units, types.Unit{Name: name + ".service", Enabled: &enabled, Contents: &content})
	}
	if !okd {
		units = append(units, types.Unit{Name: "systemd-journal-gatewayd.socket", Enabled: &enabled}) // part of the image
	}
	return units
}
