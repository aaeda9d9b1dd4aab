package wizard

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/text/similar"
	"exoshift/state"
	"exoshift/wizard/instancetype"
	"exoshift/wizard/listtext"
)

// GroupsKey is the key of the additional groups of machines.
const GroupsKey = "sizing.extraGroups"

func listSizingFields() []Field {
	sizing := func(at func(*state.SizingSpec) *state.MachineSpec) func(*state.Spec) *state.MachineSpec {
		return func(s *state.Spec) *state.MachineSpec { return at(&s.Sizing) }
	}
	return slices.Concat(
		machineBounds{bootstrapKey, "Bootstrap", "the temporary bootstrap machine", 1, 1, minRootDisk, 0, 0, ""}.
			listFields(sizing(func(s *state.SizingSpec) *state.MachineSpec { return &s.Bootstrap })),
		withLoadBalancers(machineBounds{"sizing.loadBalancers", "Load balancers", "the HAProxy machines", 2, 2, 10, 0, 0, ""}.
			listFields(sizing(func(s *state.SizingSpec) *state.MachineSpec { return &s.LoadBalancers }))),
		machineBounds{"sizing.controlPlane", "Control plane", "the masters", 3, 3, minRootDisk, 0, instancetype.MaxDisk, ""}.
			listFields(sizing(func(s *state.SizingSpec) *state.MachineSpec { return &s.ControlPlane })),
		machineBounds{"sizing.infra", "Infra", "the nodes for ingress, logging and monitoring", MinNodes, maxCount, minRootDisk, 0, instancetype.MaxDisk,
			"0: the routers, the image registry and the monitoring run on the workers."}.
			listWorkerFields(sizing(func(s *state.SizingSpec) *state.MachineSpec { return &s.Infra })),
		machineBounds{"sizing.storage", "Storage", "the nodes for the cluster's volumes", MinNodes, maxCount, minRootDisk, minCeph, instancetype.MaxDisk,
			"0: no Ceph, and volumes come from Exoscale's block storage."}.
			listFields(sizing(func(s *state.SizingSpec) *state.MachineSpec { return &s.Storage })),
		machineBounds{"sizing.workers", "Workers", "the nodes for applications", MinNodes, maxCount, minRootDisk, 0, instancetype.MaxDisk, ""}.
			listWorkerFields(sizing(func(s *state.SizingSpec) *state.MachineSpec { return &s.Workers })),
		[]Field{{Key: GroupsKey, Title: "Additional groups", value: bindGroups(),
			Screen: Nodes, Advanced: true, Effect: Adds,
			Help:    "Additional worker groups, each with a name, instance type, count and disks.",
			Why:     "Dedicated nodes for applications with special needs, such as a GPU.",
			Source:  "The application owners. Leave it empty if all workers are alike.",
			Example: "name=gpu type=gpua30.small count=2 rootDisk=100"}},
	)
}

func withLoadBalancers(fields []Field) []Field {
	for i := range fields {
		if fields[i].when == nil {
			fields[i].when = hasLoadBalancers
		}
	}
	return fields
}

type machineBounds struct {
	key, title         string
	machines           string // "the masters"
	minCount, maxCount int
	minRoot            int    // GiB
	minData, maxData   int    // GiB
	none               string // what a count of 0 means; "": it is not allowed beside the bounds
}

func (b machineBounds) newCountRule() rule {
	if b.none != "" {
		return newCountRule(b.minCount, b.maxCount)
	}
	return newRangeRule(b.minCount, b.maxCount)
}

