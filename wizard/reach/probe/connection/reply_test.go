package connection

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

type counted struct {
	io.Reader
	read int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.read += int64(n)
	return n, err
}

func FuzzReceive(f *testing.F) {
	for _, seed := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 401 \r\nWWW-Authenticate: Bearer\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nTrailer: x\r\n\r\n", "HTTP/0.9", "SSH-2.0-x\r\n",
	} {
		f.Add(seed, uint8(1))
	}
	f.Fuzz(func(t *testing.T, text string, times uint8) {
		const limit = 1000
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://a.example.org", nil)
		if err != nil {
			t.Fatal(err)
		}
		from := &counted{Reader: strings.NewReader(strings.Repeat(text, int(times)))}
		r, err := receiveReply(from, request, limit)
		if from.read > 5*limit+2*maxHeader || int64(len(r.Body)) > limit {
			t.Errorf("read %d bytes, kept %d", from.read, len(r.Body))
		}
		if err == nil && (r.Status < 200 || r.Header == nil) {
			t.Errorf("answer %+v", r)
		}
	})
}

func FuzzServerClock(f *testing.F) {
	f.Add("Thu, 01 Jan 2026 00:00:00 GMT", "10")
	f.Fuzz(func(t *testing.T, date, age string) {
		now, known := parseServerTime(http.Header{"Date": {date}, "Age": {age}})
		if known && (now.Year() < -1 || now.Year() > 10100) {
			t.Errorf("%q and %q are %s", date, age, now.Format(time.RFC3339))
		}
	})
}
