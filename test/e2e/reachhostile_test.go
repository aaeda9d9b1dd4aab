package e2e

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestCheck_HostileServersAreLimited(t *testing.T) {
	l, ok := newLab(t, "body.example.net A 203.0.113.10", "headers.example.net A 203.0.113.11", "drip.example.net A 203.0.113.12",
		"noise.example.net A 203.0.113.13", "bomb.example.net A 203.0.113.14", "escape.example.net A 203.0.113.15")
	if !ok {
		return
	}
	l.web("body.example.net", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { pour(w, "<html>") }))
	l.talk("headers.example.net", "80", func(conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
		pour(conn, "X-Filler: "+strings.Repeat("x", 1000)+"\r\n")
	})
	l.talk("drip.example.net", "80", func(conn net.Conn) {
		_, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\nX-Slow: ")
		for err == nil {
			wait(100 * time.Millisecond)
			_, err = io.WriteString(conn, "x")
		}
	})
	l.talk("noise.example.net", "80", func(conn net.Conn) { pour(conn, "\x00\x1b[2J\xff\r\n") })
	l.web("bomb.example.net", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.WriteHeader(http.StatusUnauthorized)
		pour(w, "\x1f\x8b\x08\x00")
	}))
	l.talk("escape.example.net", "80", func(conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 599 \x1b]0;owned\x07\x1b[31mred\r\nContent-Length: 0\r\n\r\n")
	})
	began := time.Now()
	l.ask(map[string]asked{
		"endless body":      {url: "https://body.example.net/", want: "ok - ++++"},
		"headers for ever":  {url: "http://headers.example.net/", want: "fail malformed ++-x"},
		"drop by drop":      {url: "http://drip.example.net/", want: "fail http-timeout ++-x"},
		"noise":             {url: "http://noise.example.net/", want: "fail malformed ++-x"},
		"packed for ever":   {url: "https://bomb.example.net/", want: "ok http-401 ++++"},
		"control codes":     {url: "http://escape.example.net/", want: "fail http-5xx ++-x"},
		"registry of noise": {url: "registry://body.example.net", want: "fail block-page +++x"},
	})
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("it took %s", took)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if memory.Sys > 200<<20 {
		t.Errorf("it took %d MB", memory.Sys>>20)
	}
}

// pour writes the same for ever, or at least for a gigabyte.
func pour(w io.Writer, piece string) {
	block := []byte(strings.Repeat(piece, 1+64<<10/len(piece)))
	for written := 0; written < 1<<30; written += len(block) {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
	_, _ = fmt.Fprint(w, "the end")
}
