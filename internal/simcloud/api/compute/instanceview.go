package compute

import (
	"encoding/base64"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"exoshift/internal/simcloud/api/instance"
	"exoshift/internal/simcloud/api/networking"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

// wireInstance is the element of a list.
type wireInstance struct {
	ID              string                 `json:"id"`
	Name            string                 `json:"name"`
	State           string                 `json:"state"`
	CreatedAt       time.Time              `json:"created-at"`
	Type            resource.Ref           `json:"instance-type"`
	Template        resource.Ref           `json:"template"`
	Key             *instance.SSHKey       `json:"ssh-key,omitempty"`
	Keys            []instance.SSHKey      `json:"ssh-keys"`
	Labels          map[string]string      `json:"labels"`
	PublicIP        string                 `json:"public-ip,omitempty"`
	Assignment      string                 `json:"public-ip-assignment"`
	MAC             string                 `json:"mac-address,omitempty"`
	PrivateNetworks []networking.Interface `json:"private-networks"`
	Groups          []resource.Ref         `json:"security-groups"`
	Manager         *wireManager           `json:"manager,omitempty"`
	IPv6            string                 `json:"ipv6-address,omitempty"`
}

// wireInstanceDetail is a single instance.
type wireInstanceDetail struct {
	wireInstance
	DiskSize      int64                   `json:"disk-size"`
	DiskEncrypted bool                    `json:"disk-encrypted"`
	UserData      string                  `json:"user-data,omitempty"`
	AntiAffinity  []resource.Ref          `json:"anti-affinity-groups"`
	ElasticIPs    []networking.AttachedIP `json:"elastic-ips"`
	Snapshots     []resource.Ref          `json:"snapshots"`
	Volumes       []resource.Ref          `json:"block-storage-volumes"`
	TPM           bool                    `json:"tpm-enabled"` // the exo program panics without these two
	Secureboot    bool                    `json:"secureboot-enabled"`
	Consistent    bool                    `json:"application-consistent-snapshot-enabled"`
	Target        *resource.Ref           `json:"deploy-target,omitempty"`
}

type wireManager struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

const managedByPool = "instance-pool"

func (s *Instances) list(req *rest.Request) (any, error) {
	labels, err := parseLabels(req.Query("labels"))
	if err != nil {
		return nil, err
	}
	list, networks := []wireInstance{}, s.networking.PrivateNetworks.Interfaces()
	for _, i := range s.tables.Instances.List(req.Zone) {
		if matchFilters(req, i) && hasLabels(i.Labels, labels) {
			list = append(list, s.view(i, networks))
		}
	}
	return map[string]any{"instances": list}, nil
}

// matchFilters applies all filters except for labels.
func matchFilters(req *rest.Request, i instance.Instance) bool {
	address, manager := req.Query("ip-address"), req.Query("manager-id")
	return (address == "" || address == formatAddress(i.Address)) &&
		(manager == "" || manager == i.Pool) &&
		(req.Query("manager-type") == "" || i.Pool != "")
}

// parseLabels parses "name=value,…". The live service's format is not known.
func parseLabels(text string) (map[string]string, error) {
	labels := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(pair, "=")
		if !ok && text != "" {
			return nil, rest.Invalidf("labels: %q is not name=value", pair)
		}
		if ok {
			labels[name] = value
		}
	}
	return labels, nil
}

func hasLabels(has, wants map[string]string) bool {
	for name, value := range wants {
		if found, ok := has[name]; !ok || found != value {
			return false
		}
	}
	return true
}

