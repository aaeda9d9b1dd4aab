package exoscale

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

// InstancePools make equal instances, and make them again when one is lost.
type InstancePools struct {
	api       *api.Client
	types     *InstanceTypes
	instances *Instances
}

const (
	kindInstancePool = state.KindInstancePool
	poolPath         = "/instance-pool"
)

// livePool is a pool in the API. egoscale fails a whole list if one of the pools lacks its type or its template, whoever's it is.
type livePool struct {
	ID           string
	Name         string
	State        string
	Size         int
	MinAvailable int               `json:"min-available"`
	Prefix       string            `json:"instance-prefix"`
	Type         api.Reference     `json:"instance-type"`
	Template     api.Reference     `json:"template"`
	DiskSize     int               `json:"disk-size"` // GiB
	UserData     string            `json:"user-data"` // base64
	Labels       map[string]string `json:"labels"`
	Groups       []api.Reference   `json:"security-groups"`
	AntiAffinity []api.Reference   `json:"anti-affinity-groups"`
	Networks     []api.Reference   `json:"private-networks"`
	DeployTarget api.Reference     `json:"deploy-target"`
	Instances    []api.Reference   `json:"instances"`
}

func (l *livePool) toPool(types map[string]string) state.InstancePool {
	return state.InstancePool{
		ID: l.ID, Name: l.Name, State: l.State, Size: l.Size, MinAvailable: l.MinAvailable, Prefix: l.Prefix, Type: types[l.Type.ID], TemplateID: l.Template.ID,
		DiskGiB: l.DiskSize, UserData: decodeUserData(l.UserData), Labels: l.Labels, SecurityGroups: toIDs(l.Groups), AntiAffinityGroups: toIDs(l.AntiAffinity), PrivateNetworks: toIDs(l.Networks),
		DeployTarget: l.DeployTarget.ID, Members: toIDs(l.Instances),
	}
}

// What cannot be decoded was not written by this program, and differs from all that was.
func decodeUserData(encoded string) []byte {
	plain, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return []byte(encoded)
	}
	return plain
}

func toIDs(references []api.Reference) []string {
	var ids []string
	for _, reference := range references {
		ids = append(ids, reference.ID)
	}
	return ids
}

// ListInstancePools returns the pools that have all the labels.
func (c *InstancePools) ListInstancePools(ctx context.Context, labels map[string]string) ([]state.InstancePool, error) {
	all, err := c.list(ctx)
	if err != nil {
		return nil, err
	}
	types, err := c.types.mapNames(ctx)
	if err != nil {
		return nil, err
	}
	var pools []state.InstancePool
	for _, live := range all {
		if containsLabels(live.Labels, labels) {
			pools = append(pools, live.toPool(types))
		}
	}
	return pools, nil
}

func (c *InstancePools) list(ctx context.Context) ([]*livePool, error) {
	var answer struct {
		Pools []*livePool `json:"instance-pools"`
	}
	err := c.api.Get(ctx, "list instance pools", poolPath, &answer)
	return filterMatching(answer.Pools, func(live *livePool) bool { return live.State != "destroying" }), err
}

func (c *InstancePools) get(ctx context.Context, id string) (*livePool, error) {
	live := &livePool{}
	return live, c.api.Get(ctx, "read instance-pool "+id, poolPath+"/"+id, live)
}

// EnsureInstancePool creates a pool, or has it grow to the wanted size, and waits until all of its members run and have their public
// addresses. It never makes a pool smaller, as the API would choose which members go. Members that exist keep what they are; those that
// it makes are as wanted. A preview does not wait.
func (c *InstancePools) EnsureInstancePool(ctx context.Context, wanted state.InstancePool, observer state.InstanceObserver) (state.InstancePool, state.Action, error) {
	body, err := c.newRequest(ctx, wanted)
	if err != nil {
		return wanted, "", err
	}
	live, action, err := api.Ensure(ctx, c.api, api.Object[livePool]{
		Kind: kindInstancePool, Name: wanted.Name,
		Find: func(ctx context.Context) ([]*livePool, error) {
			all, err := c.list(ctx)
			return filterMatching(all, func(live *livePool) bool {
				return live.Name == wanted.Name && live.Labels[state.LabelCluster] == wanted.Labels[state.LabelCluster]
			}), err
		},
		Create: func(ctx context.Context) (*livePool, error) {
			id, err := c.api.ExecuteChange(ctx, "create instance-pool "+wanted.Name, http.MethodPost, poolPath, body)
			return &livePool{ID: id, Name: wanted.Name, Size: wanted.Size}, err
		},
		ID: func(live *livePool) string { return live.ID },
	})
	if err != nil {
		return wanted, action, err
	}
	if live.ID != "" && action != state.Created && (live.Size < wanted.Size || !containsReferences(live.Networks, body.PrivateNetworks)) {
		action = mergeUpdated(action)
		err = c.update(ctx, live.ID, wanted, body)
	}
	if observer.Accepted != nil && err == nil {
		observer.Accepted()
	}
	if err != nil || c.api.IsPreview() {
		return c.fromLive(ctx, live, wanted), action, err
	}
	return c.awaitMembers(ctx, live.ID, action, observer)
}

