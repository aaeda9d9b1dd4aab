package api

import (
	"encoding/base64"
	"net/netip"
	"slices"
	"time"
)

// Instance is a virtual machine as the rest of the zone uses it.
type Instance struct {
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

// Template is an image that instances boot from.
type Template struct {
	ID          string
	Name        string
	Zone        string
	Public      bool
	BootMode    string // "legacy" or "uefi"
	DefaultUser string
	Platform    string // the value of ignition.platform.id in the image, or ""
	OSBuild     string // of CoreOS in the image, e.g. "9.6.20251212-1", or ""
}

// ElasticIP is an address that instances share.
type ElasticIP struct {
	ID          string
	Address     netip.Addr
	Instances   []netip.Addr // the addresses of the attached instances, in the order of attachment
	Healthcheck *Healthcheck // nil: the instances have to configure the address themselves
}

// Healthcheck decides which instances receive the traffic of a managed elastic IP.
type Healthcheck struct {
	Mode          string // "tcp", "http" or "https"
	Port          int
	URI           string
	Interval      time.Duration
	Timeout       time.Duration
	StrikesOK     int
	StrikesFail   int
	TLSSNI        string
	TLSSkipVerify bool
}

// Zone is a DNS domain with the records of its name servers.
type Zone struct {
	Name        string // without a trailing dot
	NameServers []string
	Records     []Record
}

// Record is a DNS record. Names are relative to the zone; "" is the zone itself.
type Record struct {
	Name, Type, Content string
	TTL                 int // seconds
	Priority            int // of MX and SRV
}

// Changed receives after a change: a new state of an instance, or a mutation. Several changes may be coalesced.
func (a *API) Changed() <-chan struct{} { return a.changed }

// Calls returns the number of requests since New.
func (a *API) Calls() int { return int(a.calls.Load()) }

// Mutations returns the number of mutating requests since New, without refused ones.
func (a *API) Mutations() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.mutations
}

// Instances returns the machines of the configured zone in the order of their creation. The caller must not modify the list.
func (a *API) Instances() []Instance {
	a.mu.Lock()
	defer a.mu.Unlock()
	if changes := a.tables.instances.changes; a.instanceCache.instances == nil || a.instanceCache.changes != changes {
		a.instanceCache = instanceCache{instances: a.listMachines(), changes: changes}
	}
	return a.instanceCache.instances
}

// instanceCache is the last result of Instances and its number of changes.
type instanceCache struct {
	instances []Instance
	changes   int
}

func (a *API) listMachines() []Instance {
	list := make([]Instance, 0, a.tables.instances.count())
	for _, i := range a.tables.instances.list(a.config.Zone) {
		list = append(list, Instance{
			ID: i.ID, Name: i.Name, Address: i.Address, State: i.State, Zone: i.Zone, TemplateID: i.Template, DiskGiB: int(i.DiskSize),
			Type: a.typeOf[i.Type].name(), UserData: a.decodeUserData(i), Labels: i.Labels, SecurityGroups: i.Groups,
			DeployTarget: i.Target, CreatedAt: i.Created,
		})
	}
	return list
}

// decodedUserData is user data in base64, and decoded.
type decodedUserData struct {
	text string
	data []byte
}

func (a *API) decodeUserData(i instance) []byte {
	known := a.decodedUserData[i.ID]
	if known.text != i.UserData {
		known.text = i.UserData
		known.data, _ = base64.StdEncoding.DecodeString(i.UserData) // validated at creation
		a.decodedUserData[i.ID] = known
	}
	return known.data
}

// Template returns a template of the configured zone that is ready to use.
func (a *API) Template(id string) (Template, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t, err := a.findTemplate(a.config.Zone, id)
	return Template{
		ID: t.ID, Name: t.Wire.Name, Zone: t.Zone, Public: t.Wire.Visibility == "public",
		BootMode: t.Wire.BootMode, DefaultUser: t.Wire.DefaultUser, Platform: t.Platform, OSBuild: t.OSBuild,
	}, err == nil
}

// ElasticIP returns the elastic IP with that address, of any zone.
func (a *API) ElasticIP(address netip.Addr) (ElasticIP, bool) {
	all := a.ElasticIPs()
	if i := slices.IndexFunc(all, func(ip ElasticIP) bool { return ip.Address == address }); i >= 0 {
		return all[i], true
	}
	return ElasticIP{}, false
}

// ElasticIPs returns the elastic IPs of all zones.
func (a *API) ElasticIPs() []ElasticIP {
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []ElasticIP
	for _, ip := range a.tables.elasticIPs.listAll() {
		view := ElasticIP{ID: ip.ID, Address: ip.Address, Healthcheck: ip.Wire.Healthcheck.toModel()}
		for _, id := range ip.Instances {
			if i, ok := a.tables.instances.table.Get(id); ok && i.Address.IsValid() {
				view.Instances = append(view.Instances, i.Address)
			}
		}
		list = append(list, view)
	}
	return list
}

func (w *wireHealthcheck) toModel() *Healthcheck {
	if w == nil {
		return nil
	}
	return &Healthcheck{
		Mode: w.Mode, Port: int(w.Port), URI: w.URI, TLSSNI: w.TLSSNI, TLSSkipVerify: w.TLSSkipVerify,
		Interval: time.Duration(w.Interval) * time.Second, Timeout: time.Duration(w.Timeout) * time.Second,
		StrikesOK: int(w.StrikesOK), StrikesFail: int(w.StrikesFail),
	}
}

// Zones returns the DNS domains with their records.
func (a *API) Zones() []Zone {
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []Zone
	for _, d := range a.tables.domains.listAll() {
		zone := Zone{Name: d.Wire.Name, NameServers: nameServers()}
		for _, r := range a.findRecords(d.ID) {
			view := Record{Name: r.Wire.Name, Type: r.Wire.Type, Content: r.Wire.Content, TTL: int(r.Wire.TTL)}
			if r.Wire.Priority != nil {
				view.Priority = int(*r.Wire.Priority)
			}
			zone.Records = append(zone.Records, view)
		}
		list = append(list, zone)
	}
	return list
}
