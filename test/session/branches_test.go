package session

import (
	"crypto/x509/pkix"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/internal/simcloud/certificate"
	"exoshift/wizard"
)

// wide is a terminal that shows all rows of each form.
func wide() Options { return Options{Width: 120, Height: 60} }

// tried is every question that was answered, by its key.
type tried map[string]bool

// Each question is answered as its example or its choices say, and nothing of that is wrong.
func TestWizard_AnswersEveryQuestion(t *testing.T) {
	for _, screen := range []wizard.Screen{wizard.Access, wizard.Cluster, wizard.Network, wizard.Syn, wizard.Secrecy} {
		t.Run(string(screen), func(t *testing.T) {
			t.Parallel()
			s := newPlace(t).withExamples(t).asking(t, wide())
			at := map[wizard.Screen]string{wizard.Access: "Access", wizard.Cluster: "Cluster", wizard.Network: "Network", wizard.Syn: "Syn", wizard.Secrecy: "Secrets"}[screen]
			s.visit(at)
			s.unfold()
			done := tried{}
			for _, field := range wizard.Fields() {
				if field.Screen == screen && s.Screen().row(field) != "" {
					s.answer(field)
					done[field.Key] = true
				}
			}
			for _, field := range wizard.Fields() {
				if field.Screen == screen && !done[field.Key] {
					t.Logf("%s was not asked", field.Key)
				}
			}
			s.leave()
		})
	}
}

// withExamples makes the files that the examples of questions name.
func (p place) withExamples(t *testing.T) place {
	t.Helper()
	authority, err := certificate.NewAuthority(pkix.Name{CommonName: "Example"}, time.Hour, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"catalog", "manifests"} {
		if err := os.Mkdir(filepath.Join(p.home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(p.home, "ca.pem"), authority.CertPEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// unfold shows the questions that a newcomer skips.
func (s *Session) unfold() {
	s.t.Helper()
	if s.Screen().Has("▸") {
		s.on(`▸ \d+ more`)
		s.Press("enter")
		// Lists have the same mark as what is unfolded, so only the other mark's end tells.
		s.WaitFor("no fold", func(screen Screen) bool { return !screen.Has("▸") })
	}
}

// row is the line of a field.
func (s Screen) row(field wizard.Field) string {
	title := regexp.MustCompile(`^ (›| ) ` + regexp.QuoteMeta(field.Title) + `( {2,}|$)`)
	i := slices.IndexFunc(s.Lines, title.MatchString)
	if i < 0 {
		return ""
	}
	return s.Lines[i]
}

// answer answers a question in each way that it has, and the wizard says so.
func (s *Session) answer(field wizard.Field) {
	s.t.Helper()
	s.on(regexp.QuoteMeta(field.Title))
	switch row := s.Screen().row(field); {
	case field.Shape() == wizard.Reference:
		s.refer(field)
	case field.Shape() == wizard.Switch:
		on := regexp.MustCompile(`\[.*?\]`)
		s.Press("space")
		s.WaitFor("the other answer of "+field.Key, func(screen Screen) bool { return screen.row(field) != row })
		s.Press("space")
		s.WaitFor("the first answer of "+field.Key, func(screen Screen) bool { return on.FindString(screen.row(field)) == on.FindString(row) })
	case strings.Contains(row, "▾"):
		s.chooseEach(field)
	default:
		s.retype(example(field))
		s.Press("tab")
		s.WaitFor(field.Key+" without the cursor", func(screen Screen) bool { return !strings.Contains(screen.row(field), "[") })
		s.sound(field)
	}
}

// example is what is typed as the answer of a field.
func example(field wizard.Field) string {
	if field.Key == "openshift.sshKey" {
		return "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGUfTVdlCqxn8T2V0vCsrz1Iia0d3xHTKYYPKFTPKl+V demo"
	}
	return field.Example
}

// retype replaces a text.
func (s *Session) retype(text string) {
	s.Press("end", "ctrl+u")
	s.Type(text)
}

// chooseEach chooses everything that a list offers, and in the end its example, or else the first of it.
func (s *Session) chooseEach(field wizard.Field) {
	s.t.Helper()
	last := field.Choices[:min(1, len(field.Choices))]
	if slices.Contains(field.Choices, field.Example) {
		last = []string{field.Example}
	}
	for _, choice := range append(slices.Clone(field.Choices), last...) {
		s.on(regexp.QuoteMeta(field.Title))
		s.Press("space")
		s.Expect(field.Title + "   type to search")
		s.Type(choice)
		s.Expect("/" + choice)
		s.Press("enter")
		s.ExpectNot("type to search")
		s.WaitFor("the choice "+choice, func(screen Screen) bool { return strings.Contains(screen.row(field), choice+" ▾") })
	}
}

// refer says in each way where a secret is, the last of which is how it was.
func (s *Session) refer(field wizard.Field) {
	s.t.Helper()
	for row, way := range []string{"type or paste it here", "environment variable", "file"} {
		if row == 0 {
			continue // comes last
		}
		s.Press("space")
		s.Expect(field.Title + ": source")
		for range row {
			s.another("down")
		}
		s.ExpectMatch("› " + way)
		s.Press("enter")
		s.ExpectNot(field.Title + ": source")
		s.retype("SOME_PLACE")
		s.Press("enter")
		s.ExpectMatch(regexp.QuoteMeta(field.Title) + ` {2,}(environment )?` + strings.TrimPrefix(way, "environment ") + " SOME_PLACE")
		s.on(regexp.QuoteMeta(field.Title))
	}
	s.Paste(`{"auths":{"quay.io":{"auth":"c2ltdWxhdGVkOnNpbXVsYXRlZA=="},"registry.redhat.io":{"auth":"c2ltdWxhdGVkOnNpbXVsYXRlZA=="}}}`)
	s.ExpectMatch(regexp.QuoteMeta(field.Title) + ` +(•+ stored|2 registries)`)
}

// sound demands that nothing is red right below a question.
func (s *Session) sound(field wizard.Field) {
	s.t.Helper()
	lines := s.Screen().Lines
	i := slices.Index(lines, s.Screen().row(field))
	if i >= 0 && strings.Contains(lines[i+1], "✗") {
		s.fail("%s is red: %s", field.Key, lines[i+1])
	}
}
