// Package mirror serves the downloads of the simulated internet: openshift-install of any version, as a script
// that runs the simulated program, and boot images that are small but have the real format.
//
// The list of checksums is signed with a key of its own: sha256sum.txt.gpg is a detached binary signature, and for the
// versions 4.19 a binary message that contains the list, because it is not known which form the real mirror uses. OKD
// does not sign its files.
package mirror

import (
	"bytes"
	"net/http"
	"time"
)

// The hosts that the handler serves.
const (
	ClientsHost = "mirror.openshift.com"
	ImagesHost  = "rhcos.mirror.openshift.com"
	OKDHost     = "github.com"
	AssetsHost  = "release-assets.githubusercontent.com" // OKDHost redirects here
	CentOSHost  = "cloud.centos.org"                     // boot images of OKD on CentOS Stream 9
)

// streamsPath is the folder of the boot images.
const streamsPath = "/art/storage/prod/streams/"

const sumsFile = "sha256sum.txt"

// New returns a handler for all hosts. The words are the command line of the simulated openshift-install; the script
// in the archive adds "--release X.Y.Z", "--architecture A" unless that is amd64, "--program PATH" and its own
// arguments.
func New(words []string, key Key) http.Handler {
	programs := downloads{words: words, key: key, cache: newCache()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+ClientsHost+"/pub/openshift-v4/clients/ocp/{version}/{file}", programs.serveClient)
	mux.HandleFunc("GET "+ClientsHost+"/pub/openshift-v4/{arch}/clients/ocp/{version}/{file}", programs.serveClient)
	mux.HandleFunc("GET "+OKDHost+okdPath+"{tag}/{file}", programs.redirectOKD)
	mux.HandleFunc("GET "+AssetsHost+assetsPath+"{tag}/{file}", programs.serveOKDFile)
	mux.HandleFunc("GET "+ClientsHost+signaturesPath+"{digest}/signature-1", programs.serveSignature)
	for _, folder := range []string{ClientsHost + "/{$}", ClientsHost + signaturesPath + "{$}", OKDHost + "/{$}"} {
		mux.HandleFunc("GET "+folder, serveListing)
	}
	pictures := images{cache: newCache()}
	mux.HandleFunc("GET "+ImagesHost+"/", pictures.serve)
	mux.HandleFunc("GET "+CentOSHost+"/", pictures.serve)
	for _, folder := range []string{ImagesHost + streamsPath + "{$}", CentOSHost + "/{$}"} {
		mux.HandleFunc("GET "+folder, serveListing)
	}
	return markHosts(mux)
}

// markHosts adds the fields by which the hosts' own responses are known.
func markHosts(next http.Handler) http.Handler {
	marks := map[string]string{OKDHost: "X-Github-Request-Id", AssetsHost: "X-Ms-Request-Id"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if mark := marks[r.Host]; mark != "" {
			w.Header().Set(mark, "7c3a1f2b-601e-0048-5a6b-8c0000000000")
		}
		next.ServeHTTP(w, r)
	})
}

func serve(w http.ResponseWriter, r *http.Request, content []byte, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("ETag", `"`+hashSHA256(content)[:32]+`"`)
	http.ServeContent(w, r, r.URL.Path, time.Time{}, bytes.NewReader(content))
}
