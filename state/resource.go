package state

import "time"

// Action is what became of an object that was asked for.
type Action string

// The actions. Found means that nothing had to be done.
const (
	Created Action = "created"
	Adopted Action = "adopted" // it was there, made by an earlier run that could not note it down
	Found   Action = "found"
	Updated Action = "updated"
	Deleted Action = "deleted"
	Failed  Action = "failed" // refused: nothing came of it; found in the journal only
)

// Instance is a virtual machine. The cloud fills ID, Address and State.
type Instance struct {
	Name               string
	Type               string // <family>.<size>
	TemplateID         string
	DiskGiB            int
	UserData           []byte // as the machine reads it, not base64
	SSHKey             string
	SecurityGroups     []string // IDs
	AntiAffinityGroups []string // IDs
	Labels             map[string]string
	DeployTarget       string // ID of dedicated hypervisors; "" for any
	Protected          bool   // cannot be deleted before its protection is taken off

	ID      string
	Address string // public IPv4 address
	State   string // Exoscale's words: starting, running, ...
	Created time.Time
}

// SecurityGroup is a named set of ingress rules.
type SecurityGroup struct {
	Name        string
	Description string
	Rules       []Rule
	ID          string
}

// Rule lets traffic in. Exactly one of CIDR and Group names the peer.
type Rule struct {
	Protocol    string // tcp, udp or icmp
	From, To    int    // ports; 0 for icmp
	ICMPType    int    // for icmp
	CIDR        string
	Group       string // name of a security group
	Description string
}

// ElasticIP is a managed elastic IP, told apart by its label or description.
type ElasticIP struct {
	Name        string // kept in the description and the label exoshift-name
	Labels      map[string]string
	Healthcheck Healthcheck
	ReverseDNS  string // name of the PTR record; empty for none

	ID      string
	Address string
}

// Healthcheck is how Exoscale finds out which instance may serve a managed elastic IP.
type Healthcheck struct {
	Mode        string // tcp, http or https
	Port        int
	Path        string // for http and https
	Interval    time.Duration
	Timeout     time.Duration
	StrikesOK   int
	StrikesFail int
}

// Zone is a DNS zone.
type Zone struct {
	Name        string
	ID          string
	NameServers []string
}

// Record is a DNS record; Name is relative to the zone, "" is its apex.
type Record struct {
	Name    string
	Type    string // A, CNAME, ...
	Content string
	TTL     int // seconds
}

// Template is a disk image that instances boot from.
type Template struct {
	Name        string
	Description string
	URL         string // where Exoscale fetches it
	MD5         string // hex
	BootMode    string // legacy or uefi
	DefaultUser string
	Build       string

	ID      string
	SizeGiB int
}

// IAMRole is what its API keys may do.
type IAMRole struct {
	Name        string
	Description string
	Labels      map[string]string
	Policy      IAMPolicy
	ID          string
}

// IAMPolicy is a policy in Exoscale's own language: services by their names, and rules in CEL of which the first that
// is true decides.
type IAMPolicy struct {
	DefaultServiceStrategy string                `json:"default-service-strategy"` // allow or deny
	Services               map[string]IAMService `json:"services"`
}

// IAMService is what a policy says about one service.
type IAMService struct {
	Type  string    `json:"type"` // allow, deny or rules
	Rules []IAMRule `json:"rules,omitempty"`
}

// IAMRule allows or denies what its expression is true for.
type IAMRule struct {
	Action     string `json:"action"` // allow or deny
	Expression string `json:"expression"`
}

// APIKey is a key of a role. Exoscale tells its secret once, when it makes the key.
type APIKey struct {
	Name   string
	RoleID string
	Key    string
	Secret string
}

// InstanceType is an offer of the zone.
type InstanceType struct {
	Name       string // <family>.<size>
	CPUs       int
	GPUs       int
	MemoryGiB  float64
	Authorized bool
}

// Quota is one limit of the organization.
type Quota struct {
	Resource string
	Used     int
	Limit    int // -1: unlimited
}

// Bucket is a bucket of the object storage as those who use it need to know it.
type Bucket struct {
	Name     string
	Region   string // the zone
	Endpoint string // URL
}

// ObjectStorageHost returns where the object storage of a zone is.
func ObjectStorageHost(zone string) string { return "sos-" + zone + ".exo.io" }
