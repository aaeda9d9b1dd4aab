package exoscale

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/state"
)

// resource is an object as the API lists it or shows it alone: of the fields of all kinds those that finding and
// deleting need.
type resource struct {
	ID          string            `json:"id"`
	Key         string            `json:"key"` // of an API key
	Name        string            `json:"name"`
	UnicodeName string            `json:"unicode-name"` // of a DNS zone
	Description string            `json:"description"`
	Labels      map[string]string `json:"labels"`
	State       string            `json:"state"`
	CreatedAt   string            `json:"created-at"`

	IP          string    `json:"ip"`
	PublicIP    string    `json:"public-ip"`
	Fingerprint string    `json:"fingerprint"`
	Size        int64     `json:"size"` // GiB of disks, bytes of templates, machines of pools
	VolumeSize  int64     `json:"volume-size"`
	Type        reference `json:"instance-type"`

	Instance       reference   `json:"instance"`
	Manager        reference   `json:"manager"`
	Template       reference   `json:"template"` // of an instance or a pool
	Volume         reference   `json:"block-storage-volume"`
	Role           string      `json:"role-id"`
	SecurityGroups []reference `json:"security-groups"`
	AntiAffinity   []reference `json:"anti-affinity-groups"`
	Networks       []reference `json:"private-networks"`
	ElasticIPs     []reference `json:"elastic-ips"` // told by each instance alone, not by lists
	Services       []struct {
		reference
		Pool reference `json:"instance-pool"`
	} `json:"services"`
	Rules []struct {
		reference
		Group reference `json:"security-group"`
	} `json:"rules"`
}

// reference points to another object.
type reference struct {
	ID string `json:"id"`
}

// id is what the API calls the object by; SSH keys have a name only.
func (e resource) id() string { return cmp.Or(e.ID, e.Key, e.Name) }

// displayName is the name that people know the object by. Elastic IPs have none: ours is kept in a label.
func (e resource) displayName() string {
	return cmp.Or(e.Name, e.UnicodeName, e.Labels[state.LabelName], e.Description)
}

// listUses returns what the object is attached to, made of or made for.
func (e resource) listUses(kind string) []string {
	var ids []string
	switch kind {
	case state.KindInstance:
		ids = []string{e.Manager.ID, e.Template.ID}
	case state.KindInstancePool:
		ids = append(collectIDs(slices.Concat(e.SecurityGroups, e.AntiAffinity)), e.Template.ID)
	case state.KindLoadBalancer:
		for _, service := range e.Services {
			ids = append(ids, service.Pool.ID)
		}
	default:
		ids = []string{e.Instance.ID, e.Volume.ID, e.Role}
	}
	slices.Sort(ids)
	return slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return id == "" })
}

func collectIDs(references []reference) []string {
	ids := make([]string, len(references))
	for i, r := range references {
		ids[i] = r.ID
	}
	return ids
}

// parseCreated is when the object was made, or zero if the API does not tell.
func (e resource) parseCreated() time.Time {
	moment, err := time.Parse(time.RFC3339, e.CreatedAt)
	if err != nil {
		return time.Time{}
	}
	return moment
}

// formatDetail is what a person tells the object by, beside its name. Types are the names of instance types by their ids.
func (e resource) formatDetail(kind string, types map[string]string) string {
	switch kind {
	case state.KindInstance:
		return joinWords(types[e.Type.ID], e.PublicIP, e.State)
	case state.KindInstancePool:
		return joinWords(fmt.Sprintf("%d x %s", e.Size, cmp.Or(types[e.Type.ID], "machines")))
	case state.KindVolume, state.KindSnapshot, state.KindVolumeSnapshot:
		return joinWords(formatGiB(e.sizeGiB(kind)), e.State)
	case state.KindTemplate:
		return formatGiB(e.sizeGiB(kind))
	}
	return joinWords(e.IP, e.Fingerprint)
}

// sizeGiB is the size of what has one.
func (e resource) sizeGiB(kind string) int64 {
	switch kind {
	case state.KindVolume, state.KindSnapshot:
		return e.Size
	case state.KindVolumeSnapshot:
		return cmp.Or(e.VolumeSize, e.Size)
	case state.KindTemplate:
		return (e.Size + 1<<30 - 1) >> 30
	}
	return 0
}

func formatGiB(size int64) string { return fmt.Sprintf("%d GiB", size) }

func joinWords(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "" }), " ")
}

// isGone tells whether the object is gone, although the API still shows it.
func (e resource) isGone() bool {
	return slices.Contains([]string{"destroyed", "expunging", "deleted"}, e.State)
}
