package wizard

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/state"
)

// The least that is supported, from the sizing rules of the Exoscale module of Project Syn.
const (
	minNodes    = 3   // infra, storage and workers
	minRootDisk = 100 // GiB, of every node
	minCeph     = 180 // GiB, data disk of a storage node
	maxCount    = 1000
	maxDisk     = 51200 // GiB, of the API
)

func sizingFields() []Field {
	sizing := func(at func(*state.SizingSpec) *state.MachineSpec) func(*state.Spec) *state.MachineSpec {
		return func(s *state.Spec) *state.MachineSpec { return at(&s.Sizing) }
	}
	return slices.Concat(
		bounds{"sizing.bootstrap", "Bootstrap", "%s of the temporary bootstrap machine", 1, 1, minRootDisk, 0, 0}.
			fields(sizing(func(s *state.SizingSpec) *state.MachineSpec { return &s.Bootstrap })),
		bounds{"sizing.loadBalancers", "Load balancers", "%s of the HAProxy machines", 2, 2, 10, 0, 0}.
			fields(sizing(func(s *state.SizingSpec) *state.MachineSpec { return &s.LoadBalancers })),
		bounds{"sizing.controlPlane", "Control plane", "%s of the masters", 3, 3, minRootDisk, 0, maxDisk}.
			fields(sizing(func(s *state.SizingSpec) *state.MachineSpec { return &s.ControlPlane })),
		bounds{"sizing.infra", "Infra", "%s of the nodes for ingress, logging and monitoring", minNodes, maxCount, minRootDisk, 0, maxDisk}.
			workerFields(sizing(func(s *state.SizingSpec) *state.MachineSpec { return &s.Infra })),
		bounds{"sizing.storage", "Storage", "%s of the nodes that hold the cluster's volumes", minNodes, maxCount, minRootDisk, minCeph, maxDisk}.
			fields(sizing(func(s *state.SizingSpec) *state.MachineSpec { return &s.Storage })),
		bounds{"sizing.workers", "Workers", "%s of the nodes for applications", minNodes, maxCount, minRootDisk, 0, maxDisk}.
			workerFields(sizing(func(s *state.SizingSpec) *state.MachineSpec { return &s.Workers })),
		[]Field{{Key: "sizing.extraGroups", Title: "Additional groups", value: groups(),
			Help:    "More groups of workers, each with a name, a type, a count and disks.",
			Example: "name=gpu type=gpua30.small count=2 rootDisk=100"}},
	)
}

// bounds are what is allowed for one role's machines.
type bounds struct {
	key, title         string
	help               string // a format for "Type", "Number", ...
	minCount, maxCount int
	minRoot            int // GiB
	minData, maxData   int // GiB
}

func (b bounds) fields(at func(*state.Spec) *state.MachineSpec) []Field {
	usual := *at(new(state.Default()))
	return []Field{
		{Key: b.key + ".type", Title: b.title + ": instance type", Help: fmt.Sprintf(b.help, "Instance type"),
			Example: usual.Type, Required: true, rule: atLeast(usual.Type),
			value: text(func(s *state.Spec) *string { return &at(s).Type })},
		{Key: b.key + ".count", Title: b.title + ": count", Help: fmt.Sprintf(b.help, "Number"),
			Example: fmt.Sprint(usual.Count), Required: true, rule: between(b.minCount, b.maxCount),
			value: number(func(s *state.Spec) *int { return &at(s).Count })},
		{Key: b.key + ".rootDisk", Title: b.title + ": root disk", Help: fmt.Sprintf(b.help, "Root disk in GiB"),
			Example: fmt.Sprint(usual.RootDisk), Required: true, rule: between(b.minRoot, maxDisk),
			value: number(func(s *state.Spec) *int { return &at(s).RootDisk })},
		{Key: b.key + ".dataDisk", Title: b.title + ": data disk",
			Help:    fmt.Sprintf(b.help, "Data disk in GiB, added to the root disk,"),
			Example: fmt.Sprint(usual.DataDisk), rule: between(b.minData, b.maxData),
			value: number(func(s *state.Spec) *int { return &at(s).DataDisk })},
	}
}

// workerFields are the fields of nodes whose data disk is there for the applications.
func (b bounds) workerFields(at func(*state.Spec) *state.MachineSpec) []Field {
	return append(b.fields(at), Field{Key: b.key + topoLVMKey, Title: b.title + ": TopoLVM", Example: "true",
		Help:  "Whether the data disk becomes the volume group from which TopoLVM gives volumes to the node's pods.",
		value: toggle(func(s *state.Spec) *bool { return &at(s).TopoLVM })})
}

// groupFields are the fields of the i-th extra group, which must exist in the Spec they are used on. What holds for
// workers holds for them, but the count.
func groupFields(i int) []Field {
	key := fmt.Sprintf("sizing.extraGroups[%d]", i)
	name := Field{Key: key + ".name", Title: "Name of the group", Example: "gpu", Required: true, rule: label(40),
		Help:  "Names the group's nodes and is their role.",
		value: text(func(s *state.Spec) *string { return &s.Sizing.ExtraGroups[i].Name })}
	machines := bounds{key, "Additional group", "%s of the group's nodes", 0, maxCount, minRootDisk, 0, maxDisk}
	fields := machines.workerFields(func(s *state.Spec) *state.MachineSpec {
		if i >= len(s.Sizing.ExtraGroups) {
			return &s.Sizing.Workers // the default that a group's example shows
		}
		return &s.Sizing.ExtraGroups[i].MachineSpec
	})
	return append([]Field{name}, fields...)
}

// newGroup is a group before anything is said about it.
func newGroup() state.GroupSpec {
	return state.GroupSpec{MachineSpec: state.MachineSpec{RootDisk: minRootDisk}}
}

// groups binds the list of extra groups; as text, each is written like the example of its field.
func groups() binding {
	return binding{
		shape: Groups,
		load: func(s *state.Spec) string {
			items := make([]string, len(s.Sizing.ExtraGroups))
			for i := range items {
				items[i] = groupText(i, *s)
			}
			return joinItems(items)
		},
		store: func(s *state.Spec, value string) error {
			items, err := splitItems(value)
			if err != nil {
				return err
			}
			changed := *s
			changed.Sizing.ExtraGroups = nil
			for i, item := range items {
				changed.Sizing.ExtraGroups = append(changed.Sizing.ExtraGroups, newGroup())
				if err := setGroup(&changed, i, item); err != nil {
					return err
				}
			}
			*s = changed
			return nil
		},
	}
}

func groupText(i int, spec state.Spec) string {
	var words []string
	for _, field := range groupFields(i) {
		words = append(words, lastKey(field.Key)+"="+field.Get(spec))
	}
	return strings.Join(words, " ")
}

func setGroup(spec *state.Spec, i int, item string) error {
	key := fmt.Sprintf("sizing.extraGroups[%d].", i)
	for word := range strings.FieldsSeq(item) {
		name, value, _ := strings.Cut(word, "=")
		field, ok := find(groupFields(i), key+name)
		if !ok {
			return fmt.Errorf("%s is not known; allowed: name=… type=… count=… rootDisk=… dataDisk=… topolvm=…", quote(word))
		}
		if err := field.Set(spec, value); err != nil {
			return err
		}
	}
	for _, field := range groupFields(i) {
		if faults := field.check(*spec); len(faults) > 0 {
			return joined(faults)
		}
	}
	return nil
}

func lastKey(key string) string { return key[strings.LastIndex(key, ".")+1:] }
