// Package mirror is what the simulated internet offers for download: openshift-install of any version, as a script
// that runs the simulated program, and boot images that are small but of the real shape.
package mirror

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// The hosts that the handler serves.
const (
	ClientsHost = "mirror.openshift.com"
	ImagesHost  = "rhcos.mirror.openshift.com"
)

// New returns a handler for both hosts. The words are the command line of the simulated openshift-install; the
// script in the archive adds "--release X.Y.Z" and its own arguments. Channel names such as stable-4.20 and detached
// signatures are not served.
func New(words []string) http.Handler {
	clients := clients{words: words, version: regexp.MustCompile(`^4\.\d{1,2}\.\d{1,3}(-(rc|ec)\.\d{1,2})?$`)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+ClientsHost+"/pub/openshift-v4/clients/ocp/{version}/{file}", clients.serve)
	mux.HandleFunc("GET "+ClientsHost+"/pub/openshift-v4/{arch}/clients/ocp/{version}/{file}", clients.serve)
	mux.HandleFunc("GET "+ImagesHost+imagesPath+"{stream}/builds/{build}/x86_64/{file}", serveImage)
	return mux
}

type clients struct {
	words   []string
	version *regexp.Regexp
}

func (c clients) serve(w http.ResponseWriter, r *http.Request) {
	version, arch := r.PathValue("version"), r.PathValue("arch")
	if !c.version.MatchString(version) || arch != "" && arch != "x86_64" && arch != "amd64" {
		http.NotFound(w, r)
		return
	}
	archive, err := c.archive(version)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	names := []string{"openshift-install-linux.tar.gz", "openshift-install-linux-" + version + ".tar.gz"}
	switch file := r.PathValue("file"); file {
	case names[0], names[1]:
		w.Header().Set("Content-Type", "application/gzip")
		_, _ = w.Write(archive) // the client went away
	case "sha256sum.txt":
		for _, name := range names {
			_, _ = fmt.Fprintf(w, "%s  %s\n", checksum(archive), name)
		}
	case "release.txt":
		_, _ = fmt.Fprintf(w, "Client tools for OpenShift\n--------------------------\n\nName:           %s\nOS/Arch:        linux/amd64\n", version)
	default:
		http.NotFound(w, r)
	}
}

// archive is the same for the same version and words.
func (c clients) archive(version string) ([]byte, error) {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	tape := tar.NewWriter(zip)
	script := "#!/bin/sh\nexec " + quote(append(c.words[:len(c.words):len(c.words)], "--release", version)) + ` "$@"` + "\n"
	for _, file := range []struct {
		name, content string
		mode          int64
	}{
		{"README.md", "# OpenShift Install\n", 0o644},
		{"openshift-install", script, 0o755},
	} {
		header := tar.Header{Name: file.name, Mode: file.mode, Size: int64(len(file.content)), Typeflag: tar.TypeReg}
		if err := tape.WriteHeader(&header); err != nil {
			return nil, err
		}
		if _, err := tape.Write([]byte(file.content)); err != nil {
			return nil, err
		}
	}
	if err := tape.Close(); err != nil {
		return nil, err
	}
	err := zip.Close()
	return packed.Bytes(), err
}

// quote returns words as a POSIX shell reads them again.
func quote(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}

func checksum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
