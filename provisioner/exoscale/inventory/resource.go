package inventory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

// resource has the fields of all kinds that finding and deleting need.
type resource struct {
	ID          string            `json:"id"`
	Key         string            `json:"key"` // of an API key
	Name        string            `json:"name"`
	UnicodeName string            `json:"unicode-name"` // of a DNS zone
	Description string            `json:"description"`
	Labels      map[string]string `json:"labels"`
	State       string            `json:"state"`
	CreatedAt   string            `json:"created-at"`

	IP          string        `json:"ip"`
	PublicIP    string        `json:"public-ip"`
	Fingerprint string        `json:"fingerprint"`
	Size        int64         `json:"size"` // GiB of disks, bytes of templates, machines of pools
	VolumeSize  int64         `json:"volume-size"`
	Type        api.Reference `json:"instance-type"`

	Instance       api.Reference   `json:"instance"`
	Manager        api.Reference   `json:"manager"`
	Template       api.Reference   `json:"template"` // of an instance or a pool
	Volume         api.Reference   `json:"block-storage-volume"`
	Role           string          `json:"role-id"`
	SecurityGroups []api.Reference `json:"security-groups"`
	AntiAffinity   []api.Reference `json:"anti-affinity-groups"`
	Networks       []api.Reference `json:"private-networks"`
	ElasticIPs     []api.Reference `json:"elastic-ips"` // in the response for one instance only, not in lists
	Services       []struct {
		api.Reference
		Pool api.Reference `json:"instance-pool"`
	} `json:"services"`
	Rules []struct {
		api.Reference
		Group api.Reference `json:"security-group"`
	} `json:"rules"`
}

// id falls back to the name: SSH keys have no ID.
func (e resource) id() string { return cmp.Or(e.ID, e.Key, e.Name) }

// displayName returns the label for elastic IPs, which have no names.
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

func collectIDs(references []api.Reference) []string {
	ids := make([]string, len(references))
	for i, r := range references {
		ids[i] = r.ID
	}
	return ids
}

func (e resource) parseCreated() time.Time {
	moment, err := time.Parse(time.RFC3339, e.CreatedAt)
	if err != nil {
		return time.Time{}
	}
	return moment
}

// formatDetail returns what distinguishes objects for users, beside the name. types maps the IDs of instance types to their
// names.
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

// isGone reports whether the object is deleted although the API still lists it.
func (e resource) isGone() bool {
	return slices.Contains([]string{"destroyed", "expunging", "deleted"}, e.State)
}
