package githost_test

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"exoshift/internal/simcloud/githost"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	gitobject "github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/memory"
)

// forgery is a set of objects that no client would create.
type forgery struct {
	*memory.Storage
	all []plumbing.Hash
}

func (f *forgery) add(t *testing.T, kind plumbing.ObjectType, data []byte) plumbing.Hash {
	t.Helper()
	o := &plumbing.MemoryObject{}
	o.SetType(kind)
	_, _ = o.Write(data) // into memory
	hash, err := f.SetEncodedObject(o)
	if err != nil {
		t.Fatal(err)
	}
	f.all = append(f.all, hash)
	return hash
}

// tree makes a tree with one entry.
func (f *forgery) tree(t *testing.T, name string, mode filemode.FileMode, hash plumbing.Hash) plumbing.Hash {
	t.Helper()
	return f.add(t, plumbing.TreeObject, fmt.Appendf(nil, "%o %s\x00%s", uint32(mode), name, hash[:]))
}

func (f *forgery) commit(t *testing.T, tree plumbing.Hash, parents ...plumbing.Hash) plumbing.Hash {
	t.Helper()
	o := &plumbing.MemoryObject{}
	if err := (&gitobject.Commit{TreeHash: tree, ParentHashes: parents, Message: "m"}).Encode(o); err != nil {
		t.Fatal(err)
	}
	reader, _ := o.Reader() // of memory
	data, _ := io.ReadAll(reader)
	return f.add(t, plumbing.CommitObject, data)
}

func (f *forgery) pack(t *testing.T) []byte {
	t.Helper()
	var pack bytes.Buffer
	if _, err := packfile.NewEncoder(&pack, f, false).Encode(f.all, 0); err != nil {
		t.Fatal(err)
	}
	return pack.Bytes()
}

