package exoscale_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/site"
	"exoshift/state"
)

type refusal struct {
	quotas map[string]int
	noPlan bool // for DNS zones
	try    func(ctx context.Context, w *world) error
	kind   fault.Kind
	words  []string // the operation and the server's message
}

func (w *world) tryMachine(ctx context.Context, change func(*state.Instance)) error {
	wanted := w.machine(ctx, "lb-0")
	change(&wanted)
	_, _, err := w.EnsureInstance(ctx, wanted)
	return err
}

func (w *world) restricted(ctx context.Context) *world {
	checks := role()
	checks.Policy.Services["compute"] = state.IAMService{Type: "rules", Rules: []state.IAMRule{
		{Action: "allow", Expression: "operation.startsWith('list-') || operation.startsWith('get-')"},
	}}
	made, _, err := w.EnsureRole(ctx, checks)
	w.check(err)
	key, _, err := w.ensureKey(ctx, state.APIKey{Name: "restricted", RoleID: made.ID})
	w.check(err)
	other := *w
	other.Client = w.client(zone, key.Key, key.Secret)
	w.t.Cleanup(other.Client.Close)
	return &other
}

// refusals have the messages of the simulated zone.
func refusals() map[string]refusal {
	absent := "00000000-0000-4000-8000-000000000000"
	return map[string]refusal{
		"Quotas": {
			quotas: map[string]int{"instance": 0}, kind: fault.Quota, words: []string{"create instance lb-0", "Quotas"},
			try: func(ctx context.Context, w *world) error { return w.tryMachine(ctx, func(*state.Instance) {}) },
		},
		"permission": {
			kind: fault.Denied, words: []string{"create anti-affinity-group masters", "IAM policy", "create-anti-affinity-group"},
			try: func(ctx context.Context, w *world) error {
				_, _, err := w.restricted(ctx).EnsureAntiAffinityGroup(ctx, "masters", "")
				return err
			},
		},
		"conflict": {
			kind: fault.Conflict, words: []string{"create dns-zone example.com", "409"},
			try: func(ctx context.Context, w *world) error {
				_, _, err := w.EnsureZone(ctx, "example.com")
				w.check(err)
				w.InjectFaults(site.Fault{Match: "GET /v2/dns-domain", Respond: matchPattern(200, `{"dns-domains":[]}`)})
				_, _, err = w.EnsureZone(ctx, "example.com")
				return err
			},
		},
		"a zone without a plan": {
			noPlan: true, kind: fault.Quota, words: []string{"create dns-zone example.com", "DNS subscription", "needs a DNS plan with a free zone"},
			try: func(ctx context.Context, w *world) error {
				_, _, err := w.EnsureZone(ctx, "example.com")
				return err
			},
		},
		"a zone without a permission": {
			kind: fault.Denied, words: []string{"create dns-zone example.com", "IAM role allows", "needs a DNS plan with a free zone"},
			try: func(ctx context.Context, w *world) error {
				w.InjectFaults(site.Fault{Match: "POST /v2/dns-domain", Respond: matchPattern(403, `{"message":"Forbidden by IAM policy"}`)})
				_, _, err := w.EnsureZone(ctx, "example.com")
				return err
			},
		},
		"a zone that costs more": {
			kind: fault.Quota, words: []string{"402", "needs a DNS plan with a free zone"},
			try: func(ctx context.Context, w *world) error {
				w.InjectFaults(site.Fault{Match: "POST /v2/dns-domain", Respond: matchPattern(402, `{"message":"no"}`)})
				_, _, err := w.EnsureZone(ctx, "example.com")
				return err
			},
		},
		"not found": {
			kind: fault.NotFound, words: []string{"create instance lb-0", absent + " not found", zone},
			try: func(ctx context.Context, w *world) error {
				return w.tryMachine(ctx, func(i *state.Instance) { i.TemplateID = absent })
			},
		},
		"wrong zone": {
			kind: fault.NotFound, words: []string{"create instance lb-0", "template", "check that it exists in ch-dk-2"},
			try: func(ctx context.Context, w *world) error {
				wanted := w.machine(ctx, "lb-0")
				other := w.client("ch-dk-2", key, secret)
				w.t.Cleanup(other.Close)
				_, _, err := other.EnsureInstance(ctx, wanted)
				return err
			},
		},
		"in use": {
			kind: fault.Conflict, words: []string{"delete iam-role", "used"},
			try: func(ctx context.Context, w *world) error {
				key, _, err := w.ensureKey(ctx, w.apiKey(ctx))
				w.check(err)
				_, err = w.Delete(ctx, state.Object{Kind: state.KindRole, Name: role().Name, ID: key.RoleID})
				return err
			},
		},
		"invalid": {
			kind: fault.Invalid, words: []string{"create instance lb-0", "disk-size must be between"},
			try: func(ctx context.Context, w *world) error {
				return w.tryMachine(ctx, func(i *state.Instance) { i.DiskGiB = 5 })
			},
		},
	}
}

