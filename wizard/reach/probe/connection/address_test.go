package connection

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseTarget_Forms(t *testing.T) {
	for text, want := range map[string]string{
		"https://Quay.IO":                        "quay.io:443",
		"https://quay.io./v2/":                   "quay.io:443",
		"http://quay.io":                         "quay.io:80",
		"https://me:secret@quay.io:8443/?a=b":    "quay.io:8443",
		"tcp://10.0.0.1:22":                      "10.0.0.1:22",
		"tcp://[2001:db8::1]:22":                 "[2001:db8::1]:22",
		"tcp://[::ffff:10.0.0.1]:22":             "10.0.0.1:22",
		"tls://under_score.example.com":          "under_score.example.com:443",
		"https://bücher.example":                 "xn--bcher-kva.example:443",
		"tcp://quay.io":                          "",
		"tcp://quay.io:0":                        "",
		"tcp://quay.io:65536":                    "",
		"https://quay.io:https/":                 "",
		"https://":                               "",
		"https:quay.io":                          "",
		"quay.io":                                "",
		"":                                       "",
		"gopher://quay.io":                       "",
		"https://qu ay.io":                       "",
		"https://quay..io":                       "",
		"https://quay.io\x00.example":            "",
		"https://%1b[2J.example":                 "",
		"https://" + strings.Repeat("a", 64):     "",
		"https://" + strings.Repeat("a.", 200):   "",
		"https://x/" + strings.Repeat("a", 4000): "",
	} {
		got, err := ParseTarget(text, testPort)
		if (err == nil) != (want != "") || err == nil && got.Address() != want {
			t.Errorf("%.60q is %q, %v, want %q", text, got.Address(), err, want)
		}
		if err == nil && strings.Contains(got.URL.String(), "secret") {
			t.Errorf("%s keeps the password", got.URL)
		}
	}
}

func FuzzParseTarget(f *testing.F) {
	f.Add("https://me:secret@quay.io:443/v2/?a#b")
	f.Add("tcp://[fe80::1%25eth0]:22")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseTarget(text, testPort)
		if err != nil {
			return
		}
		again, err := ParseTarget(got.URL.String(), testPort)
		if err != nil || again.Address() != got.Address() || got.URL.User != nil {
			t.Errorf("%q is %q, again %q, %v", text, got.URL, again.Address(), err)
		}
		if strings.ContainsFunc(got.Address(), func(r rune) bool { return r <= ' ' || r >= utf8.RuneSelf }) {
			t.Errorf("%q leads to %q", text, got.Address())
		}
	})
}

func testPort(scheme string) (port string, known bool) {
	ports := map[string]string{"https": "443", "http": "80", "tls": "443", "ssh": "22", "ntp": "123", "dns": "53", "tcp": "", "registry": "443", "closed": "", "zone": "53"}
	port, known = ports[scheme]
	return port, known
}
