package standingzone

import (
	"testing"
)

func TestFormatExports_QuotesForShell(t *testing.T) {
	got := string(formatExports([]variable{{name: "A", value: "http://127.0.0.1:1"}, {name: "B"}, {name: "C", value: `it's {"x"}`}}))
	if want := "export A=http://127.0.0.1:1\nexport B=''\nexport C='it'\"'\"'s {\"x\"}'\n"; got != want {
		t.Errorf("got %s", got)
	}
}

func TestCheckLoopback_LoopbackOnly(t *testing.T) {
	for address, ok := range map[string]bool{
		"127.0.0.1:0": true, "127.1.2.3:8080": true, "[::1]:80": true,
		":8080": false, "0.0.0.0:80": false, "192.0.2.1:80": false, "[::]:80": false, "example.net:80": false, "127.0.0.1": false,
	} {
		if err := checkLoopback(address); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
	}
}
