package bundle_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exoshift/internal/bundle"
	"exoshift/internal/redact"
	"exoshift/state"
)

// Secrets of a folder, and the files that hold them.
const (
	admin    = "aB3dE-fG4hI-jK5lM-nO6pQ"
	apiKey   = "EXO0123456789abcdef01234567"
	typed    = "aQ7-what-was-typed-for-an-interview"
	apiWord  = "oDs_5YtV9-secret-of-the-driver"
	password = "tree-77-lamp"
	keyLine  = "MIIEowIBAAKCAQEAq7BFUpkGp3+LQmlQYx2eqzDV+xeG8kx/sQFV18S5JhzGeIJN"
	link     = "d41d8cd98f00b204e9800998ecf8427ed41d8cd98f00b204e9800998ecf8427e"
)

func auth() string { return base64.StdEncoding.EncodeToString([]byte("support:" + password)) }

func secretFiles() map[string]string {
	encoded := base64.StdEncoding.EncodeToString
	key := "-----BEGIN RSA PRIVATE" + " KEY-----\n" + keyLine + "\n-----END RSA PRIVATE" + " KEY-----\n"
	return map[string]string{
		"openshift/auth/kubeadmin-password":       admin,
		"openshift/auth/kubeconfig":               "users: [{name: admin, user: {client-key-data: " + encoded([]byte(key)) + "}}]\n",
		"openshift/.openshift_install_state.json": `{"pull":"{\"auths\":{\"quay.io\":{\"auth\":\"` + auth() + `\"}}}"}`,
		"openshift/bootstrap.ign":                 `{"source":"data:;base64,` + encoded([]byte(key)) + `"}`,
		"secrets/exoscale.apiSecret":              typed + "\n",
		"api-keys/driver.json":                    `{"key":"` + apiKey + `","secret":"` + apiWord + `"}`,
		"user-data/bootstrap":                     `{"source":"https://sos.exo.io/b?X-Amz-Signature=` + link + `"}`,
	}
}

