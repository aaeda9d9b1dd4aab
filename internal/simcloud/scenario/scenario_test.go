package scenario

import (
	"net/netip"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestList_ScenariosAreDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range List() {
		if s.Name == "" || s.Description == "" || seen[s.Name] {
			t.Errorf("%q: %q: every scenario has a name of its own, and a line for people", s.Name, s.Description)
		}
		seen[s.Name] = true
		if none := reflect.ValueOf(s.Fault).IsZero(); none != (s.Name == None) {
			t.Errorf("%s: injects nothing: %v", s.Name, none)
		}
	}
	if all := Names(); all[0] != None || len(all) != len(Names(Zone, Internet, ProjectSyn)) || !slices.Contains(Names(Internet), "zone-only") {
		t.Errorf("names: %q", all)
	}
}

func TestParse_Options(t *testing.T) {
	for names, want := range map[string]Scenario{
		"":          {Name: "happy", Description: "nothing fails"},
		"late-dns":  {Name: "late-dns", Description: "the domain is delegated after 20 minutes", Fault: Fault{Delegation: Delegation{Delay: 20 * time.Minute}}},
		"slow,slow": {Name: "slow,slow", Description: "everything on the machines takes four times as long; everything on the machines takes four times as long", Fault: Fault{Cluster: Cluster{Slowness: 4}}},
		"no-cloud-controller,token-used": {
			Name: "no-cloud-controller,token-used", Description: "the key of the cloud controller is revoked; someone else uses the bootstrap token",
			Topic: ProjectSyn, RequiresCloudController: true, RequiresOperator: true,
			Fault: Fault{Objects: []ObjectChange{{Machine: "bootstrap", Keys: "ccm-exoscale"}}, Lieutenant: Lieutenant{UsedAfter: 15 * time.Minute}},
		},
	} {
		got, err := Parse(names)
		if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Prefix{}, netip.Addr{})); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", names, err, diff)
		}
	}
	for _, names := range []string{"sunny", "happy,", "late-dns, slow"} {
		if _, err := Parse(names); err == nil {
			t.Errorf("%q is accepted", names)
		}
	}
}

// Each field of every part is kept, so that a new one is composed, too.
func TestCompose_KeepsEveryField(t *testing.T) {
	var full Fault
	fill(t, reflect.ValueOf(&full).Elem())
	for _, got := range []Fault{Compose(full, Fault{}), Compose(Fault{}, full)} {
		if !reflect.DeepEqual(got, full) {
			t.Errorf("got %+v, want %+v", got, full)
		}
	}
}

func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch {
	case v.Type() == reflect.TypeFor[netip.Prefix]():
		v.Set(reflect.ValueOf(netip.MustParsePrefix("10.0.0.0/16")))
	case v.Type() == reflect.TypeFor[map[string]int]():
		v.Set(reflect.ValueOf(map[string]int{"instance": 1}))
	case v.Type() == reflect.TypeFor[map[string]netip.Addr]():
		v.Set(reflect.ValueOf(map[string]netip.Addr{"a": netip.IPv4Unspecified()}))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(2)
	case v.Kind() == reflect.String:
		v.SetString("a")
	default:
		t.Fatalf("fill does not know %s", v.Type())
	}
}

func TestCompose_JoinsListsWithoutMutation(t *testing.T) {
	records := make([]ObjectChange, 1, 8)
	a := Fault{Objects: records, API: API{Quotas: map[string]int{"instance": 1, "bucket": 2}}}
	b := Fault{Objects: []ObjectChange{{Keys: "x"}}, API: API{Quotas: map[string]int{"instance": 3}}}
	got := Compose(a, b)
	if want := map[string]int{"instance": 3, "bucket": 2}; len(got.Objects) != 2 || !reflect.DeepEqual(got.API.Quotas, want) {
		t.Errorf("got %+v", got)
	}
	if a.API.Quotas["instance"] != 1 || records[:2][1].Keys != "" {
		t.Errorf("an argument was changed: %+v", a)
	}
}
