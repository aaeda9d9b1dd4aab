package wizard

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"exoshift/state"
)

// The supported minimums, from the sizing rules of the Exoscale module of Project Syn.
const (
	minNodes    = 3   // infra, storage and workers
	minRootDisk = 100 // GiB, of every node
	minCeph     = 180 // GiB, data disk of a storage node
	maxCount    = 1000
	maxDisk     = 51200 // GiB, of the API

	maxGroupName = 40
)

const groupsKey = "sizing.extraGroups"

func listSizingFields() []Field {
	sizing := func(at func(*state.SizingSpec) *state.MachineSpec) func(*state.Spec) *state.MachineSpec {
		return func(s *state.Spec) *state.MachineSpec { return at(&s.Sizing) }
	}
	return slices.Concat(
		machineBounds{bootstrapKey, "Bootstrap", "the temporary bootstrap machine", 1, 1, minRootDisk, 0, 0}.
			listFields(sizing(func(s *state.SizingSpec) *state.MachineSpec { return &s.Bootstrap })),
		withLoadBalancers(machineBounds{"sizing.loadBalancers", "Load balancers", "the HAProxy machines", 2, 2, 10, 0, 0}.
			listFields(sizing(func(s *state.SizingSpec) *state.MachineSpec { return &s.LoadBalancers }))),
		machineBounds{"sizing.controlPlane", "Control plane", "the masters", 3, 3, minRootDisk, 0, maxDisk}.
			listFields(sizing(func(s *state.SizingSpec) *state.MachineSpec { return &s.ControlPlane })),
		machineBounds{"sizing.infra", "Infra", "the nodes for ingress, logging and monitoring", minNodes, maxCount, minRootDisk, 0, maxDisk}.
			listWorkerFields(sizing(func(s *state.SizingSpec) *state.MachineSpec { return &s.Infra })),
		machineBounds{"sizing.storage", "Storage", "the nodes that hold the cluster's volumes", minNodes, maxCount, minRootDisk, minCeph, maxDisk}.
			listFields(sizing(func(s *state.SizingSpec) *state.MachineSpec { return &s.Storage })),
		machineBounds{"sizing.workers", "Workers", "the nodes for applications", minNodes, maxCount, minRootDisk, 0, maxDisk}.
			listWorkerFields(sizing(func(s *state.SizingSpec) *state.MachineSpec { return &s.Workers })),
		[]Field{{Key: groupsKey, Title: "Additional groups", value: bindGroups(),
			Screen: Nodes, Advanced: true, Effect: Adds,
			Help:    "More groups of workers, each with a name, a type, a count and disks.",
			Why:     "Applications that need other machines, such as such with a GPU, get nodes of their own.",
			Source:  "Those who write the applications. Leave it empty if all workers are alike.",
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
	minRoot            int // GiB
	minData, maxData   int // GiB
}

func (b machineBounds) listFields(at func(*state.Spec) *state.MachineSpec) []Field {
	usual := *at(new(state.Default()))
	return []Field{
		{Key: b.key + ".type", Title: b.title + ": instance type", Help: "Instance type of " + b.machines + ".",
			Screen: Nodes, Advanced: b.key != workersKey, Effect: b.effectOf(ByHand), typable: isVersionRune,
			Why:     "It decides how many processors and how much memory each machine has, and most of what it costs.",
			Source:  "You choose it. Smaller types than the default are not supported.",
			Example: usual.Type, Required: true, rule: newMinTypeRule(usual.Type),
			value: bindText(func(s *state.Spec) *string { return &at(s).Type })},
		{Key: b.key + ".count", Title: b.title + ": count", Help: "Number of " + b.machines + ".",
			Screen: Nodes, Advanced: b.key != workersKey, Effect: b.effectOf(Adds), when: open(b.minCount, b.maxCount),
			Why:     "More machines carry more, and the cluster goes on without trouble if one of them fails.",
			Source:  "You choose it. The default is the number that is supported in production.",
			Example: fmt.Sprint(usual.Count), Required: true, rule: newRangeRule(b.minCount, b.maxCount),
			value: bindNumber(func(s *state.Spec) *int { return &at(s).Count })},
		{Key: b.key + ".rootDisk", Title: b.title + ": root disk", Help: "Root disk of " + b.machines + ", in GiB.",
			Screen: Nodes, Advanced: true, Effect: b.effectOf(ByHand),
			Why:     "It holds the operating system, the images of containers and logs. A machine whose disk is full stops working.",
			Source:  "You choose it. The default is enough to begin with.",
			Example: fmt.Sprint(usual.RootDisk), Required: true, rule: newRangeRule(b.minRoot, maxDisk),
			value: bindNumber(func(s *state.Spec) *int { return &at(s).RootDisk })},
		{Key: b.key + ".dataDisk", Title: b.title + ": data disk",
			Help:   "Data disk of " + b.machines + ", in GiB. It is added to the root disk as a partition of its own.",
			Screen: Nodes, Advanced: true, Effect: b.effectOf(ByHand), when: open(b.minData, b.maxData),
			Why:     "It is room for volumes beside the operating system.",
			Source:  "You choose it, by how much data the applications keep.",
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
	return append(b.listFields(at), Field{Key: b.key + topoLVMKey, Title: b.title + ": TopoLVM", Example: "true",
		Screen: Nodes, Advanced: true, Effect: ByHand,
		Help:   "Whether the data disk becomes the volume group from which TopoLVM gives volumes to the node's pods.",
		Why:    "Volumes on the node's own disk are fast, but they are lost with the node.",
		Source: "Those who write the applications. It needs a data disk.",
		value:  bindSwitch(func(s *state.Spec) *bool { return &at(s).TopoLVM })})
}

// GroupFields returns the fields of an extra group. The i-th extra group must exist in the Spec. The rules are those of workers, except for the count.
func GroupFields(i int) []Field {
	key := fmt.Sprintf("%s[%d]", groupsKey, i)
	name := Field{Key: key + ".name", Title: "Name of the group", Example: "gpu", Required: true, rule: validateLabel(maxGroupName),
		Screen: Nodes, Advanced: true, Effect: ByHand, typable: isLabelRune,
		Help:   "Names the group's nodes and is their role.",
		Why:    "Applications choose the group's nodes by this role.",
		Source: "You choose it.",
		value:  bindText(func(s *state.Spec) *string { return &s.Sizing.ExtraGroups[i].Name })}
	machines := machineBounds{key, "Additional group", "the group's nodes", 0, maxCount, minRootDisk, 0, maxDisk}
	fields := machines.listWorkerFields(func(s *state.Spec) *state.MachineSpec {
		if i >= len(s.Sizing.ExtraGroups) {
			return &s.Sizing.Workers // the default in the example of a group
		}
		return &s.Sizing.ExtraGroups[i].MachineSpec
	})
	return append([]Field{name}, fields...)
}

func newGroup() state.GroupSpec {
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
			return joinItems(items)
		},
		store: func(s *state.Spec, value string) error {
			items, err := splitItems(value)
			if err != nil {
				return err
			}
			if n := len(items); n > maxItems {
				return joinProblems(newTooManyProblem(n, maxItems))
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
	for _, field := range GroupFields(i) {
		words = append(words, lastElement(field.Key)+"="+field.Get(spec))
	}
	return strings.Join(words, " ")
}

func setGroup(spec *state.Spec, i int, item string) error {
	key := fmt.Sprintf("%s[%d].", groupsKey, i)
	for word := range strings.FieldsSeq(item) {
		name, value, _ := strings.Cut(word, "=")
		field, ok := find(GroupFields(i), key+name)
		if !ok {
			return fmt.Errorf("%s is not known; allowed: name=… type=… count=… rootDisk=… dataDisk=… topolvm=…", quote(word))
		}
		if err := field.Set(spec, value); err != nil {
			return err
		}
	}
	for _, field := range GroupFields(i) {
		if faults := field.check(*spec); len(faults) > 0 {
			return joinProblems(faults)
		}
	}
	return nil
}

func lastElement(key string) string { return key[strings.LastIndex(key, ".")+1:] }

// InstanceType is an instance type of Exoscale.
type InstanceType struct {
	Name   string // <family>.<size>
	CPUs   int
	Memory float64 // GiB
}

// catalogue lists Exoscale's instance types as listed by its API on 2026-08-21: cpus/GiB after each size. Not every zone
// has every family; the preflight checks the zone.
const catalogue = `
standard micro 1/0.5 tiny 1/1 small 2/2 medium 2/4 large 4/8 extra-large 4/16 huge 8/32 mega 12/64 titan 16/128 jumbo 24/225 colossus 40/320
cpu extra-large 8/16 huge 16/32 mega 32/64 titan 40/128 titan48c 48/128 colossus 80/320
memory extra-large 2/16 huge 4/32 mega 8/64 titan 12/128
storage extra-large 4/16 huge 8/32 mega 12/64 titan 16/128 jumbo 24/225
gpu2 small 12/56 medium 16/90 large 24/120 huge 48/225
gpua30 small 12/56 medium 16/90 large 24/120 huge 48/225
gpu3 small 12/56 medium 24/120 large 48/224 huge 96/448
gpua5000 small 12/56 medium 24/112 large 48/224
gpu3080ti small 12/56 medium 24/112 large 48/224
gpurtx6000pro small 36/120 medium 72/240 large 144/480 huge 248/960
gpub300 huge 248/2560
`

// ListInstanceTypes returns the instance types that are known, from small to large in each family. A zone may lack some
// of them, and an organization needs Exoscale's consent for others: only the zone's API is reliable.
func ListInstanceTypes() []InstanceType {
	var all []InstanceType
	for line := range strings.Lines(strings.TrimSpace(catalogue)) {
		words := strings.Fields(line)
		for i := 1; i+1 < len(words); i += 2 {
			cpus, memory, _ := strings.Cut(words[i+1], "/")
			o := InstanceType{Name: words[0] + "." + words[i]}
			o.CPUs, _ = strconv.Atoi(cpus)
			o.Memory, _ = strconv.ParseFloat(memory, 64)
			all = append(all, o)
		}
	}
	return all
}

func findInstanceType(name string) (InstanceType, bool) {
	all := ListInstanceTypes()
	i := slices.IndexFunc(all, func(o InstanceType) bool { return o.Name == name })
	if i < 0 {
		return InstanceType{}, false
	}
	return all[i], true
}

func (o InstanceType) String() string {
	return fmt.Sprintf("%s (%d CPUs, %g GiB)", o.Name, o.CPUs, o.Memory)
}

// Types smaller than the role's default are not supported.
func newMinTypeRule(usual string) rule {
	return func(value string) []Problem {
		least, _ := findInstanceType(usual)
		allowed := least.String() + " or larger"
		chosen, ok := findInstanceType(value)
		switch {
		case !ok:
			return newProblem(quote(value)+" is no known instance type", allowed, findNearest(value, listTypeNames()))
		case chosen.CPUs < least.CPUs || chosen.Memory < least.Memory:
			return newProblem(chosen.String()+" is too small: smaller types than the default are not supported", allowed, "")
		}
		return nil
	}
}

func listTypeNames() []string {
	var names []string
	for _, o := range ListInstanceTypes() {
		names = append(names, o.Name)
	}
	return names
}

// In GiB. Exoscale's documentation names neither GPU types nor the sizes beyond jumbo: these have the limit of the API.
func maxRootDisk(instanceType string) int {
	family, size, _ := strings.Cut(instanceType, ".")
	if strings.HasPrefix(family, "gpu") {
		return maxDisk
	}
	switch size {
	case "micro":
		return 200
	case "tiny", "small", "medium", "large":
		return 400
	case "extra-large", "huge", "mega":
		return 800
	case "titan", "jumbo":
		return 1600
	}
	return maxDisk
}
