package session

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// made is a secret of the form that Exoscale's API keys have; nobody was ever given it.
const made = "EXO0123456789abcdef01234567"

// source opens the name of a source of a secret, such as "file", as the wizard calls it.
func (s *Session) source(row, way string) {
	s.t.Helper()
	s.on(row)
	s.Press("space")
	s.Expect(row + ": source")
	for i := 0; !selected(s.Screen(), way); i++ {
		if i == 4 {
			s.fail("there is no source %q", way)
		}
		s.another("down")
	}
	s.Press("enter")
	s.ExpectNot(row + ": source")
}

// demandNowhere demands that no file of a place, but the secrets' own, has the text.
func (p place) demandNowhere(t *testing.T, text string) {
	t.Helper()
	files := 0
	for _, root := range []string{p.home, p.state, p.temporary} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() || filepath.Base(filepath.Dir(path)) == "secrets" {
				return err
			}
			content, err := os.ReadFile(path)
			if files++; strings.Contains(string(content), text) {
				t.Errorf("it is in %s", path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files == 0 {
		t.Error("no file was searched")
	}
}

// Each source takes a name, never the secret itself: neither the screen nor a file shows it afterwards.
func TestInput_SecretAsSourceName(t *testing.T) {
	for _, way := range []string{"environment variable", "file"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			s := p.asking(t, usual())
			s.source("API key", way)
			s.Paste(made)
			s.Expect("That is the secret itself (an API key)", "› keep it privately", "discard it")
			if s.Screen().Has(made) {
				s.fail("the secret is on the screen")
			}
			s.another("down")
			s.Press("enter")
			s.ExpectMatch(`API key +environment variable EXOSCALE_API_KEY`)
			s.name("ch-gva-2")
			s.Expect("draft saved")
			s.leave()
			p.demandNowhere(t, made)
		})
	}
}

func TestInput_SecretAsSourceNameIsKept(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.asking(t, usual())
	s.source("API key", "file")
	s.Paste(made)
	s.Expect("That is the secret itself (an API key)")
	s.Press("enter")
	s.ExpectMatch(`API key +•+ stored`)
	s.name("ch-gva-2")
	s.Press("f9")
	s.Expect("answers file: ")
	s.leave()
	p.demandNowhere(t, made)
}

// What is typed stays as it was typed until another answer is accepted.
func TestInput_RejectedWhole(t *testing.T) {
	t.Parallel()
	s := asking(t, usual())
	s.visit("Cluster")
	s.on("Base domain")
	s.retype("https://example.org/")
	s.Press("enter")
	s.ExpectMatch(`Base domain +\[https://example\.org/ +\] +not stored`)
	s.Expect("example.org? ctrl+y accepts")
	s.Press("ctrl+y")
	s.ExpectMatch(`Base domain +\[example\.org +\]`)
	s.Press("ctrl+z")
	s.ExpectMatch(`Base domain +\[https://example\.org/ +\]`)
	s.Press("f4")
	s.ExpectMatch(`Base domain +\[ +\]`)
	s.leave()
}

func TestInput_RangeAsPrefixLength(t *testing.T) {
	t.Parallel()
	s := asking(t, wide())
	s.visit("Network")
	s.unfold()
	s.on("Host prefix")
	s.retype("10.4.0.0/14")
	s.Press("enter")
	s.ExpectMatch(`Host prefix +\[10\.4\.0\.0/14 +\] +not stored`)
	s.Press("f4")
	s.ExpectMatch(`Host prefix +\[?23`)
	s.leave()
}

func TestInput_EditingKeys(t *testing.T) {
	t.Parallel()
	s := asking(t, usual())
	s.visit("Cluster")
	s.on("Base domain")
	s.retype("one two three")
	s.Press("ctrl+w")
	s.ExpectMatch(`\[one two +\]`)
	s.Press("alt+b")
	s.Type("x")
	s.ExpectMatch(`\[one xtwo +\]`)
	s.Press("home")
	s.Type("y")
	s.ExpectMatch(`\[yone xtwo +\]`)
	s.Press("end")
	s.Type("z")
	s.ExpectMatch(`\[yone xtwo z +\]`)
	s.Press("ctrl+u")
	s.ExpectMatch(`Base domain +\[ +\]`)
	s.leave()
}

// A newline at the end of a paste is none of the answer, and nobody is warned of it.
func TestInput_PasteWithNewline(t *testing.T) {
	t.Parallel()
	s := asking(t, usual())
	s.visit("Cluster")
	s.on("Base domain")
	s.Press("end", "ctrl+u")
	s.Paste("example.org\n")
	s.ExpectMatch(`Base domain +\[example\.org +\]`)
	if screen := s.Screen(); screen.Has("not allowed") || screen.Has("!") {
		s.fail("a warning")
	}
	s.leave()
}
