package mirror

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

const (
	okdPath    = "/okd-project/okd/releases/download/"
	assetsPath = "/github-production-release-asset/okd/"
)

// okdRedirect sends whoever asks for a file of OKD to where it is, as GitHub does.
func (d downloads) okdRedirect(w http.ResponseWriter, r *http.Request) {
	tag, file := r.PathValue("tag"), r.PathValue("file")
	if !isOKDFile(tag, file) {
		http.NotFound(w, r)
		return
	}
	query := url.Values{"sp": {"r"}, "sig": {okdSignature(tag, file)}}
	http.Redirect(w, r, "https://"+AssetsHost+assetsPath+tag+"/"+file+"?"+query.Encode(), http.StatusFound)
}

// okdFile serves what a redirection leads to.
func (d downloads) okdFile(w http.ResponseWriter, r *http.Request) {
	tag, file := r.PathValue("tag"), r.PathValue("file")
	if !isOKDFile(tag, file) || r.FormValue("sig") != okdSignature(tag, file) {
		http.NotFound(w, r)
		return
	}
	content, err := d.archive(Release{Version: tag, Architecture: amd64})
	if file == sumsFile && err == nil {
		content = okdSums(tag, content)
	}
	serve(w, r, content, err)
}

func okdSums(tag string, content []byte) []byte {
	var list strings.Builder
	for _, platform := range platforms() {
		fmt.Fprintf(&list, "%s  openshift-install-%s-%s.tar.gz\n", checksum(content), platform, tag)
	}
	return []byte(list.String())
}

// isOKDFile tells whether a release has a file. There is no signature.
func isOKDFile(tag, file string) bool {
	return okdTag.MatchString(tag) && (file == sumsFile || isProgram(file, tag) && strings.HasSuffix(file, "-"+tag+".tar.gz"))
}

func okdSignature(tag, file string) string { return checksum([]byte(tag + "/" + file))[:16] }
