package probe

import (
	"context"
	"encoding/binary"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/beevik/ntp"

	"exoshift/wizard/reach"
)

// timeServer is a time server of stratum 2 whose clock is ahead of ours; spoil changes its answer. It runs in a synctest
// bubble, where an answer takes no time.
func timeServer(ahead time.Duration, spoil func([]byte) []byte) net.Conn {
	conn, server := net.Pipe()
	go func() {
		defer func() { _ = server.Close() }()
		for request := make([]byte, 512); ; {
			n, err := server.Read(request)
			if err != nil {
				return
			}
			if answer := spoil(timeAnswer(request[:n], time.Now().Add(ahead))); answer != nil {
				_, _ = server.Write(answer)
			}
		}
	}()
	return conn
}

func timeAnswer(request []byte, now time.Time) []byte {
	answer := make([]byte, 48)
	answer[0], answer[1], answer[2], answer[3] = 4<<3|4, 2, 6, 0xec
	copy(answer[12:], []byte{192, 0, 2, 1})
	stamp := uint64(now.Unix()+2208988800)<<32 | uint64(now.Nanosecond())<<32/1_000_000_000
	copy(answer[24:32], request[40:48])
	for _, at := range []int{16, 32, 40} {
		binary.BigEndian.PutUint64(answer[at:], stamp)
	}
	return answer
}

func TestQueryNTP_ValidatesAnswer(t *testing.T) {
	good := func(b []byte) []byte { return b }
	set := func(at int, value byte) func([]byte) []byte {
		return func(b []byte) []byte { b[at] = value; return b }
	}
	kiss := func(code string) func([]byte) []byte {
		return func(b []byte) []byte { b[1] = 0; copy(b[12:16], code); return b }
	}
	for name, c := range map[string]struct {
		ahead    time.Duration
		spoil    func([]byte) []byte
		class    reach.Class
		degraded bool
		says     string
	}{
		"right":            {0, good, "", false, ""},
		"ours is behind":   {3 * time.Second, good, reach.ClockSkew, true, "off by -3"},
		"ours is ahead":    {-3 * time.Second, good, reach.ClockSkew, true, "off by 3"},
		"nearly right":     {900 * time.Millisecond, good, "", false, ""},
		"far off":          {-6 * time.Minute, good, reach.ClockSkew, false, "off by 6m"},
		"a year off":       {365 * 24 * time.Hour, good, reach.ClockSkew, false, "off by -8760h"},
		"asked too often":  {0, kiss("RATE"), reach.Unexpected, false, "rate-limited"},
		"not for us":       {0, kiss("DENY"), reach.Unexpected, false, "does not serve this client"},
		"hostile kiss":     {0, kiss("\x1b[2J"), reach.Unexpected, false, "refused by"},
		"stratum 16":       {0, set(1, 16), reach.Unexpected, false, "not synchronized"},
		"not synchronised": {0, set(0, 0xc0|4<<3|4), reach.Unexpected, false, "not synchronized"},
		"large dispersion": {0, set(8, 0xff), reach.Unexpected, false, "invalid NTP response"},
		"off by a second":  {1100 * time.Millisecond, good, reach.ClockSkew, true, "off by"},
	} {
		t.Run(name, func(t *testing.T) {
			var answer *ntp.Response
			synctest.Test(t, func(t *testing.T) {
				var err error
				answer, err = queryNTP(t.Context(), timeServer(c.ahead, c.spoil), time.Second, time.Now)
				must(t, err)
			})
			class, degraded, err := checkTime(answer)
			if class != c.class || degraded != c.degraded {
				t.Errorf("class %q, degraded %v", class, degraded)
			}
			if text := errorText(err); !strings.Contains(text, c.says) || strings.ContainsRune(text, 0x1b) {
				t.Errorf("says %q", text)
			}
		})
	}
}

func TestQueryNTP_RefusesGarbage(t *testing.T) {
	for name, spoil := range map[string]func([]byte) []byte{
		"short":           func(b []byte) []byte { return b[:20] },
		"not our request": func(b []byte) []byte { b[24] ^= 0xff; return b },
		"a client's mode": func(b []byte) []byte { b[0] = 4<<3 | 3; return b },
		"no time":         func(b []byte) []byte { clear(b[40:]); return b },
		"text":            func([]byte) []byte { return []byte(strings.Repeat("go away ", 60)) },
	} {
		synctest.Test(t, func(t *testing.T) {
			if answer, err := queryNTP(t.Context(), timeServer(0, spoil), time.Second, time.Now); err == nil {
				t.Errorf("%s: %v", name, answer)
			}
		})
	}
}

func TestQueryNTP_EndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		began, conn := time.Now(), timeServer(0, func([]byte) []byte { return nil })
		if _, err := queryNTP(ctx, conn, time.Hour, time.Now); err == nil || time.Since(began) != 20*time.Millisecond {
			t.Errorf("it ended with %v after %s", err, time.Since(began))
		}
	})
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