// fromLive is for a preview: a pool that does not exist is as wanted.
func (c *InstancePools) fromLive(ctx context.Context, live *livePool, wanted state.InstancePool) state.InstancePool {
	types, err := c.types.mapNames(ctx)
	if err != nil || live.ID == "" {
		return wanted
	}
	return live.toPool(types)
}

type poolRequest struct {
	Name               string            `json:"name"`
	Prefix             string            `json:"instance-prefix"`
	Size               int               `json:"size,omitempty"` // of a new pool only
	InstanceType       api.Reference     `json:"instance-type"`
	Template           api.Reference     `json:"template"`
	DiskSize           int               `json:"disk-size"` // GiB
	UserData           string            `json:"user-data,omitempty"`
	Labels             map[string]string `json:"labels,omitempty"`
	PublicIPAssignment string            `json:"public-ip-assignment"`
	SecurityGroups     []api.Reference   `json:"security-groups,omitempty"`
	AntiAffinityGroups []api.Reference   `json:"anti-affinity-groups,omitempty"`
	PrivateNetworks    []api.Reference   `json:"private-networks,omitempty"`
	DeployTarget       *api.Reference    `json:"deploy-target,omitempty"`
}

func (c *InstancePools) newRequest(ctx context.Context, wanted state.InstancePool) (poolRequest, error) {
	op := "create instance-pool " + wanted.Name
	if size := base64.StdEncoding.EncodedLen(len(wanted.UserData)); size > maxUserData {
		return poolRequest{}, fault.Newf(fault.Invalid, op, "its user data has %d characters in base64, Exoscale accepts %d", size, maxUserData)
	}
	typeID, err := c.types.findID(ctx, wanted.Type)
	if err != nil {
		return poolRequest{}, err
	}
	body := poolRequest{
		Name: wanted.Name, Prefix: wanted.Prefix, Size: wanted.Size, InstanceType: api.Reference{ID: typeID}, Template: api.Reference{ID: wanted.TemplateID},
		DiskSize: wanted.DiskGiB, UserData: base64.StdEncoding.EncodeToString(wanted.UserData), Labels: wanted.Labels, PublicIPAssignment: "inet4",
		SecurityGroups: toReferences(wanted.SecurityGroups), AntiAffinityGroups: toReferences(wanted.AntiAffinityGroups),
		PrivateNetworks: toReferences(wanted.PrivateNetworks),
	}
	if wanted.DeployTarget != "" {
		body.DeployTarget = &api.Reference{ID: wanted.DeployTarget}
	}
	return body, nil
}

// update changes what new members are like, and then the size. Every part of it can be repeated: sizes are absolute, and what a run that was killed has
// requested is read before anything is requested again.
func (c *InstancePools) update(ctx context.Context, id string, wanted state.InstancePool, body poolRequest) error {
	op := "update instance-pool " + wanted.Name
	return api.Repeat(ctx, c.api, op, func(ctx context.Context) error {
		live, err := c.awaitIdle(ctx, id)
		if err != nil || live.Size >= wanted.Size && containsReferences(live.Networks, body.PrivateNetworks) {
			return err
		}
		return c.api.ApplyChange(ctx, state.Updated, kindInstancePool, wanted.Name, func(ctx context.Context) (string, error) {
			if len(wanted.AntiAffinityGroups) == 0 && len(live.AntiAffinity) > 0 {
				if _, err := c.api.ExecuteChange(ctx, op, http.MethodDelete, poolPath+"/"+id+"/anti-affinity-groups", nil); err != nil {
					return "", err
				}
			}
			if differsFrom(live, body) {
				change := body
				change.Size = 0
				change.PrivateNetworks = append(live.Networks, withoutReferences(body.PrivateNetworks, live.Networks)...) // others are the operator's
				if err := c.api.Put(ctx, op, poolPath+"/"+id, change); err != nil {
					return "", err
				}
			}
			if live.Size >= wanted.Size {
				return id, nil
			}
			return id, c.api.Put(ctx, "scale instance-pool "+wanted.Name, poolPath+"/"+id+":scale", map[string]int{"size": wanted.Size})
		})
	})
}

func differsFrom(live *livePool, body poolRequest) bool {
	target := ""
	if body.DeployTarget != nil {
		target = body.DeployTarget.ID
	}
	sameLists := sameReferences(live.Groups, body.SecurityGroups) && sameReferences(live.AntiAffinity, body.AntiAffinityGroups) &&
		containsReferences(live.Networks, body.PrivateNetworks)
	return live.Type != body.InstanceType || live.Template != body.Template || live.DiskSize != body.DiskSize || live.UserData != body.UserData ||
		live.DeployTarget.ID != target || !containsLabels(live.Labels, body.Labels) || !sameLists
}

