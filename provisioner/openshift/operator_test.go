package openshift_test

import (
	"testing"
	"testing/synctest"
	"time"

	"exoshift/state"

	"github.com/google/go-cmp/cmp"
)

const operators = "clusteroperators.config.openshift.io"

// operator sets the conditions Available, Progressing and Degraded as T or F; the transition time of a condition changes with its
// status.
func (r *rehearsal) operator(t *testing.T, name, states string) {
	t.Helper()
	if _, exists := r.objects.Get(operators, "", name); !exists {
		r.put(t, operators, "", named(name))
	}
	object, _ := r.objects.Get(operators, "", name)
	before := map[string]string{}
	for _, old := range object.List("status.conditions") {
		before[old.GetString("type")+old.GetString("status")] = old.GetString("lastTransitionTime")
	}
	var reported []any
	for i, kind := range []string{"Available", "Progressing", "Degraded"} {
		status := map[byte]string{'T': "True", 'F': "False"}[states[i]]
		changed := time.Now().UTC().Add(r.skew).Format(time.RFC3339)
		if at := before[kind+status]; at != "" {
			changed = at
		}
		reported = append(reported, map[string]any{
			"type": kind, "status": status, "reason": kind + "Reason", "message": kind + " syn/steward shows why", "lastTransitionTime": changed,
		})
	}
	r.change(t, operators, "", name, "status.conditions", reported)
}

func (r *rehearsal) one(t *testing.T) state.OperatorStatus {
	t.Helper()
	seen := r.observe(t)
	if len(seen.Operators) != 1 {
		t.Fatalf("%d operators", len(seen.Operators))
	}
	return seen.Operators[0]
}

func (r *rehearsal) expectState(t *testing.T, want string) {
	t.Helper()
	if got := r.one(t).State(); got != want {
		t.Errorf("it is %s, want %s", got, want)
	}
}

func TestOperator_StableAfterDuration(t *testing.T) {
	for name, skew := range map[string]time.Duration{"clocks agree": 0, "the server's is behind": -3 * time.Minute, "the server's is ahead": time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := rehearse(t)
				r.skew = skew
				r.operator(t, "dns", "FTF")
				r.expectState(t, "progressing")
				r.operator(t, "dns", "TFF")
				r.expectState(t, "available")
				r.wait(t, 30*time.Second)
				r.expectState(t, "available")
				r.wait(t, time.Second)
				r.expectState(t, "stable")
				if seen := r.observe(t); len(seen.Version.Unstable) != 0 || seen.Version.Total != 1 {
					t.Errorf("%+v", seen.Version)
				}
			})
		})
	}
}

func TestOperator_UsesServerTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.operator(t, "dns", "TFF")
		r.observe(t)
		r.wait(t, 31*time.Second)
		r.operator(t, "dns", "TTF")
		r.wait(t, time.Second)
		r.operator(t, "dns", "TFF")
		r.expectState(t, "available")
		r.wait(t, 31*time.Second)
		r.expectState(t, "stable")
	})
}

func TestOperator_StableAtFirstPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		began := time.Now()
		r.operator(t, "dns", "TFF")
		r.wait(t, 6*time.Minute)
		if seen := r.one(t); !seen.Stable || !seen.Since.Equal(began) {
			t.Errorf("%+v, want it to be stable since %v", seen, began)
		}
	})
}

func TestOperator_SlowServerClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.skew = -4 * time.Minute
		r.operator(t, "dns", "TFF")
		r.expectState(t, "available")
		r.wait(t, 31*time.Second)
		r.expectState(t, "stable")
	})
}

func TestOperator_NamesUnstableReason(t *testing.T) {
	for states, want := range map[string]string{
		"TFT": "degraded DegradedReason", "FTT": "degraded DegradedReason", "FTF": "progressing ProgressingReason",
		"FFF": "waiting AvailableReason", "TFF": "available ",
	} {
		synctest.Test(t, func(t *testing.T) {
			r := rehearse(t)
			r.operator(t, "dns", states)
			if seen := r.one(t); seen.State()+" "+seen.Reason != want {
				t.Errorf("%s: %s %s, want %s", states, seen.State(), seen.Reason, want)
			}
		})
	}
}

func TestOperator_FlappingNeedsCalm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		for _, states := range []string{"TFF", "FFF", "TFF", "FFF"} {
			r.operator(t, "dns", states)
			if r.one(t).Flapping {
				t.Fatal("three changes are called flapping")
			}
			r.wait(t, time.Minute)
		}
		r.operator(t, "dns", "TFF")
		r.expectState(t, "flapping")
		r.wait(t, 4*time.Minute+59*time.Second)
		r.expectState(t, "flapping")
		if seen := r.observe(t); !cmp.Equal(seen.Version.Unstable, []string{"dns"}) {
			t.Errorf("an operator that flaps counts as stable: %+v", seen.Version)
		}
		r.wait(t, time.Second)
		r.expectState(t, "stable")
	})
}

func TestOperator_FlappingAfterGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		for _, states := range []string{"TFF", "FFF", "TFF", "FFF", "TFF"} {
			r.operator(t, "dns", states)
			r.observe(t)
			r.wait(t, time.Second)
		}
		r.wait(t, 30*time.Minute)
		r.expectState(t, "stable")
	})
}

func TestOperator_RepeatedProgressIsUnstable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.operator(t, "dns", "TFF")
		r.observe(t)
		for range 4 {
			r.operator(t, "dns", "TTF")
			r.observe(t)
			r.wait(t, 40*time.Second)
			r.operator(t, "dns", "TFF")
			r.observe(t)
			r.wait(t, 40*time.Second)
		}
		r.expectState(t, "flapping")
	})
}

func TestOperator_SingleDipIsNoFlapping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		for _, states := range []string{"FTF", "TTF", "TFF", "TTF", "FTT", "TFF"} {
			r.operator(t, "openshift-apiserver", states)
			if r.one(t).Flapping {
				t.Fatalf("%s is called flapping", states)
			}
			r.wait(t, 20*time.Second)
		}
	})
}

func TestOperator_RolloutsAreNoFlapping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		for range 4 {
			r.operator(t, "kube-apiserver", "TTF")
			r.observe(t)
			r.wait(t, 4*time.Minute)
			r.operator(t, "kube-apiserver", "TFF")
			if r.one(t).Flapping {
				t.Fatal("roll-outs are called flapping")
			}
			r.wait(t, 2*time.Minute)
		}
	})
}

func TestOperator_FailedPollKeepsState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.operator(t, "dns", "TFF")
		r.observe(t)
		r.wait(t, 20*time.Second)
		r.unready("rolling")
		if seen, err := r.Poll(t.Context(), r.bootstrap, nil); err == nil || len(seen.Operators) != 0 {
			t.Errorf("%+v, %v", seen.Operators, err)
		}
		r.unready("")
		r.wait(t, 11*time.Second)
		r.expectState(t, "stable")
	})
}
