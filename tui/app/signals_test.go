package app

import (
	"strings"
	"testing"
)

func newTestSignals(out *strings.Builder, noColor, silent bool, env map[string]string) Signals {
	return newSignals(out, noColor, silent, func(name string) string { return env[name] })
}

func TestSignals_Notify(t *testing.T) {
	text, title := "\x1b]9;c-demo-1: failed\a", "\x1b]777;notify;c-demo-1;failed\a"
	for name, c := range map[string]struct {
		env             map[string]string
		noColor, silent bool
		want            string
	}{
		"an unknown terminal": {env: map[string]string{"TERM": "xterm-256color"}, want: "\a" + text + title},
		"WezTerm":             {env: map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, want: "\a" + text},
		"GNOME Terminal":      {env: map[string]string{"TERM": "xterm-256color", "VTE_VERSION": "7600"}, want: "\a" + title},
		"tmux":                {env: map[string]string{"TERM": "screen-256color", "TMUX": "/tmp/x,1,0", "VTE_VERSION": "7600"}, want: "\a\x1bPtmux;\x1b" + title + "\x1b\\"},
		"screen":              {env: map[string]string{"TERM": "screen-256color"}, want: "\a"},
		"the Linux console":   {env: map[string]string{"TERM": "linux"}, want: "\a"},
		"without colours":     {env: map[string]string{"TERM": "xterm-256color"}, noColor: true, want: "\a"},
		"dumb":                {env: map[string]string{"TERM": "dumb"}},
		"silent":              {env: map[string]string{"TERM": "xterm-256color"}, silent: true},
	} {
		var out strings.Builder
		if cmd := newTestSignals(&out, c.noColor, c.silent, c.env).Notify("c-demo-1", "failed"); cmd != nil {
			cmd()
		}
		if out.String() != c.want {
			t.Errorf("%s gets %q, not %q", name, out.String(), c.want)
		}
	}
}

func TestSignals_NotifyKeepsFieldsApart(t *testing.T) {
	var out strings.Builder
	newTestSignals(&out, false, false, map[string]string{"VTE_VERSION": "7600"}).Notify("c;1", "a; b")()
	if want := "\a\x1b]777;notify;c,1;a, b\a"; out.String() != want {
		t.Errorf("%q, not %q", out.String(), want)
	}
}

func TestSignals_ShowAndRestore(t *testing.T) {
	for name, c := range map[string]struct {
		env        map[string]string
		noColor    bool
		want, last string
	}{
		"with progress":    {env: map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, want: "\x1b[22;2t\x1b]2;c-demo-1\a\x1b]9;4;4;40\a", last: "\x1b[23;2t\x1b]9;4;0\a"},
		"without progress": {env: map[string]string{"TERM": "xterm-256color"}, want: "\x1b[22;2t\x1b]2;c-demo-1\a", last: "\x1b[23;2t"},
		"without colours":  {env: map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, noColor: true},
	} {
		var out strings.Builder
		s := newTestSignals(&out, c.noColor, false, c.env)
		restore := s.Save()
		if cmd := s.Show("c-demo-1", ProgressWaiting, 40); cmd != nil {
			cmd()
		}
		shown := out.String()
		out.Reset()
		if restore(); shown != c.want || out.String() != c.last {
			t.Errorf("%s: %q, then %q", name, shown, out.String())
		}
	}
}

func TestDetectSignals_OnlyOnTerminal(t *testing.T) {
	var out strings.Builder
	if s := DetectSignals(&out, false, false); s.Notify("a", "b") != nil || s.Show("a", ProgressNormal, 1) != nil || s.Link("https://a.example", "https://a.example") != "https://a.example" {
		t.Error("what is no terminal gets signals")
	}
	DetectSignals(&out, false, false).Save()()
	if out.Len() > 0 {
		t.Errorf("what is no terminal gets %q", out.String())
	}
}

func TestSignals_Link(t *testing.T) {
	s := newTestSignals(nil, false, false, map[string]string{"TERM": "foot"})
	const address = "https://console.example.net"
	linked := "\x1b]8;;" + address + "\a" + address + "\x1b]8;;\a"
	for screen, want := range map[string]string{
		"at " + address + ".":        "at " + linked + ".",
		address:                      linked,
		"see " + address + "/more":   "see " + address + "/more", // another address
		"https://console.example.\n": "https://console.example.\n",
	} {
		if got := s.Link(screen, address); got != want {
			t.Errorf("%q becomes %q", screen, got)
		}
	}
}
