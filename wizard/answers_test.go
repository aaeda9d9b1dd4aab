package wizard_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

// grouped returns answers with an additional group, whose fields can then be answered.
func grouped() *wizard.Answers {
	spec := valid()
	spec.Sizing.ExtraGroups = []state.GroupSpec{{Name: "gpu", MachineSpec: state.MachineSpec{Type: "standard.huge", Count: 1, RootDisk: 100}}}
	return &wizard.Answers{Spec: spec, Origins: map[string]string{}}
}

// questions are the keys of all fields, with those of the additional group.
func questions() []string {
	var keys []string
	for _, f := range wizard.Fields() {
		keys = append(keys, f.Key)
	}
	for _, part := range []string{"name", "type", "count", "rootDisk", "dataDisk", "topolvm"} {
		keys = append(keys, "sizing.extraGroups[0]."+part)
	}
	return keys
}

func fieldOf(a *wizard.Answers, key string) *wizard.Field {
	all := append(wizard.Fields(), wizard.Nodes.ListFields(a.Spec)...)
	for i := range all {
		if all[i].Key == key {
			return &all[i]
		}
	}
	return nil
}

// typedAnyhow sets a typed text and returns what is wrong with the outcome: either the answer is stored, reads the same
// and is accepted again, or nothing has changed.
func typedAnyhow(key, text string) (problem string) {
	answers := grouped()
	before := answers.Copy()
	f := fieldOf(answers, key)
	err := answers.Set(key, text, wizard.Typed)
	if err != nil {
		if diff := cmp.Diff(before, answers); diff != "" {
			return "refused, and something has changed all the same:\n" + diff
		}
		if f != nil && f.Secret && len(text) > 8 && strings.Contains(err.Error(), text) {
			return "the fault repeats what may be a secret: " + err.Error()
		}
		return ""
	}
	stored := f.Get(answers.Spec)
	if strings.ContainsFunc(stored, unicode.IsControl) || !utf8.ValidString(stored) {
		return "control characters or no text are stored"
	}
	if origin := answers.Origin(key); origin != wizard.Typed {
		return "its origin is " + origin
	}
	again := answers.Copy()
	if err := again.Set(key, stored, wizard.Typed); err != nil && stored != "" {
		return "what was stored is refused: " + err.Error()
	}
	if diff := cmp.Diff(answers, again); diff != "" {
		return "what was stored changes as it is set again:\n" + diff
	}
	return exportedAnyhow(answers.Spec)
}

// exportedAnyhow writes an answers file and reads it again.
func exportedAnyhow(spec state.Spec) (problem string) {
	content := answersfile.Export(spec, nil)
	got, faults := answersfile.Parse("f", content)
	if diff := cmp.Diff(spec, got); diff != "" {
		return "the export reads otherwise:\n" + diff + lines(faults) + string(content)
	}
	return ""
}

func TestSet_StoresOrChangesNothing(t *testing.T) {
	keys := questions()
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SampledFrom(keys).Draw(t, "key")
		f := fieldOf(grouped(), key)
		near := append([]string{f.Example, f.Default(), "true", "5", "10.0.0.0/8", "a=b, c=d", "env:A", "exo:a", "file:/a b"}, f.Choices...)
		text := rapid.OneOf(
			rapid.String(), words(), rapid.SampledFrom(near),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
			rapid.Custom(func(t *rapid.T) string {
				return rapid.SampledFrom(near).Draw(t, "begin") + rapid.StringN(0, 4, -1).Draw(t, "end")
			}),
		).Draw(t, "text")
		if problem := typedAnyhow(key, text); problem != "" {
			t.Fatalf("%s = %q: %s", key, text, problem)
		}
	})
}

func FuzzSet(f *testing.F) {
	keys := questions()
	for i := range keys {
		f.Add(i, "\x1b[2J\x00\xff\n")
	}
	for i, text := range []string{"env:A", "exo:\xff", `""`, "a=b,\"c=d, e\"", "name=gpu type=", "10.0.0.0/8,::/0", `{"auths": {"quay.io": {"auth": "s3cret"}}}`, strings.Repeat("9", 99)} {
		f.Add(i*7, text)
	}
	f.Fuzz(func(t *testing.T, i int, text string) {
		key := keys[uint(i)%uint(len(keys))]
		if problem := typedAnyhow(key, text); problem != "" {
			t.Fatalf("%s = %q: %s", key, text, problem)
		}
	})
}

func TestCopy_GroupsAreIndependent(t *testing.T) {
	answers := grouped()
	kept := answers.Copy()
	for key, text := range map[string]string{"sizing.extraGroups[0].count": "7", "sizing.extraGroups[0].type": "tiny", "sizing.extraGroups[0].name": "big"} {
		_ = answers.Set(key, text, wizard.Typed)
	}
	if diff := cmp.Diff(grouped().Spec, kept.Spec); diff != "" {
		t.Errorf("the copy has changed (-want +got):\n%s", diff)
	}
	if got := answers.Spec.Sizing.ExtraGroups[0]; got.Count != 7 || got.Name != "big" || got.Type != "standard.huge" {
		t.Errorf("%+v", got)
	}
}

func TestGroupFields_OwnDefaults(t *testing.T) {
	for key, want := range map[string]string{"name": "", "type": "", "count": "0", "rootDisk": "100", "topolvm": "false"} {
		if f := fieldOf(grouped(), "sizing.extraGroups[0]."+key); f.Default() != want {
			t.Errorf("%s is %q by default, want %q", key, f.Default(), want)
		}
	}
	if got := fieldOf(grouped(), "sizing.workers.count").Default(); got != "3" {
		t.Errorf("%s workers", got)
	}
}

func TestSet_TrimsListItems(t *testing.T) {
	answers := grouped()
	for key, text := range map[string]string{"network.customerNetworks": " 192.168.0.0/16 ,\t10.9.0.0/24 ", "syn.facts": `" a = b ", c = d `} {
		if err := answers.Set(key, text, wizard.Typed); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	if diff := cmp.Diff([]string{"192.168.0.0/16", "10.9.0.0/24"}, answers.Spec.Network.CustomerNetworks); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"a": "b", "c": "d"}, answers.Spec.Syn.Facts); diff != "" {
		t.Error(diff)
	}
}

func TestClear_RestoresDefault(t *testing.T) {
	answers := grouped()
	if err := answers.Set("sizing.workers.count", "9", wizard.Typed); err != nil {
		t.Fatal(err)
	}
	if err := answers.Clear("sizing.workers.count"); err != nil || answers.Spec.Sizing.Workers.Count != 3 || answers.Origin("sizing.workers.count") != wizard.ByDefault {
		t.Errorf("%+v, %s, %v", answers.Spec.Sizing.Workers, answers.Origin("sizing.workers.count"), err)
	}
	if answers.Clear("sizing") == nil {
		t.Error("a section is no field")
	}
	if err := answers.Set("sizing.worker.count", "9", wizard.Typed); err == nil || !strings.Contains(err.Error(), "did you mean sizing.workers.count?") {
		t.Error(err)
	}
}

func TestVersion_SuggestedNotDefault(t *testing.T) {
	spec := state.Default()
	f := field(t, "openshift.version")
	if f.Default() != "" || f.Suggestion(spec) != "stable-4.21" {
		t.Errorf("default %q, suggestion %q", f.Default(), f.Suggestion(spec))
	}
	if err := f.Set(&spec, f.Suggestion(spec)); err != nil {
		t.Error(err)
	}
	spec.OpenShift.Distribution = "okd"
	if got := f.Suggestion(spec); got != "" {
		t.Errorf("OKD has no channels, and %s is suggested", got)
	}
}