func folderWith(t *testing.T, files map[string]string) state.Folder {
	t.Helper()
	folder, err := state.Create(filepath.Join(t.TempDir(), "cluster"))
	if err != nil {
		t.Fatal(err)
	}
	for _, all := range []map[string]string{secretFiles(), files} {
		for name, content := range all {
			if err := folder.Write(name, []byte(content)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return folder
}

func pack(t *testing.T, folder state.Folder) bundle.Bundle {
	t.Helper()
	r := redact.New()
	r.AddIdentity(redact.Cluster, "c-demo-1")
	r.AddIdentity(redact.Domain, "example.net")
	made, err := bundle.Pack(folder, bundle.Origin{}, r)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func unpacked(t *testing.T, archive []byte) map[string]string {
	t.Helper()
	plain, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for reader := tar.NewReader(plain); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(header.Name, "exoshift-bundle/")] = string(content)
	}
}

// disguises returns the encodings in which a secret may occur in a file.
func disguises(secret string) map[string]string {
	encoded := base64.StdEncoding.EncodeToString
	quoted, _ := json.Marshal(map[string]string{"text": "because of " + secret}) // always encodes
	nested, _ := json.Marshal(map[string]string{"text": string(quoted)})
	return map[string]string{
		"plain": secret, "in a sentence": "it says: " + secret + ".", "JSON": string(quoted), "JSON in JSON": string(nested),
		"base64": encoded([]byte(secret)), "base64 of JSON": encoded(quoted), "base64 twice": encoded([]byte(encoded([]byte(secret)))),
		"base64 URL": base64.RawURLEncoding.EncodeToString([]byte("~" + secret)), "hex": hex.EncodeToString([]byte(secret)),
		"a query": "https://x.example.com/?q=" + url.QueryEscape(secret), "a URL": "https://bob:" + url.PathEscape(secret) + "@x.example.com/",
	}
}

func TestPack_HasNoSecrets(t *testing.T) {
	secrets := []string{admin, apiKey, apiWord, typed, password, auth(), keyLine, link}
	var lines strings.Builder
	for _, secret := range secrets {
		for _, disguise := range disguises(secret) {
			fmt.Fprintln(&lines, disguise)
		}
	}
	found := map[string]string{}
	for _, name := range []string{
		"answers.yaml", "facts.json", "journal.jsonl", "events.jsonl", "installer.log", "destroy.jsonl", "inventory.json",
		"gathered/20260504T145931Z/cluster/nodes.jsonl", "gathered/20260504T145931Z/index.json",
	} {
		found[name] = lines.String()
	}
	files := unpacked(t, pack(t, folderWith(t, found)).Archive)
	for name := range found {
		if _, there := files[name]; !there {
			t.Errorf("%s is missing", name)
		}
	}
	for name, content := range files {
		for _, secret := range secrets {
			for disguise, text := range disguises(secret) {
				core := strings.Trim(text, "=")
				if strings.Contains(content, secret) || strings.Contains(content, core) {
					t.Errorf("%s: %s as %s", name, secret, disguise)
				}
			}
		}
	}
}

func TestPack_RelevantFilesOnly(t *testing.T) {
	folder := folderWith(t, map[string]string{
		"answers.yaml": "kind: Cluster\n", "notes.txt": "mine", "bin/openshift-install": "program", "gathered/mine/notes": "mine",
		"gathered/20260504T145931Z/index.json": "{}", "openshift/metadata.json": "{}",
	})
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("not ours"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{
		"events.jsonl": outside, "gathered/20260504T145931Z/link": outside, "installer.log": "openshift/auth/kubeconfig",
	} {
		if err := os.Symlink(target, folder.Path(name)); err != nil {
			t.Fatal(err)
		}
	}
	files := unpacked(t, pack(t, folder).Archive)
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	if want := []string{"answers.yaml", "bundle.json", "gathered/20260504T145931Z/index.json"}; !slices.Equal(names, want) {
		t.Errorf("%v, not %v", names, want)
	}
}

func TestPack_IsDeterministic(t *testing.T) {
	folder := folderWith(t, map[string]string{
		"answers.yaml": "kind: Cluster\n", "events.jsonl": "203.0.113.5 api.c-demo-1.example.net " + admin + "\n",
	})
	first, second := pack(t, folder), pack(t, folder)
	if !bytes.Equal(first.Archive, second.Archive) {
		t.Error("two archives of one folder differ")
	}
}

func TestPack_ListsContentAndReplacements(t *testing.T) {
	made := pack(t, folderWith(t, map[string]string{
		"answers.yaml": "kind: Cluster\n", "events.jsonl": "203.0.113.5 203.0.113.5 " + admin + "\n",
	}))
	files := unpacked(t, made.Archive)
	var listed bundle.Bundle
	if err := json.Unmarshal([]byte(files["bundle.json"]), &listed); err != nil {
		t.Fatal(err)
	}
	for _, file := range listed.Files {
		if sum := sha256.Sum256([]byte(files[file.Name])); file.SHA256 != hex.EncodeToString(sum[:]) || file.Bytes != len(files[file.Name]) {
			t.Errorf("%+v", file)
		}
	}
	if events := listed.Files[1]; events.Secrets != 1 || events.Identities != 2 {
		t.Errorf("%+v", events)
	}
	if made.Meanings["ip-1"] != "203.0.113.5" || strings.Contains(fmt.Sprint(made.Meanings), admin) {
		t.Errorf("meanings: %v", made.Meanings)
	}
}

func TestPack_StopsOnUnreadableSecrets(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	folder := folderWith(t, map[string]string{"answers.yaml": "a\n"})
	if err := os.Chmod(folder.Path("openshift/auth/kubeconfig"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := bundle.Pack(folder, bundle.Origin{}, redact.New()); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%v", err)
	}
}

func TestCreate_OverwritesNothing(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	if err := bundle.Create(name, []byte("first")); err != nil {
		t.Fatal(err)
	}
	if err := bundle.Create(name, []byte("second")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v", err)
	}
	content, err := os.ReadFile(name)
	info, statErr := os.Stat(name)
	if err != nil || statErr != nil || string(content) != "first" || info.Mode() != 0o600 {
		t.Errorf("%s, %v, %v", content, info.Mode(), errors.Join(err, statErr))
	}
}
