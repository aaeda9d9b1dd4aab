package tuitest

import (
	"strings"

	"pgregory.net/rapid"
)

// Hostile holds control sequences that would manipulate a terminal.
const Hostile = "a\x1b[2J\x1b]0;title\x07b\u009b31m\u202e\r\nc\x00"

// DrawText draws texts such as remote systems may send.
func DrawText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{
			"", "master-0", "\x1b[2J\x1b[1;1H", "\x1b]0;title\x07", "line\nline\r\tline", "世界の大きなクラスタ", "👩‍👩‍👧‍👦🇨🇭e\u0301",
			"\u202eright to left", "\xff\xfe\x9b31m", strings.Repeat("x", 5000), "Ready", "NotReady", "voter", "learner",
			"started", "done", "failed", "skipped", "finished", "approved", "left", "created", "deleted", "ok", "interrupted",
			"found", "gone", "high", "degraded", "stable", "installing", "running", "pending", "issued", "api", "api-direct",
		}),
	)
}
