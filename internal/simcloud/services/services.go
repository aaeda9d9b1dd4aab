// Package services simulates the hosts of the internet beside Exoscale and the download mirror: the vendor's services, those of
// Project Syn, and third parties. Each has an address of its own, and responds to unknown clients as the real one does, as far
// as that is known.
package services

import (
	"crypto/x509/pkix"
	"fmt"
	"net/http"
	"net/netip"

	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/mirror"
	"exoshift/internal/simcloud/registry"
	"exoshift/internal/simcloud/server"
)

// Config configures the services.
type Config struct {
	Servers *server.Servers
	Release mirror.Key // signs releases
	HostKey []byte     // the seed of the SSH host keys
	Syn     ProjectSyn
	// Registries wraps each container registry; nil means none.
	Registries func(http.Handler) http.Handler
}

type services struct {
	config Config
	blobs  *registry.BlobStore
	signer signer
}

type site struct {
	names []string
	ports func(*services) ([]server.Port, error)
}

// Open adds the services to the network.
func Open(config Config) error {
	if config.Registries == nil {
		config.Registries = func(next http.Handler) http.Handler { return next }
	}
	warehouse, err := registry.NewBlobStore()
	if err != nil {
		return err
	}
	s := &services{config: config, blobs: warehouse, signer: signer{key: config.Release}}
	for i, site := range listSites() {
		ports, err := site.ports(s)
		if err != nil {
			return fmt.Errorf("serve %s: %w", site.names[0], err)
		}
		if err := config.Servers.Add(server.Site{Address: formatAddress(i), Names: site.names, Ports: ports}); err != nil {
			return fmt.Errorf("serve %s: %w", site.names[0], err)
		}
	}
	return nil
}

// Addresses returns the names of the services, each with its address.
func Addresses() map[string]string {
	names := map[string]string{}
	for i, site := range listSites() {
		for _, name := range site.names {
			names[name] = formatAddress(i)
		}
	}
	return names
}

// formatAddress returns the address of a site, from a range reserved for documentation.
func formatAddress(number int) string {
	return netip.AddrFrom4([4]byte{203, 0, 113, byte(100 + number)}).String()
}

func listSites() []site {
	var list []site
	for _, part := range [][]site{listVSHNSites(), listRedHatSites(), listRegistrySites(), listOtherSites()} {
		list = append(list, part...)
	}
	return list
}

func newWebSite(handler http.Handler, names ...string) site {
	return site{names, func(*services) ([]server.Port, error) { return server.NewWebPorts(handler), nil }}
}

// newSSHSite is a host with SSH only.
func newSSHSite(version string, names ...string) site {
	return site{names, func(s *services) ([]server.Port, error) {
		port, err := s.newSSHPort(version, names[0])
		return []server.Port{port}, err
	}}
}

func (s *services) newSSHPort(version, host string) (server.Port, error) {
	key, err := server.DeriveHostKey(s.config.HostKey, host)
	return server.SSH{Version: version, Key: key}, err
}

// newPuppetCA is Puppet's own authority.
func newPuppetCA() (*fabric.CA, error) {
	return fabric.NewAuthority(pkix.Name{CommonName: "Puppet CA: master.puppet.vshn.net"})
}
