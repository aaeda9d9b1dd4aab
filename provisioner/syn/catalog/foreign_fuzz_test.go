package catalog

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/memory"
	"golang.org/x/crypto/ssh"

	"exoshift/internal/fault"
)

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// gitLab responds to each request by the end of its path.
type gitLab struct {
	status int
	bodies map[string][]byte
}

func (g gitLab) RoundTrip(request *http.Request) (*http.Response, error) {
	name := request.URL.Path[strings.LastIndex(request.URL.Path, "/")+1:]
	return &http.Response{StatusCode: g.status, Body: io.NopCloser(bytes.NewReader(g.bodies[name])), Request: request, Header: http.Header{}}, nil
}

// FuzzGitLab decodes responses about pipelines, of GitLab or a proxy.
func FuzzGitLab(f *testing.F) {
	for _, seed := range []string{
		`{"id": 7, "default_branch": "master", "jobs_enabled": true}`, `[{"id": 9, "sha": "a", "status": "failed", "web_url": "https://x"}, {"id": 3}]`,
		`[{"id": 1, "name": "compile", "status": "failed", "failure_reason": "script_failure", "downstream_pipeline": {"id": 2, "project_id": 7}}]`,
		"2026-05-04T14:02:00Z 01O+ \x1b[31mERROR: missing fact 'region'\x1b[0m\nsection_end:1:a\r", "<html>", "", "null", "[null]", `[{"id": -1}]`,
	} {
		for _, status := range []int{http.StatusOK, http.StatusFound, http.StatusUnauthorized, http.StatusBadGateway} {
			f.Add(status, []byte(seed), []byte(seed), []byte(seed), []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, status int, settings, pipelines, jobs, trace []byte) {
		const token = "very-secret-token"
		p := &project{repo: repoURL{scheme: overHTTPS, host: "git.example.net", path: "/a/b.git"}, token: token, client: &http.Client{Transport: gitLab{
			status: 200 + int(uint(status)%400),
			bodies: map[string][]byte{"b": settings, "pipelines": pipelines, "jobs": jobs, "bridges": jobs, "trace": trace},
		}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
		ready := p.checkPipelines(t.Context())
		newest, found, err := p.findPipeline(t.Context(), "")
		all, second := p.listJobs(t.Context(), newest.ID)
		end, third := p.readTrace(t.Context(), 1)
		for _, err := range []error{ready, err, second, third} {
			if err != nil && (err.Error() == "" || strings.Contains(err.Error()+fault.HintOf(err), token) || strings.ContainsFunc(err.Error(), unprintable)) {
				t.Fatalf("it is told as %q", err)
			}
		}
		if err != nil && found || !found && newest != (pipeline{}) {
			t.Fatalf("%+v, %t, %v", newest, found, err)
		}
		if second != nil && len(all) > 0 && !fault.Is(second, fault.NotFound) && all == nil || len(all) > 2*maxPages*perPage {
			t.Fatalf("%d jobs, %v", len(all), second)
		}
		why := extractReason(end)
		if len(end) > 2*keptTrace || len(why) > maxReason+len("…") || strings.ContainsFunc(why, func(r rune) bool { return r != '\n' && unprintable(r) }) {
			t.Fatalf("%q is told as %q", trace, why)
		}
		if fact := findMissingFact(why); fact != "" && !strings.Contains(why, fact) {
			t.Fatalf("%q is not in %q", fact, why)
		}
	})
}

// FuzzKnownHosts parses known_hosts lines of Lieutenant and of the person.
func FuzzKnownHosts(f *testing.F) {
	for _, seed := range []string{
		"git.example.net " + shippedKey, "*.example.net,!git.example.net " + shippedKey, "|1|YQ==|YQ== " + shippedKey + "\n@revoked * " + shippedKey,
		"@cert-authority * " + shippedKey, "[git.example.net]:2222 " + anotherKey + " me\r\n", "# a\n\n", "git.example.net ssh-rsa AAAA", "\xff", "*" + strings.Repeat("*?", 30) + " " + shippedKey,
	} {
		f.Add([]byte(seed), "git.example.net:22")
		f.Add([]byte(seed), "[::1]:2222")
	}
	f.Fuzz(func(t *testing.T, content []byte, address string) {
		found, err := parseKnownHosts(content, "a list", address)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(content), revoked) && len(found.revoked) > 0 {
			t.Fatalf("%q revokes a key", content)
		}
		for _, key := range found.revoked {
			if err := found.check("", nil, key); !fault.Is(err, fault.Denied) {
				t.Fatalf("a key that was revoked is accepted: %v", err)
			}
		}
		for _, key := range found.keys {
			gone := slices.ContainsFunc(found.revoked, func(other ssh.PublicKey) bool { return bytes.Equal(other.Marshal(), key.Marshal()) })
			if err := found.check("", nil, key); (err == nil) == gone {
				t.Fatalf("a key that is in the list is refused: %v", err)
			}
		}
		if len(found.listAlgorithms()) < len(found.keys) {
			t.Fatalf("%d keys, and %q", len(found.keys), found.listAlgorithms())
		}
		stranger, _, _, _, err := ssh.ParseAuthorizedKey([]byte(anotherKey))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(content, []byte("AAAA")) && found.check("", nil, stranger) == nil {
			t.Fatalf("%q makes a stranger known", content)
		}
	})
}

// FuzzPlaceOf parses the repository URLs that Lieutenant returns.
func FuzzPlaceOf(f *testing.F) {
	for _, seed := range []string{
		"ssh://git@git.example.net:2222/a/b.git", "git@git.example.net:a/b.git", "https://u:very-secret-value@git.example.net/a/", "https://[::1]/a", "https://[fe80::1%25eth0]/a",
		"ssh://-oProxyCommand=x/a", "ssh://git@h/%0areboot", "https://h:99999999999999999999/a", "https://h/a/../b", "https://h/a//", "http://h/a", "https://\xff/a", "ssh://h/-a", "https://h:0/a", "ssh://::/0", "",
	} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, address string, token bool) {
		const password = "very-secret-value"
		if p, err := parseRepoURL("https://u:"+password+"@"+address, token); strings.Contains(p.String(), password) || err != nil && strings.Contains(err.Error(), password) {
			if !strings.Contains(address, password) {
				t.Fatalf("%q is told as %q, %v", address, p, err)
			}
		}
		p, err := parseRepoURL(address, token)
		if err != nil {
			if strings.ContainsFunc(err.Error(), unprintable) {
				t.Fatalf("%q is told as %q", address, err)
			}
			return
		}
		text := p.String()
		again, err := parseRepoURL(text, false)
		if err != nil || again.String() != text || again.sshAddress() != p.sshAddress() || again.projectPath() != p.projectPath() {
			t.Fatalf("%q is told as %q, which is %q: %v", address, text, again, err)
		}
		if token && p.scheme != overHTTPS || strings.ContainsFunc(p.user+p.host+p.path, unprintable) || strings.HasPrefix(p.sshUser(), "-") || p.port > 65535 {
			t.Fatalf("%q is %+v", address, p)
		}
	})
}

