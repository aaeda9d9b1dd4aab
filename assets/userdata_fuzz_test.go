package assets_test

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"mvdan.cc/sh/v3/shell"

	"exoshift/assets"
)

// FuzzRemoteRunUserData: parsed by an independent YAML library and shell, a cloud-config holds exactly its input.
func FuzzRemoteRunUserData(f *testing.F) {
	for _, seed := range []string{"https://sos.example.net/b/task?s=2&a='b'", "a'b", "\n  - reboot", "\u2028  - [reboot]\u2029", "\u0085x", "\ufeff", "$(reboot)`x`", "\\", "#", ": ", "\xff", "{{.Task}}", ""} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, link, argument string) {
		content, err := assets.RenderRemoteRunUserData(assets.RemoteRun{
			Program: link, SHA256: strings.Repeat("a1", 32), Args: []string{"probe", argument}, Task: link, Status: link, Report: link, Seconds: 300,
		})
		if err != nil {
			if content != nil || strings.Contains(err.Error(), link) && len(link) > 3 && !strings.Contains("remote run: a character that cannot be printed", link) {
				t.Fatalf("%q is told as %q", link, err)
			}
			return
		}
		var document struct {
			Files []struct{ Path, Content string } `yaml:"write_files"`
			Run   [][]string                       `yaml:"runcmd"`
		}
		if err := yaml.Unmarshal(content, &document); err != nil || len(document.Files) != 1 || len(document.Run) != 2 {
			t.Fatalf("%v in\n%s", err, content)
		}
		for begin, want := range map[string][]string{
			`put "$dir/status" `: {link}, `put "$dir/report" `: {link}, `timeout 300 "$dir/program" `: {"probe", argument},
		} {
			_, after, found := strings.Cut(document.Files[0].Content, begin)
			words, _, _ := strings.Cut(after, "\n")
			words, _, _ = strings.Cut(words, ` <"$task"`)
			words = strings.TrimSuffix(words, " || tell report-lost")
			got, err := shell.Fields(words, func(string) string { return "expanded" })
			if !found || err != nil || strings.Join(got, "\x00") != strings.Join(want, "\x00") {
				t.Fatalf("%q is read as %q, %v", want, got, err)
			}
		}
	})
}
