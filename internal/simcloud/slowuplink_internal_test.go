package simcloud

import (
	"bytes"
	"io"
	"testing"
	"time"
)

// A client waits a minute for the response once it has sent everything, and a connection holds some of the body.
func TestSlowBody_ReadsAtOnceWhatIsInFlight(t *testing.T) {
	const size = 1 << 20
	content := bytes.NewReader(make([]byte, size))
	var slept time.Duration
	lastPause := size
	body := &slowBody{ReadCloser: io.NopCloser(content), left: size - inFlight, perByte: time.Millisecond, sleep: func(d time.Duration) error {
		if d > 0 {
			slept, lastPause = slept+d, content.Len()
		}
		return nil
	}}
	if n, err := io.Copy(io.Discard, body); n != size || err != nil {
		t.Fatal(n, err)
	}
	if lastPause < 128<<10+16<<10 { // two windows of the network, and a TLS record
		t.Errorf("it paused when %d bytes were left", lastPause)
	}
	if least := size / 2 * time.Millisecond; slept < least {
		t.Errorf("it took %s, want at least %s", slept, least)
	}
}
