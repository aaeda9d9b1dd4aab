package prompt_test

import (
	"context"
	"errors"
	"testing"

	"exoshift/state"
	"exoshift/wizard"
)

func TestPrompt_SignIn(t *testing.T) {
	talk := newTalk(t).settled(t).about("syn.tenant")
	talk.Answers.Spec.Syn = state.SynSpec{LieutenantURL: "https://api.syn.example.net", Tenant: "t-demo"}
	in := false
	talk.Lookups = []wizard.Lookup{{
		ID: "tenants", Title: "Lieutenant", Screen: wizard.Syn, Keys: []string{"syn.lieutenantURL"},
		Run: func(context.Context, state.Spec, wizard.Secrets) (wizard.LookupResult, error) {
			if !in {
				return wizard.LookupResult{Pending: true, Summary: "not signed in"}, nil
			}
			return wizard.LookupResult{Summary: "2 tenants"}, nil
		},
	}}
	failed := false
	talk.SignIn = func(_ context.Context, _ state.Spec, show func(string)) error {
		show("https://id.example.net/\x1b[2Jauth?state=1")
		if !failed {
			failed = true
			return errors.New("the state does not fit")
		}
		in = true
		return nil
	}
	if _, err := talk.types(t.Context(), ":signin", ":signin", "t-other", ":quit"); err != nil {
		t.Fatal(err)
	}
	talk.wants(t, "Lieutenant: not signed in.\nType :signin to sign in.\n")
	talk.wants(t, "\nhttps://id.example.net/auth?state=1\n")
	talk.wants(t, "the state does not fit")
	talk.wants(t, "You are signed in.\nLieutenant: looking up...\nLieutenant: 2 tenants.\n")
}
