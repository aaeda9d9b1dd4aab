package api_test

import "testing"

func TestRevokedKey_Denied(t *testing.T) {
	inBubble(t, nil, func(w world) {
		_, _, ccm := w.as(w.role(only("compute", rule("true"))))
		_, err := ccm.ListInstances(w.ctx(), zone)
		w.must(err)
		if revoked := w.api.Operator().RevokeKeys("other"); revoked != 0 {
			w.Errorf("%d keys of another name were revoked", revoked)
		}
		if revoked := w.api.Operator().RevokeKeys("ccm"); revoked != 1 {
			w.Errorf("%d keys were revoked", revoked)
		}
		if _, err := ccm.ListInstances(w.ctx(), zone); err == nil {
			w.Error("the key still opens the API")
		}
	})
}

func TestReplaceImages_ServesOther(t *testing.T) {
	inBubble(t, nil, func(w world) {
		image := []byte("QFI\xfb title Any CoreOS 9.6.20251212-1 (ostree:0) ignition.platform.id=exoscale after")
		made, err := w.register(image, md5sum(image))
		w.must(err)
		const other = "418.94.202501221327-0"
		if replaced := w.api.Operator().ReplaceImages(other); replaced != 1 {
			w.Errorf("%d images were replaced", replaced)
		}
		shown, err := w.client.GetTemplate(w.ctx(), zone, *made.ID)
		w.must(err)
		if booted, _ := w.api.Template(*made.ID); booted.OSBuild != other || *shown.Build != other {
			w.Errorf("machines boot %q, the API shows %q", booted.OSBuild, *shown.Build)
		}
	})
}