func (b machineBounds) listFields(at func(*state.Spec) *state.MachineSpec) []Field {
	usual := *at(new(state.Default()))
	return []Field{
		{Key: b.key + ".type", Title: b.title + ": instance type", Help: "Instance type of " + b.machines + ".",
			Screen: Nodes, Advanced: b.key != workersKey, Effect: b.effectOf(ByHand), typable: isVersionRune,
			Why:     "It sets the CPUs and memory of each instance, and most of its price.",
			Source:  "Your choice. Types smaller than the default are not supported.",
			Example: usual.Type, Required: true, rule: newMinTypeRule(usual.Type),
			value: bindText(func(s *state.Spec) *string { return &at(s).Type })},
		{Key: b.key + ".count", Title: b.title + ": count", Help: strings.TrimSpace("Number of " + b.machines + ". " + b.none),
			Screen: Nodes, Advanced: b.key != workersKey, Effect: b.effectOf(Adds), when: open(b.minCount, b.maxCount),
			Why:     "More instances give more capacity and tolerate the failure of one.",
			Source:  "Your choice. The default is the supported minimum for production.",
			Example: fmt.Sprint(usual.Count), Required: true, rule: b.newCountRule(),
			value: bindNumber(func(s *state.Spec) *int { return &at(s).Count })},
		{Key: b.key + ".rootDisk", Title: b.title + ": root disk", Help: "Root disk of " + b.machines + ", in GiB.",
			Screen: Nodes, Advanced: true, Effect: b.effectOf(ByHand),
			Why:     "It contains the operating system, container images and logs. A node with a full disk stops working.",
			Source:  "Your choice. The default is sufficient to start with.",
			Example: fmt.Sprint(usual.RootDisk), Required: true, rule: newRangeRule(b.minRoot, instancetype.MaxDisk),
			value: bindNumber(func(s *state.Spec) *int { return &at(s).RootDisk })},
		{Key: b.key + ".dataDisk", Title: b.title + ": data disk",
			Help:   "Data disk of " + b.machines + ", in GiB. Added to the root disk as a separate partition.",
			Screen: Nodes, Advanced: true, Effect: b.effectOf(ByHand), when: open(b.minData, b.maxData),
			Why:     "Space for volumes, separate from the operating system.",
			Source:  "Your choice; it depends on the applications' data.",
			Example: fmt.Sprint(usual.DataDisk), rule: newRangeRule(b.minData, b.maxData),
			value: bindNumber(func(s *state.Spec) *int { return &at(s).DataDisk })},
	}
}

func (b machineBounds) effectOf(lasting Effect) Effect {
	if b.key == bootstrapKey {
		return NoEffect
	}
	return lasting
}

// The prefix of the fields of the bootstrap machine, which is deleted after the installation.
const bootstrapKey = "sizing.bootstrap"

// The prefix of the workers' fields, the only machines whose size every operator decides.
const workersKey = "sizing.workers"

// open returns when a field is asked: if there is a choice.
func open(low, high int) func(state.Spec) bool {
	if low < high {
		return nil
	}
	return func(state.Spec) bool { return false }
}

// The data disk of workers is for applications.
func (b machineBounds) listWorkerFields(at func(*state.Spec) *state.MachineSpec) []Field {
	fields := append(b.listFields(at), Field{Key: b.key + TopoLVMKey, Title: b.title + ": TopoLVM", Example: "true",
		Screen: Nodes, Advanced: true, Effect: ByHand,
		Help:   "Whether TopoLVM provisions volumes for the node's pods on the data disk.",
		Why:    "Local volumes are fast, but lost with the node.",
		Source: "The application owners. Requires a data disk.",
		value:  bindSwitch(func(s *state.Spec) *bool { return &at(s).TopoLVM })},
		Field{Key: b.key + ".pool", Title: b.title + ": instance pool", Example: "true", Screen: Nodes, Advanced: true, Effect: ByHand,
			Help:   "Whether the machines are members of an instance pool, which names them and replaces lost ones.",
			Why:    "Services of type LoadBalancer need one: Exoscale's load balancers forward to nothing else.",
			Source: "Your choice, before the first installation.",
			value:  bindSwitch(func(s *state.Spec) *bool { return &at(s).Pool })})
	for _, bound := range []struct {
		key, title string
		at         func(*state.MachineSpec) *int
	}{{".min", "minimum", func(m *state.MachineSpec) *int { return &m.Min }}, {".max", "maximum", func(m *state.MachineSpec) *int { return &m.Max }}} {
		fields = append(fields, Field{Key: b.key + bound.key, Title: b.title + ": " + bound.title, Example: "3", Screen: Nodes, Advanced: true, Effect: NoEffect,
			Help:   "The " + bound.title + " of the instance pool. 0: none.",
			Why:    "It limits the count. Nothing changes the count by itself.",
			Source: "Your choice.", rule: newRangeRule(0, maxCount), when: func(s state.Spec) bool { return at(&s).Pool },
			value: bindNumber(func(s *state.Spec) *int { return bound.at(at(s)) })})
	}
	return fields
}

