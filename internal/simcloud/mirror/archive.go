package mirror

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
)

// paddingSize is the number of additional bytes in an archive, so that downloads can be interrupted and resumed.
const paddingSize = 2 << 20

type cache struct {
	mu      sync.Mutex
	entries map[string][]byte
}

func newCache() *cache { return &cache{entries: map[string][]byte{}} }

func (s *cache) get(name string, produce func() ([]byte, error)) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if made, ok := s.entries[name]; ok {
		return made, nil
	}
	made, err := produce()
	if err == nil {
		s.entries[name] = made
	}
	return made, err
}

// renderScript returns the program in a release's archive: it adds the release and its own path to the words and arguments.
func renderScript(words []string, release Release) string {
	command := append(slices.Clone(words), "--release", release.Version)
	if release.Architecture != amd64 {
		command = append(command, "--architecture", release.Architecture)
	}
	return "#!/bin/sh\nexec " + quote(command) + ` --program "$0" "$@"` + "\n"
}

// buildArchive is deterministic.
func buildArchive(program string, words []string, release Release) ([]byte, error) {
	noise := make([]byte, paddingSize)
	_, _ = rand.NewChaCha8([32]byte([]byte(fmt.Sprintf("%-32.32s", release.Version)))).Read(noise) // never fails
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.NoCompression) // noise does not compress
	if err != nil {
		return nil, err
	}
	tape := tar.NewWriter(zip)
	for _, file := range []struct {
		name    string
		content []byte
		mode    int64
	}{
		{"README.md", []byte("# OpenShift Install\n"), 0o644},
		{program, []byte(renderScript(words, release)), 0o755},
		{"openshift-install.data", noise, 0o644},
	} {
		err = errors.Join(err, tape.WriteHeader(&tar.Header{
			Name: file.name, Mode: file.mode, Size: int64(len(file.content)), Typeflag: tar.TypeReg,
		}))
		_, writing := tape.Write(file.content)
		err = errors.Join(err, writing)
	}
	err = errors.Join(err, tape.Close(), zip.Close())
	return packed.Bytes(), err
}

func quote(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}
