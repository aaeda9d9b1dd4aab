package kubelet

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

func TestSkipProxyHeader_BothVersions(t *testing.T) {
	for what, header := range map[string]string{
		"version 1": "PROXY TCP4 192.0.2.10 198.18.0.24 40000 443\r\n",
		"version 2": "\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c" + "\xc0\x00\x02\x0a\xc6\x12\x00\x18\x9c\x40\x01\xbb",
	} {
		reader := bufio.NewReader(strings.NewReader(header + "rest"))
		if err := skipProxyHeader(reader); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if rest, _ := io.ReadAll(reader); string(rest) != "rest" {
			t.Errorf("%s leaves %q", what, rest)
		}
	}
	if err := skipProxyHeader(bufio.NewReader(strings.NewReader("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))); err == nil {
		t.Error("a request without a header was taken")
	}
}
