package redact_test

import (
	"strings"
	"testing"
	"time"

	"exoshift/internal/redact"
)

// hostile are texts that begin a form again and again, or get near to its end.
func hostile() []string {
	key := "-----BEGIN RSA PRIVATE" + " KEY-----"
	return []string{
		"password=", "password=/", "secret:", "token=secret:", `password\\":\\"`, `password\\":\\"/`, "--token", "$2a$", "eyJ", "eyJabcdefgh.abcdefgh.",
		"-----begin ", key, key + "-----END CERTIFICATE-----", "://:", "://a:b@", "EXO", "sig=", "sk-",
	}
}

// A file of which each place begins a secret takes seconds, not hours. The bound is far above what is needed: what is
// quadratic is far above it.
func TestAHostileFileIsRedactedInTimeLikeAnyOther(t *testing.T) {
	const size, bound = 64 << 10, 20 * time.Second
	for _, pattern := range hostile() {
		began := time.Now()
		redacted(t, redact.New(), strings.Repeat(pattern, size/len(pattern)))
		if took := time.Since(began); took > bound {
			t.Errorf("64 kB of %q take %v", pattern, took)
		}
	}
}
