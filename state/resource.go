package state

import "time"

// Action is what was done with an object.
type Action string

// The actions. Found means that nothing had to be done.
const (
	Created Action = "created"
	Adopted Action = "adopted" // it existed, created by an earlier run that could not record the result
	Found   Action = "found"
	Updated Action = "updated"
	Deleted Action = "deleted"
	Failed  Action = "failed" // refused; found in the journal only
)

// Instance is a virtual machine. The cloud fills ID, Address and State.
type Instance struct {
	Name               string
	Type               string // <family>.<size>
	TemplateID         string
	DiskGiB            int
	UserData           []byte   // plain, not base64
	SecurityGroups     []string // IDs
	AntiAffinityGroups []string // IDs
	PrivateNetworks    []string // IDs; attached after the creation
	Labels             map[string]string
	DeployTarget       string // ID of dedicated hypervisors; "" for any
	Protected          bool   // cannot be deleted before its protection is removed

	ID      string
	Address string // public IPv4 address
	State   string // Exoscale's state: starting, running, ...
	Created time.Time
}

// InstanceObserver is called while instances start, never concurrently. A nil function is not called.
type InstanceObserver struct {
	// Accepted is called once, when the API has accepted the creation of every instance that was missing, or none was. It is
	// not called after a refusal.
	Accepted func()
	// Running is called for each instance, as soon as it runs, has its public address, and has the wanted protection.
	Running func(Instance, Action)
	// Waiting is called after each poll that left instances to wait for.
	Waiting func(InstanceWait)
}

// InstanceWait is the wait for instances that were requested.
type InstanceWait struct {
	Names []string      // of the instances that do not run yet, in the order of their request
	Since time.Time     // when waiting for the oldest of them began
	Limit time.Duration // after which the wait for one instance ends
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

// ElasticIP is a managed elastic IP, identified by its label or description.
type ElasticIP struct {
	Name        string // kept in the description and the label exoshift-name
	Labels      map[string]string
	Healthcheck Healthcheck
	ReverseDNS  string // name of the PTR record; empty for none

	ID      string
	Address string
}

// Healthcheck is the check by which Exoscale selects the instance that serves a managed elastic IP.
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
	URL         string // URL from which Exoscale downloads it
	MD5         string // hex
	BootMode    string // legacy or uefi
	DefaultUser string
	Build       string

	ID      string
	SizeGiB int
}

// IAMRole is the permissions of its API keys.
type IAMRole struct {
	Name        string
	Description string
	Labels      map[string]string
	Policy      IAMPolicy
	ID          string
}

// IAMPolicy is a policy in Exoscale's format: services by their names, and rules in CEL of which the first match decides.
type IAMPolicy struct {
	DefaultServiceStrategy string                `json:"default-service-strategy"` // allow or deny
	Services               map[string]IAMService `json:"services"`
}

// IAMService is the part of a policy for one service.
type IAMService struct {
	Type  string    `json:"type"` // allow, deny or rules
	Rules []IAMRule `json:"rules,omitempty"`
}

// IAMRule allows or denies requests that match its expression.
type IAMRule struct {
	Action     string `json:"action"` // allow or deny
	Expression string `json:"expression"`
}

// APIKey is a key of a role. The API returns its secret only once, on creation.
type APIKey struct {
	Name   string
	RoleID string
	Key    string
	Secret string
}

// InstanceType is an instance type that the zone offers.
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

// Outage is a time in which Exoscale's API answers nothing, or nothing but errors of its own.
type Outage struct {
	Since time.Time
	Until time.Time // the client gives up then; of an outage that is over, its end
	Over  bool
	Cause string // the failure that was seen last
}

// Bucket is a bucket of the object storage with the address that its users need.
type Bucket struct {
	Name     string
	Region   string // the zone
	Endpoint string // URL
}

// ObjectStorageHost returns the host of a zone's object storage.
func ObjectStorageHost(zone string) string { return "sos-" + zone + ".exo.io" }
