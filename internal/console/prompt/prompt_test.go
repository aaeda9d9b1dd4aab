package prompt_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"exoshift/internal/console/prompt"
	"exoshift/internal/fault"
	"exoshift/state"
	"exoshift/wizard"
)

// talk is an interview in memory, with simulated input.
type talk struct {
	*wizard.Interview
	environment map[string]string
	saved       []string // the answers after each save
	kept        map[string]string
	asked       []string // lookups, in order
	transcript  bytes.Buffer

	interruptible func(context.Context) (context.Context, context.CancelFunc)
}

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f demo@example.net"

const pullSecret = `{"auths":{"cloud.openshift.com":{"auth":"dXNlcjpoaWRkZW4="},"quay.io":{"auth":"dXNlcjpoaWRkZW4="},` +
	`"registry.redhat.io":{"auth":"dXNlcjpoaWRkZW4="},"registry.connect.redhat.com":{"auth":"dXNlcjpoaWRkZW4="}}}`

func newTalk(t *testing.T) *talk {
	t.Helper()
	talk := &talk{kept: map[string]string{}, environment: map[string]string{
		"EXOSCALE_API_KEY": "EXOkey", "EXOSCALE_API_SECRET": "secret-of-the-key", "PULL_SECRET": pullSecret,
	}}
	dir := t.TempDir()
	talk.Interview = &wizard.Interview{
		Answers: wizard.NewAnswers(), DraftPath: "/drafts/1",
		LookupEnv: func(name string) (string, bool) { value, ok := talk.environment[name]; return value, ok },
		Save:      func(a *wizard.Answers) error { talk.saved = append(talk.saved, a.Spec.Cluster.ID); return nil },
		SaveSecret: func(key, secret string) (string, error) {
			talk.kept[key] = secret
			path := filepath.Join(dir, key)
			return "file:" + path, os.WriteFile(path, []byte(secret), 0o600)
		},
		Check: func(_ context.Context, _ state.Spec, _ wizard.Secrets, emit func(wizard.CheckState)) error {
			emit(wizard.CheckState{ID: "a", Title: "Credentials", State: "started"})
			emit(wizard.CheckState{ID: "a", Title: "Credentials", State: "done", Text: "valid"})
			return nil
		},
		Review: func(context.Context, state.Spec, wizard.Secrets) (wizard.Review, error) {
			return wizard.Review{
				Changes: []wizard.PlannedChange{
					{Action: "create", Kind: "instance", Name: "lb-0"}, {Action: "create", Kind: "instance", Name: "master-0", Detail: "standard.extra-large"},
					{Action: "found", Kind: "dns-zone", Name: "c-demo-1.example.net"},
				},
				Quotas:   []wizard.QuotaCheck{{Quota: wizard.Quota{Resource: "instance", Used: 2, Limit: 20}, Need: 13, After: 15, Sufficient: true}},
				Estimate: wizard.Estimate{Hour: 1.84, Month: 1343, Date: "2026-05-01"}, Minutes: [2]int{45, 70},
				Actions: []string{"add four NS records to example.net"}, Export: "/drafts/1/c-demo-1.yaml",
			}, nil
		},
		Export: func(*wizard.Answers) (string, error) { return "/drafts/1/c-demo-1.yaml", nil },
	}
	return talk
}

// keyboard types a line whenever one is read, and echoes it as a terminal does.
type keyboard struct {
	lines  []string
	shown  io.Writer
	hidden bool
}

func (k *keyboard) Read(p []byte) (int, error) {
	if len(k.lines) == 0 {
		return 0, io.EOF
	}
	line := k.lines[0]
	k.lines = k.lines[1:]
	if k.hidden {
		_, _ = io.WriteString(k.shown, "\n")
	} else {
		_, _ = io.WriteString(k.shown, line+"\n")
	}
	return copy(p, line+"\n"), nil
}

// types answers the questions with lines, until they are used up.
func (t *talk) types(ctx context.Context, lines ...string) (prompt.Outcome, error) {
	keys := &keyboard{lines: lines, shown: &t.transcript}
	return prompt.Run(ctx, prompt.Prompter{
		Open: func(context.Context, string) (*wizard.Interview, error) { return t.Interview, nil },
		In:   prompt.NewLineReader(keys), Out: &t.transcript,
		Interruptible: t.interruptible,
		Hide:          func() func() { keys.hidden = true; return func() { keys.hidden = false } },
	})
}

func TestPrompt_DefaultCluster(t *testing.T) {
	talk := newTalk(t)
	outcome, err := talk.types(t.Context(), defaultCluster()...)
	if err != nil || !outcome.Confirmed {
		t.Errorf("%+v, %v", outcome, err)
	}
	golden(t, "default.golden", talk.transcript.Bytes())
}

// defaultCluster returns the answers of a default cluster.
func defaultCluster() []string {
	return []string{
		"", "", "2", "", // access
		"c-demo-1", "example.net", "", "", "", // cluster
		"", "", "", // nodes
		"", "", // network
		"", "", // Project Syn
		"1", "PULL_SECRET", publicKey, "", // secrets
		"yes",
	}
}

func TestPrompt_EOFIsNotYes(t *testing.T) {
	outcome, err := newTalk(t).types(t.Context())
	if outcome.Confirmed || fault.KindOf(err) != fault.Cancelled || !errors.Is(err, prompt.ErrEnded) {
		t.Errorf("%+v, %v", outcome, err)
	}
}