// FuzzUnpack unpacks a Git pack, which may be made to exhaust the memory.
func FuzzUnpack(f *testing.F) {
	var pack bytes.Buffer
	objects := memory.NewStorage()
	blob := &plumbing.MemoryObject{}
	blob.SetType(plumbing.BlobObject)
	if _, err := blob.Write([]byte(strings.Repeat("parameters: {}\n", 9))); err != nil {
		f.Fatal(err)
	}
	hash, err := objects.SetEncodedObject(blob)
	if err != nil {
		f.Fatal(err)
	}
	if _, err := packfile.NewEncoder(&pack, objects, false).Encode([]plumbing.Hash{hash}, 0); err != nil {
		f.Fatal(err)
	}
	f.Add(pack.Bytes())
	f.Add([]byte("PACK\x00\x00\x00\x02\xff\xff\xff\xff"))
	f.Add([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01\x74aaaaaaaaaaaaaaaaaaaax\x9c"))
	f.Add([]byte("<html>"))
	f.Fuzz(func(t *testing.T, content []byte) {
		into := memory.NewStorage()
		err := unpack(into, bytes.NewReader(content))
		total := int64(0)
		for _, object := range into.Objects {
			total += object.Size()
		}
		if total > maxUnpacked || len(into.Objects) > maxObjects || err != nil && err.Error() == "" {
			t.Fatalf("%d objects of %d bytes, %v", len(into.Objects), total, err)
		}
	})
}

// FuzzReference parses a catalog's reference to a secret.
func FuzzReference(f *testing.F) {
	right := "data: " + base64.StdEncoding.EncodeToString([]byte("a/b:key")) + "\nencoding: original\ntype: vaultkv\nvault_params: {mount: clusters/kv, engine: kv-v2}\n"
	for _, seed := range []string{right, "type: plain\n", "vault_params: {mount: \"\\e[2J\"}", "data: [", "", "null", "- &a [*a]", strings.Repeat("[", 200), "data: YQ==\n", "\xff", "vault_params: null\ndata: 1"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := t.TempDir()
		const name = "refs/a/b/key"
		if err := os.MkdirAll(filepath.Join(dir, "refs/a/b"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = root.Close() }()
		secret, wanted, err := readReference(root, name, "clusters/kv")
		switch {
		case err != nil && (wanted || strings.ContainsFunc(err.Error(), unprintable) || !strings.Contains(err.Error(), name)):
			t.Fatalf("%q is told as %q", content, err)
		case wanted && (secret.Path != "a/b" || secret.Key != "key"):
			t.Fatalf("%q leads to %+v", content, secret)
		}
	})
}