// push sends a pack and returns the host's output.
func (l *lab) push(t *testing.T, name string, tip plumbing.Hash, pack []byte) string {
	t.Helper()
	line := fmt.Sprintf("%v %v %s\x00report-status side-band-64k", plumbing.ZeroHash, tip, name)
	body := append(fmt.Appendf(nil, "%04x%s0000", len(line)+4, line), pack...)
	url := l.url + "/" + getProject + ".git/git-receive-pack"
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultTransport.RoundTrip(authorized(request))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// authorized moves the URL's credentials into the header.
func authorized(r *http.Request) *http.Request {
	password, _ := r.URL.User.Password()
	r.SetBasicAuth("oauth2", password)
	return r
}

func TestPush_RefusesHostileTree(t *testing.T) {
	l := open(t, githost.Config{})
	l.create(t, getProject)
	for name, forge := range map[string]func(*forgery) plumbing.Hash{
		"a file above the root": func(f *forgery) plumbing.Hash {
			blob := f.add(t, plumbing.BlobObject, []byte("x"))
			return f.commit(t, f.tree(t, "..", filemode.Dir, f.tree(t, "x", filemode.Regular, blob)))
		},
		"a slash in a name": func(f *forgery) plumbing.Hash {
			return f.commit(t, f.tree(t, "../../x", filemode.Regular, f.add(t, plumbing.BlobObject, []byte("x"))))
		},
		"Git's own folder": func(f *forgery) plumbing.Hash {
			blob := f.add(t, plumbing.BlobObject, []byte("x"))
			return f.commit(t, f.tree(t, ".GIT", filemode.Dir, f.tree(t, "config", filemode.Regular, blob)))
		},
		"a parent that is missing": func(f *forgery) plumbing.Hash {
			return f.commit(t, f.tree(t, "x", filemode.Regular, f.add(t, plumbing.BlobObject, []byte("x"))), plumbing.NewHash(strings.Repeat("ab", 20)))
		},
		"a file that is missing": func(f *forgery) plumbing.Hash {
			return f.commit(t, f.tree(t, "x", filemode.Regular, plumbing.NewHash(strings.Repeat("ab", 20))))
		},
		"a broken tree": func(f *forgery) plumbing.Hash {
			return f.commit(t, f.add(t, plumbing.TreeObject, []byte("100644 x\x00short")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			forged := &forgery{Storage: memory.NewStorage()}
			tip := forge(forged)
			if text := l.push(t, "refs/heads/master", tip, forged.pack(t)); !strings.Contains(text, "ng refs/heads/master") {
				t.Errorf("the host says %q", text)
			}
			if files, _, err := l.ReadFiles(getProject); err != nil || len(files) > 0 {
				t.Errorf("it has %v, %v", files, err)
			}
		})
	}
}

func TestPush_RefusesOtherReferences(t *testing.T) {
	l := open(t, githost.Config{})
	l.create(t, getProject)
	forged := &forgery{Storage: memory.NewStorage()}
	tip := forged.commit(t, forged.tree(t, "x", filemode.Regular, forged.add(t, plumbing.BlobObject, []byte("x"))))
	for _, name := range []string{"HEAD", "refs/heads/../../x", "refs/pipelines/1", "refs/heads/x.lock", "refs/heads/-x"} {
		if text := l.push(t, name, tip, forged.pack(t)); !strings.Contains(text, "pre-receive hook declined") {
			t.Errorf("%s: the host says %q", name, text)
		}
	}
	if text := l.push(t, "refs/heads/x", tip, forged.pack(t)); !strings.Contains(text, "ok refs/heads/x") {
		t.Errorf("an ordinary one: the host says %q", text)
	}
}

// bomb is a pack of one object with a declared and an unpacked size.
func bomb(t *testing.T, declared uint64, unpacked int) []byte {
	t.Helper()
	var pack bytes.Buffer
	pack.WriteString("PACK")
	_ = binary.Write(&pack, binary.BigEndian, []uint32{2, 1}) // into memory
	first, rest := byte(3<<4)|byte(declared&15), declared>>4
	for ; rest > 0; rest >>= 7 {
		pack.WriteByte(first | 0x80)
		first = byte(rest & 0x7f)
	}
	pack.WriteByte(first)
	deflate := zlib.NewWriter(&pack)
	_, _ = deflate.Write(make([]byte, unpacked))
	_ = deflate.Close()
	sum := sha1.Sum(pack.Bytes())
	return append(pack.Bytes(), sum[:]...)
}

func TestPush_RefusesOversizedPack(t *testing.T) {
	l := open(t, githost.Config{})
	l.create(t, getProject)
	for name, pack := range map[string][]byte{
		"it says so":          bomb(t, 1<<40, 10),
		"it does not say so":  bomb(t, 10, 8<<20),
		"it is not complete":  bomb(t, 10, 10)[:20],
		"it is no pack":       []byte("nothing"),
		"it is far too large": append([]byte("PACK\x00\x00\x00\x02\xff\xff\xff\xff"), make([]byte, 1<<16)...),
	} {
		if text := l.push(t, "refs/heads/master", plumbing.NewHash(strings.Repeat("ab", 20)), pack); !strings.Contains(text, "unpack index-pack abnormal exit") {
			t.Errorf("%s: the host says %q", name, text)
		}
	}
}

func TestPush_RefusesTreeBomb(t *testing.T) {
	l := open(t, githost.Config{})
	l.create(t, getProject)
	forged := &forgery{Storage: memory.NewStorage()}
	below, mode := forged.add(t, plumbing.BlobObject, []byte("x")), filemode.Regular
	for range 12 {
		var data []byte
		for name := 'a'; name < 'k'; name++ {
			data = fmt.Appendf(data, "%o %c\x00%s", uint32(mode), name, below[:])
		}
		below, mode = forged.add(t, plumbing.TreeObject, data), filemode.Dir
	}
	if text := l.push(t, "refs/heads/master", forged.commit(t, below), forged.pack(t)); !strings.Contains(text, "ok refs/heads/master") {
		t.Fatalf("Git accepts it, and the host says %q", text)
	}
	if files, _, err := l.ReadFiles(getProject); err == nil {
		t.Errorf("%d files were read", len(files))
	}
}
