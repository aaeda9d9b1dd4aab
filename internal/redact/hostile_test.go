package redact_test

import (
	"strings"
	"testing"
	"time"

	"exoshift/internal/redact"
)

// hostile returns texts that repeat the beginning of a pattern, or almost match it.
func hostile() []string {
	key := "-----BEGIN RSA PRIVATE" + " KEY-----"
	return []string{
		"password=", "password=/", "secret:", "token=secret:", `password\\":\\"`, `password\\":\\"/`, "--token", "$2a$", "eyJ", "eyJabcdefgh.abcdefgh.",
		"-----begin ", key, key + "-----END CERTIFICATE-----", "://:", "://a:b@", "EXO", "sig=", "sk-",
	}
}

// A file in which each position begins a match takes seconds, not hours. The limit is generous, but quadratic time exceeds it.
func TestRedact_HostileFileInTime(t *testing.T) {
	const size, bound = 64 << 10, 20 * time.Second
	for _, pattern := range hostile() {
		began := time.Now()
		redacted(t, redact.New(), strings.Repeat(pattern, size/len(pattern)))
		if took := time.Since(began); took > bound {
			t.Errorf("64 kB of %q take %v", pattern, took)
		}
	}
}
