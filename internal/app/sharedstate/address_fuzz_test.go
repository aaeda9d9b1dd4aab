package sharedstate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/sharedstate"
)

// FuzzAddress: an address is of exactly one kind, has no credentials in it, and is never spoken to without TLS.
func FuzzAddress(f *testing.F) {
	for _, seed := range []string{
		"", ".", "/var/lib/state", "file:///var/lib/state", "file://host/x", "file:x", "s3://bucket/team?endpoint=https://sos-ch-gva-2.exo.io", "s3://bucket?endpoint=http://a",
		"s3://key:secret@bucket?endpoint=https://a", "s3:///x?endpoint=https://a", "s3://b/../c?endpoint=https://a/b&region=x&y=z", "https://a", "%zz", "s3://b?endpoint=https://a:443%0a",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, err := sharedstate.ParseAddress(text)
		if err != nil {
			if exit.Code(err) != exit.Usage {
				t.Fatalf("%q: exit code %d: %v", text, exit.Code(err), err)
			}
			return
		}
		kinds := 0
		for _, is := range []bool{at.Folders != "", at.Directory != "", at.Bucket.Bucket != ""} {
			if is {
				kinds++
			}
		}
		switch {
		case kinds != 1 || at.IsShared() != (at.Folders == ""):
			t.Fatalf("%q is %+v", text, at)
		case at.Bucket.Key+at.Bucket.Secret != "":
			t.Fatalf("%q has credentials", text)
		case at.Bucket.Bucket != "" && (at.Bucket.Endpoint == "" || strings.Contains(at.Bucket.Endpoint, "/")):
			t.Fatalf("%q is at the host %q", text, at.Bucket.Endpoint)
		case at.Bucket.Prefix != "" && !strings.HasSuffix(at.Bucket.Prefix, "/"):
			t.Fatalf("%q has the prefix %q", text, at.Bucket.Prefix)
		}
	})
}

// FuzzIdentity: whatever the file holds, there is an identity or a usage error, and the error does not quote the file.
func FuzzIdentity(f *testing.F) {
	const secret = "AGE-SECRET-KEY-1QQPQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ"
	for _, seed := range []string{"", "# created: now\n" + secret, secret + "\n" + secret, "-----BEGIN OPENSSH PRIVATE KEY-----\n" + secret, "-----BEGIN", "\ufeff" + secret, "\xff", "age1"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "identity")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		found, err := sharedstate.ReadIdentities(func(string) (string, bool) { return path, true })
		if (len(found) > 0) == (err != nil) {
			t.Fatalf("%q: %d identities, %v", content, len(found), err)
		}
		if err != nil && (exit.Code(err) != exit.Usage || strings.Contains(err.Error(), "AGE-SECRET-KEY")) {
			t.Fatalf("exit code %d: %v", exit.Code(err), err)
		}
	})
}
