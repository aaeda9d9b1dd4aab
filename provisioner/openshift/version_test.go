package openshift_test

import (
	"testing"
	"testing/synctest"

	"exoshift/state"

	"github.com/google/go-cmp/cmp"
)

func TestVersion_ProgressAndCondition(t *testing.T) {
	for message, want := range map[string]state.VersionStatus{
		"Working towards 4.20.5: 713 of 903 done (79% complete), waiting on authentication, console": {
			Percent: 79, WaitingOn: []string{"authentication", "console"},
		},
		"Working towards 4.20.5: 713 of 903 done (79% complete), waiting up to 40 minutes on etcd": {Percent: 79, WaitingOn: []string{"etcd"}},
		"Working towards 4.20.5: 3 of 903 done (0% complete)":                                      {},
		"Unable to apply 4.20.5: 1000% complete":                                                   {},
		"(999% complete), waiting on -dns-, " + "\x1b[31mred":                                      {Percent: 100},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := rehearse(t)
			r.put(t, "clusterversions.config.openshift.io", "", named("version"))
			r.report(t, message)
			want.Version, want.Progressing, want.Message = "4.20.5", true, message
			if diff := cmp.Diff(want, r.observe(t).Version); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestVersion_FailureNamesOperators(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.put(t, "clusterversions.config.openshift.io", "", named("version"))
		r.report(t, "Working towards 4.20.5: 713 of 903 done (79% complete)")
		const message = "Cluster operators authentication, ingress are not available"
		r.change(t, "clusterversions.config.openshift.io", "", "version", "status.conditions", conditions(
			[3]string{"Available", "True", "Done applying 4.20.5"}, [3]string{"Progressing", "True", "Working (79% complete)"}, [3]string{"Failing", "True", message}))
		want := state.VersionStatus{
			Version: "4.20.5", Available: true, Progressing: true, Failing: true, Percent: 79, Message: message,
			WaitingOn: []string{"authentication", "ingress"},
		}
		if diff := cmp.Diff(want, r.observe(t).Version); diff != "" {
			t.Error(diff)
		}
	})
}

func TestVersion_PercentageNeverShrinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.put(t, "clusterversions.config.openshift.io", "", named("version"))
		expect := func(want int) {
			t.Helper()
			if got := r.observe(t).Version.Percent; got != want {
				t.Errorf("%d%%, want %d%%", got, want)
			}
		}
		r.report(t, "Working towards 4.20.5: 713 of 903 done (79% complete)")
		expect(79)
		r.report(t, "Working towards 4.20.5: 1 of 903 done (0% complete)")
		expect(79)
		r.report(t, "Unable to apply 4.20.5: the cluster operator etcd is not available")
		expect(79)
		r.unready("rolling")
		if _, err := r.Poll(t.Context(), r.bootstrap, nil); err == nil {
			t.Error("it responded")
		}
		r.unready("")
		expect(79)
		r.installed(t)
		expect(100)
		r.change(t, "clusterversions.config.openshift.io", "", "version", "status.desired", map[string]any{"version": "4.20.6"})
		r.change(t, "clusterversions.config.openshift.io", "", "version", "status.conditions", conditions(
			[3]string{"Available", "True", ""}, [3]string{"Progressing", "True", "Working towards 4.20.6: 9 of 903 done (1% complete)"}))
		expect(1)
	})
}

func TestVersion_NamesUnstableOperators(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		for name, states := range map[string]string{"ingress": "TTF", "console": "FFF", "dns": "TFT"} {
			r.operator(t, name, states)
		}
		r.put(t, operators, "", named("authentication"))
		seen := r.observe(t)
		if want := []string{"authentication", "console", "dns", "ingress"}; !cmp.Equal(seen.Version.Unstable, want) || seen.Version.Total != 4 {
			t.Errorf("%d operators, %v", seen.Version.Total, seen.Version.Unstable)
		}
		for i, name := range seen.Version.Unstable {
			if seen.Operators[i].Name != name {
				t.Errorf("operator %d is %s, not %s", i, seen.Operators[i].Name, name)
			}
		}
	})
}