func (s *Instances) get(req *rest.Request) (any, error) {
	i, err := s.tables.Instances.Get(req.Zone, req.ID())
	if err != nil {
		return nil, err
	}
	return wireInstanceDetail{
		wireInstance:  s.view(i, s.networking.PrivateNetworks.Interfaces()),
		DiskSize:      i.DiskSize,
		DiskEncrypted: true,
		UserData:      i.UserData,
		AntiAffinity:  resource.ToRefs(i.AntiAffinity),
		ElasticIPs:    s.networking.ElasticIPs.Attached(i.ID),
		Snapshots:     s.snapshots.ofInstance(i.ID),
		Volumes:       s.volumes.Attached(i.ID),
		TPM:           i.TPM,
		Secureboot:    i.Secureboot,
		Consistent:    i.Consistent,
		Target:        resource.OptionalRef(i.Target),
	}, nil
}

func (s *Instances) view(i instance.Instance, networks map[string][]networking.Interface) wireInstance {
	view := wireInstance{
		ID: i.ID, Name: i.Name, State: i.State, CreatedAt: i.Created.Truncate(time.Second),
		Type: resource.Ref{ID: i.Type}, Template: resource.Ref{ID: i.Template}, Keys: toSSHKeys(i.Keys), Labels: i.Labels,
		PublicIP: formatAddress(i.Address), Assignment: i.Assignment, MAC: formatMAC(i.Address),
		PrivateNetworks: networks[i.ID], Groups: resource.ToRefs(i.Groups), IPv6: i.IPv6Address(),
	}
	if view.PrivateNetworks == nil {
		view.PrivateNetworks = []networking.Interface{}
	}
	if i.Pool != "" {
		view.Manager = &wireManager{ID: i.Pool, Type: managedByPool}
	}
	if len(view.Keys) > 0 {
		view.Key = &view.Keys[0]
	}
	return view
}

func toSSHKeys(names []string) []instance.SSHKey {
	keys := make([]instance.SSHKey, len(names))
	for i, name := range names {
		keys[i].Name = name
	}
	return keys
}

func formatAddress(address netip.Addr) string {
	if !address.IsValid() {
		return ""
	}
	return address.String()
}

func formatMAC(address netip.Addr) string {
	if !address.IsValid() {
		return ""
	}
	b := address.As4()
	return fmt.Sprintf("06:00:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3])
}

// Machine is a virtual machine as the rest of the zone uses it.
type Machine struct {
	ID             string
	Name           string
	Address        netip.Addr // invalid without a public address
	State          string     // starting, running, stopping, stopped or destroying
	Zone           string
	TemplateID     string
	Type           string // "standard.large"
	DiskGiB        int
	UserData       []byte // decoded
	Labels         map[string]string
	SecurityGroups []string // IDs
	DeployTarget   string   // ID, or ""
	CreatedAt      time.Time
}

// Machines returns the instances of a zone, always the same one, in the order of their creation. The caller must not modify the list.
func (s *Instances) Machines(zone string) []Machine {
	changes := s.tables.Instances.Changes()
	if s.machines != nil && s.machinesChanges == changes {
		return s.machines
	}
	list := make([]Machine, 0, s.tables.Instances.Len())
	for _, i := range s.tables.Instances.List(zone) {
		kind, _ := s.tables.FindType(i.Type)
		list = append(list, Machine{
			ID: i.ID, Name: i.Name, Address: i.Address, State: i.State, Zone: i.Zone, TemplateID: i.Template, DiskGiB: int(i.DiskSize),
			Type: kind.Name(), UserData: s.decodeUserData(i), Labels: i.Labels, SecurityGroups: i.Groups,
			DeployTarget: i.Target, CreatedAt: i.Created,
		})
	}
	s.machines, s.machinesChanges = list, changes
	return list
}

// decodedUserData is user data in base64, and decoded.
type decodedUserData struct {
	text string
	data []byte
}

func (s *Instances) decodeUserData(i instance.Instance) []byte {
	known := s.userData[i.ID]
	if known.text != i.UserData {
		known.text = i.UserData
		known.data, _ = base64.StdEncoding.DecodeString(i.UserData) // validated at creation
		s.userData[i.ID] = known
	}
	return known.data
}
