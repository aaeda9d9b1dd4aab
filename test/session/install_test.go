package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// variable returns the value of one of the zone's variables.
func (z *zone) variable(name string) string {
	for _, variable := range z.environment {
		if value, ok := strings.CutPrefix(variable, name+"="); ok {
			return value
		}
	}
	return ""
}

// without returns the zone's environment without some variables.
func (z *zone) without(names ...string) []string {
	return slices.DeleteFunc(slices.Clone(z.environment), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(names, name)
	})
}

// secrets are the variables that hold what a newcomer has to bring along.
func secrets() []string {
	return []string{"EXOSCALE_API_KEY", "EXOSCALE_API_SECRET", "EXOSHIFT_PULL_SECRET", "EXOSCALE_ZONE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
}

// installing begins on the start screen of install, with a zone behind the proxy.
func (p place) installing(t testing.TB, z *zone, o Options) *Session {
	t.Helper()
	o.Env = append(o.Env, z.without(secrets()...)...)
	s := p.start(t, o, "install")
	s.Expect("What would you like to do?")
	return s
}

// hand pastes a secret into the row with that text.
func (s *Session) hand(row, secret string) {
	s.t.Helper()
	s.on(row)
	s.Paste(secret)
	s.ExpectMatch(row + ` +(•+ stored|4 registries)`)
}

// credentials are given by pasting them.
func (s *Session) credentials(z *zone) {
	s.t.Helper()
	s.hand("API key", z.variable("EXOSCALE_API_KEY"))
	s.hand("API secret", z.variable("EXOSCALE_API_SECRET"))
}

func TestWizard_InstallsWithFewAnswers(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	z := p.standing(t, "--speed", "60")
	s := p.installing(t, z, usual())
	s.Press("enter")
	s.Expect(marker("Access"))
	s.credentials(z)
	s.name("ch-gva-2")
	for _, screen := range []string{"Nodes", "Network", "Syn", "Secrets"} {
		s.next(screen)
	}
	s.hand("Pull secret", z.variable("EXOSHIFT_PULL_SECRET"))
	s.on("SSH public key")
	s.Paste("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGUfTVdlCqxn8T2V0vCsrz1Iia0d3xHTKYYPKFTPKl+V demo")
	s.Press("enter")
	s.next("Checks")
	s.mayGoOn()
	s.Press("enter")
	s.Expect(marker("Review"), "objects to create")
	if s.Answers() > mostAnswers {
		t.Errorf("%d answers, at most %d are needed", s.Answers(), mostAnswers)
	}
	s.Press("tab")
	s.WaitFor("the way on, where tab leads to", func(screen Screen) bool { return selected(screen, `\[ Create:`) })
	s.Press("enter")
	s.Expect("RUNNING", "DNS zone")
	s.Press("ctrl+c", "ctrl+c")
	s.Leave(130)
	for _, secret := range secrets()[:3] {
		if strings.Contains(s.Transcript(), z.variable(secret)) {
			t.Errorf("%s was drawn", secret)
		}
	}
	if _, err := os.Stat(filepath.Join(p.state, "exoshift", "c-demo-1", "facts.json")); err != nil {
		t.Error(err)
	}
	again := p.installing(t, z, usual())
	again.ExpectMatch(`c-demo-1`)
	again.Press("q")
	again.Leave(0)
}
