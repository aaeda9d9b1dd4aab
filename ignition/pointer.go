// Package ignition renders the Ignition documents of RHCOS machines, and patches boot images so that these machines read
// user-data from Exoscale's metadata service.
//
// All documents are of specification 3.2.0, which every OpenShift from 4.8 on supports, and are served uncompressed:
// Ignition does not unpack a compressed document on Exoscale.
package ignition

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"net/url"

	"github.com/coreos/ignition/v2/config/util"
	"github.com/coreos/ignition/v2/config/v3_2/types"

	"exoshift/internal/fault"
	"exoshift/state"
)

// Pointer is the document that a machine boots with: its host name, and the source of the rest of its configuration.
type Pointer struct {
	Hostname string
	Unnamed  bool         // it gives the machine no host name: the machine has that of its instance
	Source   string       // URL of a document that is merged into this one
	Hash     string       // "sha512-<hex>" of the fetched document; "" for any
	CA       []byte       // PEM certificate that verifies the server, besides those of the image; nil for none
	RootGiB  int          // size of the root partition if the rest of the disk is to be partition "data"; 0 for all of it
	Units    []types.Unit // services of the machine's first boot
}

// RenderNodePointer returns the document of a node, which fetches its configuration from the cluster's machine config server.
// The server's certificate is verified by rootCA, the PEM certificate that openshift-install generated. A data disk
// becomes partition "data"; on storage nodes it is filled with zeros, for TopoLVM it becomes volume group vgssd. The members of an
// instance pool share their document, which names none of them.
func RenderNodePointer(node state.Machine, clusterDomain string, rootCA []byte) ([]byte, error) {
	pointer := Pointer{
		Hostname: node.Name,
		Source:   "https://api-int." + clusterDomain + ":22623/config/" + Pool(node.Role),
		CA:       rootCA,
	}
	if len(rootCA) == 0 {
		return nil, fault.Newf(fault.Invalid, "describe machine "+node.Name, "no certificate authority to verify the machine config server")
	}
	if node.Pool {
		pointer.Hostname, pointer.Unnamed = "", true
	}
	if node.DataDisk > 0 {
		pointer.RootGiB = node.RootDisk
	}
	var err error
	if pointer.Units, err = buildUnits(node); err != nil {
		return nil, err
	}
	return pointer.Render()
}

// RenderBootstrapPointer returns the document of the bootstrap machine, which fetches bootstrap from link and refuses any
// other content.
func RenderBootstrapPointer(hostname, link string, bootstrap []byte) ([]byte, error) {
	return Pointer{Hostname: hostname, Source: link, Hash: hash(bootstrap)}.Render()
}

// Pool returns the machine config pool that a node of a role starts in: all but the masters start as workers.
func Pool(role state.Role) string {
	if role == state.RoleMaster {
		return "master"
	}
	return "worker"
}

// hash returns the verification hash of a document: "sha512-<hex>".
func hash(document []byte) string {
	sum := sha512.Sum512(document)
	return "sha512-" + hex.EncodeToString(sum[:])
}

// Render returns the pointer as a valid Ignition document that fits into the user-data of an instance. Its errors
// are fault.Invalid.
func (p Pointer) Render() ([]byte, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	return encodeDocument("describe machine "+p.Hostname, p.buildConfig())
}

func (p Pointer) buildConfig() types.Config {
	return types.Config{
		Ignition: types.Ignition{
			Version: types.MaxVersion.String(),
			// Merge and not replace: replace would drop the rest of this document, including the host name.
			Config:   types.IgnitionConfig{Merge: []types.Resource{p.buildSource()}},
			Security: types.Security{TLS: types.TLS{CertificateAuthorities: p.listAuthorities()}},
		},
		Storage: types.Storage{Files: p.listFiles(), Disks: p.buildDisks()},
		Systemd: types.Systemd{Units: p.Units},
	}
}

func (p Pointer) buildSource() types.Resource {
	resource := types.Resource{Source: &p.Source}
	if p.Hash != "" {
		resource.Verification.Hash = &p.Hash
	}
	return resource
}

func (p Pointer) listAuthorities() []types.Resource {
	if len(p.CA) == 0 {
		return nil
	}
	const pem = "data:text/plain;charset=utf-8;base64,"
	return []types.Resource{{Source: util.StrToPtr(pem + base64.StdEncoding.EncodeToString(p.CA))}}
}

// Without a file, Afterburn writes the name of the instance.
func (p Pointer) listFiles() []types.File {
	if p.Unnamed {
		return nil
	}
	return []types.File{newHostnameFile(p.Hostname)}
}

// Exoscale's DHCP server sends no host name, and the image's own is localhost.
func newHostnameFile(hostname string) types.File {
	return types.File{
		Node: types.Node{Path: "/etc/hostname", Overwrite: util.BoolToPtr(true)},
		FileEmbedded1: types.FileEmbedded1{
			Mode:     util.IntToPtr(0o644),
			Contents: types.Resource{Source: util.StrToPtr("data:," + url.PathEscape(hostname+"\n"))},
		},
	}
}
