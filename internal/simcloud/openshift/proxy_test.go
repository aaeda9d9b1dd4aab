package openshift

import (
	"crypto/x509/pkix"
	"strings"
	"testing"
	"time"

	"exoshift/internal/simcloud/certificate"
)

func TestProxy_AndTrustBundleObjects(t *testing.T) {
	authority, err := certificate.NewAuthority(pkix.Name{CommonName: "corporate"}, 24*time.Hour, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	bundle := string(authority.CertPEM())
	config := configSource + "proxy: {httpProxy: 'http://192.0.2.1:3128', httpsProxy: 'http://192.0.2.1:3128', noProxy: example.org}\n" +
		"additionalTrustBundlePolicy: Always\nadditionalTrustBundle: |\n  " + strings.ReplaceAll(strings.TrimSpace(bundle), "\n", "\n  ") + "\n"
	inLabOf(t, plan{config: config}, func(t *testing.T, l *lab) {
		l.boot("bootstrap", "198.18.0.10", l.file("bootstrap.ign"))
		l.until(20*time.Minute, "manifests", func() bool { return l.get(versionPath) != nil })
		proxy := l.get("/apis/config.openshift.io/v1/proxies/cluster")
		if proxy.GetString("spec.httpsProxy") != "http://192.0.2.1:3128" || proxy.GetString("spec.trustedCA.name") != "user-ca-bundle" {
			t.Errorf("proxy: %v", proxy["spec"])
		}
		kept, _ := l.get("/api/v1/namespaces/openshift-config/configmaps/user-ca-bundle").Map("data")["ca-bundle.crt"].(string)
		if strings.TrimSpace(kept) != strings.TrimSpace(bundle) {
			t.Errorf("the trust bundle: %q", kept)
		}
	})
}