// GroupFields returns the fields of an extra group. The i-th extra group must exist in the Spec. The rules are those of workers, except for the count.
func GroupFields(i int) []Field {
	key := fmt.Sprintf("%s[%d]", GroupsKey, i)
	name := Field{Key: key + ".name", Title: "Group name", Example: "gpu", Required: true, rule: validateLabel(maxGroupName),
		Screen: Nodes, Advanced: true, Effect: ByHand, typable: isLabelRune,
		Help:   "Prefix of the nodes' names, and their role.",
		Why:    "Applications select the nodes by this role.",
		Source: "Your choice.",
		value:  bindText(func(s *state.Spec) *string { return &s.Sizing.ExtraGroups[i].Name })}
	machines := machineBounds{key, "Additional group", "the group's nodes", 0, maxCount, minRootDisk, 0, instancetype.MaxDisk, ""}
	fields := machines.listWorkerFields(func(s *state.Spec) *state.MachineSpec {
		if i >= len(s.Sizing.ExtraGroups) {
			return &s.Sizing.Workers // the default in the example of a group
		}
		return &s.Sizing.ExtraGroups[i].MachineSpec
	})
	return append([]Field{name}, fields...)
}

// NewGroup returns a group with the defaults of its fields.
func NewGroup() state.GroupSpec {
	return state.GroupSpec{MachineSpec: state.MachineSpec{RootDisk: minRootDisk}}
}

// As text, each group is written like the example of its field.
func bindGroups() binding {
	return binding{
		shape: Groups,
		load: func(s *state.Spec) string {
			items := make([]string, len(s.Sizing.ExtraGroups))
			for i := range items {
				items[i] = groupText(i, *s)
			}
			return listtext.Join(items)
		},
		store: func(s *state.Spec, value string) error {
			items, err := listtext.Split(value)
			if err != nil {
				return err
			}
			if n := len(items); n > maxItems {
				return joinProblems(newTooManyProblem(n, maxItems))
			}
			changed := *s
			changed.Sizing.ExtraGroups = nil
			for i, item := range items {
				changed.Sizing.ExtraGroups = append(changed.Sizing.ExtraGroups, NewGroup())
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
	for _, field := range GroupFields(i) {
		part, value := LastElement(field.Key), field.Get(spec)
		if rare := part == "pool" || part == "min" || part == "max"; !rare || value != "false" && value != "0" {
			words = append(words, part+"="+value)
		}
	}
	return strings.Join(words, " ")
}

func setGroup(spec *state.Spec, i int, item string) error {
	key := fmt.Sprintf("%s[%d].", GroupsKey, i)
	for word := range strings.FieldsSeq(item) {
		name, value, _ := strings.Cut(word, "=")
		field, ok := Find(GroupFields(i), key+name)
		if !ok {
			return fmt.Errorf("%s is not known; allowed: name=… type=… count=… rootDisk=… dataDisk=… topolvm=… pool=… min=… max=…", Quote(word))
		}
		if err := field.Set(spec, value); err != nil {
			return err
		}
	}
	for _, field := range GroupFields(i) {
		if faults := field.Check(*spec); len(faults) > 0 {
			return joinProblems(faults)
		}
	}
	return nil
}

// LastElement returns the last part of a key.
func LastElement(key string) string { return key[strings.LastIndex(key, ".")+1:] }

// Types smaller than the role's default are not supported.
func newMinTypeRule(usual string) rule {
	return func(value string) []Problem {
		least, _ := instancetype.Find(usual)
		allowed := least.String() + " or larger"
		chosen, ok := instancetype.Find(value)
		switch {
		case !ok:
			return NewProblem(Quote(value)+" is not a known instance type", allowed, similar.FindNearest(value, instancetype.ListNames()))
		case chosen.CPUs < least.CPUs || chosen.Memory < least.Memory:
			return NewProblem(chosen.String()+" is too small: smaller types than the default are not supported", allowed, "")
		}
		return nil
	}
}

// The supported minimums, from the sizing rules of the Exoscale module of Project Syn.
const (
	MinNodes    = 3   // infra, storage and workers
	minRootDisk = 100 // GiB, of every node
	minCeph     = 180 // GiB, data disk of a storage node
	maxCount    = 1000

	maxGroupName = 40
)
