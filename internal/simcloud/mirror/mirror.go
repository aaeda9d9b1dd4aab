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
	return mux
}

func serve(w http.ResponseWriter, r *http.Request, content []byte, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("ETag", `"`+hashSHA256(content)[:32]+`"`)
	http.ServeContent(w, r, r.URL.Path, time.Time{}, bytes.NewReader(content))
}
