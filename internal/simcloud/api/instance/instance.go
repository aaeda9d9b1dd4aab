package instance

import (
	"encoding/binary"
	"net/netip"
	"time"

	"exoshift/internal/simcloud/api/resource"
)

// Instance is a stored virtual machine.
type Instance struct {
	resource.Row
	resource.Transition
	Name         string
	Address      netip.Addr
	Assignment   string // "inet4", "dual" or "none"
	Type         string
	Template     string
	DiskSize     int64 // GiB
	UserData     string
	Labels       map[string]string
	Keys         []string
	Groups       []string
	AntiAffinity []string
	Secureboot   bool
	TPM          bool
	Consistent   bool // application-consistent snapshots
	Protected    bool
	Target       string // the deploy target, or ""
	Pool         string // the instance pool that manages it, or ""
	Password     string // of templates that have one
	PasswordAt   time.Time
}

// FindFreeAddress returns an address that is not taken, from the number order of a range of 16 bits on: addresses are not reused soon, so
// that a stale DNS record does not resolve to another machine.
func FindFreeAddress(first uint32, order int, taken func(netip.Addr) bool) netip.Addr {
	for ; ; order++ {
		var bytes [4]byte
		binary.BigEndian.PutUint32(bytes[:], first+uint32(order%65000)+10) //nolint:gosec // below 65010
		if address := netip.AddrFrom4(bytes); !taken(address) {
			return address
		}
	}
}

// IPv6Address returns "" unless the instance has addresses of both families.
func (i Instance) IPv6Address() string {
	if i.Assignment != "dual" {
		return ""
	}
	b := i.Address.As4()
	return netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 0xff, 12: b[0], 13: b[1], 14: b[2], 15: b[3]}).String()
}

// Pool is a stored instance pool: it creates its members, and replaces lost ones.
type Pool struct {
	resource.Row
	resource.Transition
	Name         string
	Description  string
	Prefix       string // of the members' names
	Size         int64
	MinAvailable int64
	Member       Spec // specification of members
	ElasticIPs   []string
	Networks     []string
	IPv6         bool
}

// Spec is the request for an instance.
type Spec struct {
	Name         string            `json:"name"`
	Type         resource.Ref      `json:"instance-type"`
	Template     resource.Ref      `json:"template"`
	DiskSize     int64             `json:"disk-size"`
	UserData     *string           `json:"user-data"`
	Key          *SSHKey           `json:"ssh-key"`
	Keys         []SSHKey          `json:"ssh-keys"`
	Labels       map[string]string `json:"labels"`
	Assignment   string            `json:"public-ip-assignment"`
	Groups       []resource.Ref    `json:"security-groups"`
	AntiAffinity []resource.Ref    `json:"anti-affinity-groups"`
	DeployTarget *resource.Ref     `json:"deploy-target"`
	AutoStart    *bool             `json:"auto-start"`
	Secureboot   bool              `json:"secureboot-enabled"`
	TPM          bool              `json:"tpm-enabled"`
	Consistent   bool              `json:"application-consistent-snapshot-enabled"`
}

// SSHKey is an SSH key in the wire format.
type SSHKey struct {
	Name        string `json:"name"`
	Fingerprint string `json:"fingerprint,omitempty"`
}

// KeyNames returns the names of the SSH keys, each once.
func (s Spec) KeyNames() []string {
	var names []string
	if s.Key != nil {
		names = append(names, s.Key.Name)
	}
	for _, key := range s.Keys {
		names = append(resource.Without(names, key.Name), key.Name)
	}
	return names
}

// FillFrom sets the fields that a request omits.
func (s *Spec) FillFrom(from Spec) {
	if s.Labels == nil {
		s.Labels = from.Labels
	}
	if s.Key == nil && s.Keys == nil {
		s.Key, s.Keys = from.Key, from.Keys
	}
	if s.UserData == nil {
		s.UserData = from.UserData
	}
	if s.DeployTarget == nil {
		s.DeployTarget = from.DeployTarget
	}
	if s.Groups == nil {
		s.Groups = from.Groups
	}
	if s.AntiAffinity == nil {
		s.AntiAffinity = from.AntiAffinity
	}
}