func TestRefusals_OperationCauseHint(t *testing.T) {
	for name, r := range refusals() {
		for _, problems := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, problem details: %t", name, problems), func(t *testing.T) {
				config := api.Config{Key: key, Secret: secret, Quotas: r.quotas, NoDNSPlan: r.noPlan, Problems: problems}
				inWorldOf(t, config, func(ctx context.Context, w *world) {
					err := r.try(ctx, w)
					w.wantFault(err, r.kind, r.words...)
					if fault.HintOf(err) == "" {
						w.t.Errorf("no hint: %v", err)
					}
				})
			})
		}
	}
}

func TestFailures_ReasonCauseHint(t *testing.T) {
	for reason, kind := range map[string]fault.Kind{
		"incorrect": fault.Invalid, "unsupported": fault.Invalid, "forbidden": fault.Denied, "conflict": fault.Conflict,
		"not-found": fault.NotFound, "unavailable": fault.Transient, "interrupted": fault.Transient,
		"unknown": fault.Internal, "fault": fault.Internal, "partial": fault.Internal,
	} {
		for _, kindOf := range []string{"anti-affinity-group", "iam-role"} {
			t.Run(reason+" "+kindOf, func(t *testing.T) {
				inWorld(t, func(ctx context.Context, w *world) {
					w.InjectFaults(site.Fault{Match: "GET /v2/operation", Respond: matchPattern(200,
						`{"id":"1","state":"failure","reason":"`+reason+`","message":"The words of the server"}`)})
					_, err := ensures(ctx, w)[kindOf]()
					w.wantFault(err, kind, "create "+kindOf, "reason "+reason, "The words of the server")
					if fault.HintOf(err) == "" {
						w.t.Errorf("no hint: %v", err)
					}
					if len(w.journal.open) > 0 {
						w.t.Errorf("an intent stays open: %v", w.journal.open)
					}
				})
			})
		}
	}
}

func TestEnsure_RefusedIsNotAdopted(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.InjectFaults(site.Fault{Match: "POST " + groups, Respond: matchPattern(403, `{"message":"no"}`)})
		w.wantFault(ensureGroup(ctx, w), fault.Denied)
		ours := w.client(zone, key, secret)
		defer ours.Close()
		w.journal = &journal{}
		other := w.client(zone, key, secret)
		defer other.Close()
		_, _, err := other.EnsureAntiAffinityGroup(ctx, "masters", "")
		w.check(err)
		_, action, err := ours.EnsureAntiAffinityGroup(ctx, "masters", "")
		w.wantAction(action, err, state.Found)
	})
}

func TestEnsureZone_ListFailureIsNotPlan(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.InjectFaults(site.Fault{Match: "GET /v2/dns-domain", Respond: matchPattern(403, `{"message":"Forbidden by IAM policy"}`)})
		_, _, err := w.EnsureZone(ctx, "example.com")
		w.wantFault(err, fault.Denied, "list DNS zones")
		if strings.Contains(fault.HintOf(err), "plan") {
			t.Errorf("the hint is %s", fault.HintOf(err))
		}
	})
}
