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

// redirectOKD redirects a file of OKD to another host, as GitHub does.
func (d downloads) redirectOKD(w http.ResponseWriter, r *http.Request) {
	tag, file := r.PathValue("tag"), r.PathValue("file")
	if !isOKDFile(tag, file) {
		http.NotFound(w, r)
		return
	}
	query := url.Values{"sp": {"r"}, "sig": {renderOKDSignature(tag, file)}}
	http.Redirect(w, r, "https://"+AssetsHost+assetsPath+tag+"/"+file+"?"+query.Encode(), http.StatusFound)
}

func (d downloads) serveOKDFile(w http.ResponseWriter, r *http.Request) {
	tag, file := r.PathValue("tag"), r.PathValue("file")
	if !isOKDFile(tag, file) || r.FormValue("sig") != renderOKDSignature(tag, file) {
		http.NotFound(w, r)
		return
	}
	content, err := d.getArchive(Release{Version: tag, Architecture: amd64})
	if file == sumsFile && err == nil {
		content = renderOKDSums(tag, content)
	}
	serve(w, r, content, err)
}

func renderOKDSums(tag string, content []byte) []byte {
	var list strings.Builder
	for _, platform := range listPlatforms() {
		fmt.Fprintf(&list, "%s  openshift-install-%s-%s.tar.gz\n", hashSHA256(content), platform, tag)
	}
	return []byte(list.String())
}

func isOKDFile(tag, file string) bool {
	return okdTag.MatchString(tag) && (file == sumsFile || isProgram(file, tag) && strings.HasSuffix(file, "-"+tag+".tar.gz"))
}

func renderOKDSignature(tag, file string) string { return hashSHA256([]byte(tag + "/" + file))[:16] }
