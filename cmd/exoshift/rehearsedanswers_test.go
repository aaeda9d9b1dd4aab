package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/interview"
	"exoshift/internal/app/request"
)

func TestRehearsal_AnswersOutliveItsFolder(t *testing.T) {
	clusters := atHome(t)
	c, err := interview.NewRehearsal(t.Context(), newDefaultRehearsal(request.Request{Set: []string{"cluster.id=c-demo-7"}}))
	if err != nil {
		t.Fatal(err)
	}
	asked := c.NewInterview()
	if id := asked.Answers.Spec.Cluster.ID; id != "c-demo-7" {
		t.Errorf("--set is lost: the ID is %q", id)
	}
	path, err := asked.Export(asked.Answers)
	if err != nil || filepath.Dir(path) != clusters {
		t.Errorf("exported to %s, %v", path, err)
	}
	forReal, err := c.ExportForReal()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(forReal)
	if err != nil || !strings.Contains(string(content), "c-demo-7") || strings.Contains(string(content), "ssh-ed25519") || strings.Contains(string(content), "EXOSHIFT_PULL_SECRET") {
		t.Errorf("%s: %v\n%s", forReal, err, content)
	}
}

func TestStartScreen_RehearsesStartedDraft(t *testing.T) {
	atHome(t)
	live, err := interview.NewLive(t.Context(), request.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if err := live.Answers.Set("cluster.id", "c-demo-8", "typed"); err != nil {
		t.Fatal(err)
	}
	if err := live.Answers.Set("exoscale.apiKey", "file:/nowhere/key", "typed"); err != nil {
		t.Fatal(err)
	}
	if err := live.NewInterview().Save(live.Answers); err != nil {
		t.Fatal(err)
	}
	if err := live.Close(); err != nil {
		t.Fatal(err)
	}
	for _, option := range listNewOptions(cli.Options{}, nil) {
		if option.ID != "rehearse" {
			continue
		}
		c, err := option.open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if spec := c.Answers.Spec; spec.Cluster.ID != "c-demo-8" || spec.Exoscale.APIKey.File != "" || spec.OpenShift.PullSecret.Env != "EXOSHIFT_PULL_SECRET" {
			t.Errorf("the rehearsal begins with %+v", spec)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestInterview_WritesNoSecret(t *testing.T) {
	atHome(t)
	c, err := interview.NewLive(t.Context(), request.Request{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	asked := c.NewInterview()
	asked.Answers.Spec.Cluster.DisplayName = "of hvs.CAESIJ0123456789abcdef"
	if err := asked.Save(asked.Answers); err == nil || !strings.Contains(err.Error(), "cluster.displayName") || strings.Contains(err.Error(), "CAESIJ") || c.Draft.Exists() {
		t.Errorf("the draft is written: %v", err)
	}
	if path, err := asked.Export(asked.Answers); err == nil || !strings.Contains(err.Error(), "cluster.displayName") {
		t.Errorf("the answers file is written: %s, %v", path, err)
	}
}
