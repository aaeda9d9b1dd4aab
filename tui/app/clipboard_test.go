package app

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEncodeClipboard_Multiplexers(t *testing.T) {
	const set = "\x1b]52;c;ZGln\x07"
	for _, c := range []struct{ env, value, want string }{
		{"", "", set}, {"TMUX", "/tmp/tmux", set + "\x1bPtmux;\x1b" + set + "\x1b\\"}, {"TERM", "screen.xterm", "\x1bP" + set + "\x1b\\"},
	} {
		got := encodeClipboard("dig", func(name string) string { return map[string]string{c.env: c.value}[name] })
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.env, diff)
		}
	}
}