func containsReferences(has, wants []api.Reference) bool {
	return len(withoutReferences(wants, has)) == 0
}

func withoutReferences(all, without []api.Reference) []api.Reference {
	return slices.DeleteFunc(slices.Clone(all), func(one api.Reference) bool { return slices.Contains(without, one) })
}

func sameReferences(a, b []api.Reference) bool {
	one, other := toIDs(a), toIDs(b)
	slices.Sort(one)
	slices.Sort(other)
	return slices.Equal(one, other)
}

// awaitIdle waits until the pool does not change: the API refuses a second change meanwhile (inferred).
func (c *InstancePools) awaitIdle(ctx context.Context, id string) (live *livePool, err error) {
	return live, c.api.Await(ctx, "wait for instance-pool "+id, func(ctx context.Context) (string, error) {
		if live, err = c.get(ctx, id); err != nil || live.State == "running" {
			return "", err
		}
		return "it is " + live.State, nil
	})
}

// awaitMembers waits until the pool has as many members as its size, and all of them run.
func (c *InstancePools) awaitMembers(ctx context.Context, id string, action state.Action, observer state.InstanceObserver) (state.InstancePool, state.Action, error) {
	types, err := c.types.mapNames(ctx)
	if err != nil {
		return state.InstancePool{}, action, err
	}
	w := poolWaiter{since: c.api.Clock.Now(), action: action, observer: observer, types: types, reported: map[string]bool{}}
	for {
		live, err := c.get(ctx, id)
		if err != nil {
			return state.InstancePool{}, action, err
		}
		all, err := c.instances.listInstances(ctx)
		if err != nil {
			return live.toPool(types), action, err
		}
		waiting := w.poll(live, all)
		switch {
		case len(waiting) == 0:
			return live.toPool(types), action, nil
		case c.api.Clock.Now().Sub(w.since) >= instanceLimit:
			return live.toPool(types), action, fault.Newf(fault.Timeout, "wait for instance-pool "+live.Name, "%s after %s", strings.Join(waiting, "; "), instanceLimit).
				WithHint("check it in the Exoscale portal; run again to continue waiting")
		}
		if err := c.api.Sleep(ctx, "wait for instance-pool "+live.Name, listInterval(len(all))); err != nil {
			return live.toPool(types), action, err
		}
	}
}

type poolWaiter struct {
	since    time.Time
	action   state.Action // of the members
	observer state.InstanceObserver
	types    map[string]string
	reported map[string]bool // members, by ID
}

// poll returns what has to be waited for, a sentence each.
func (w *poolWaiter) poll(live *livePool, all []*v2.Instance) []string {
	var waiting, names []string
	for _, member := range live.Instances {
		at := slices.IndexFunc(all, func(i *v2.Instance) bool { return deref(i.ID) == member.ID })
		switch {
		case at < 0:
			waiting = append(waiting, "its member "+member.ID+" is not listed")
		case !isRunning(all[at]):
			waiting = append(waiting, deref(all[at].Name)+" is "+describeState(all[at]))
			names = append(names, deref(all[at].Name))
		case !w.reported[member.ID]:
			w.reported[member.ID] = true
			if w.observer.Running != nil {
				w.observer.Running(fromV2Instance(all[at], w.types[deref(all[at].InstanceTypeID)]), w.action)
			}
		}
	}
	if live.State != "running" || len(live.Instances) < live.Size {
		waiting = append(waiting, fmt.Sprintf("it is %s and has %d of %d members", cmp.Or(live.State, "in no state"), len(live.Instances), live.Size))
	}
	if len(waiting) > 0 && w.observer.Waiting != nil {
		w.observer.Waiting(state.InstanceWait{Names: names, Since: w.since, Limit: instanceLimit})
	}
	return waiting
}

// EvictPoolMember has a pool destroy one member, which makes it smaller by one, and waits until the pool is idle again: state.Found if
// that is no member of it (any more). It asks again only if the pool is as large as before; the caller compares the members.
func (c *InstancePools) EvictPoolMember(ctx context.Context, poolID, instanceID string) (action state.Action, err error) {
	op := "evict instance " + instanceID
	action, before := state.Found, 0
	err = api.Repeat(ctx, c.api, op, func(ctx context.Context) error {
		live, err := c.awaitIdle(ctx, poolID)
		if fault.Is(err, fault.NotFound) {
			return nil
		}
		if err != nil || !slices.Contains(live.Instances, api.Reference{ID: instanceID}) || live.Size < before {
			return err
		}
		action, before = state.Deleted, live.Size
		return c.api.ApplyChange(ctx, state.Updated, kindInstancePool, live.Name, func(ctx context.Context) (string, error) {
			return poolID, c.api.Put(ctx, op, poolPath+"/"+poolID+":evict", map[string][]string{"instances": {instanceID}})
		})
	})
	if err != nil || action == state.Found || c.api.IsPreview() {
		return action, err
	}
	_, err = c.awaitIdle(ctx, poolID)
	return action, err
}
