package probe

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

func FuzzGreeting(f *testing.F) {
	f.Add([]byte("hello\r\nSSH-2.0-x\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		conn := replayConn{read: bytes.NewReader(text)}
		line, again, err := readGreeting(conn)
		if err != nil {
			return
		}
		if rest, _ := io.ReadAll(again); !strings.HasPrefix(line, "SSH-") || len(line) > maxGreeting || !bytes.Equal(rest, text) {
			t.Errorf("%q greets %q", text, line)
		}
	})
}
