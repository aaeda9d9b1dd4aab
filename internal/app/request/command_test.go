package request

import (
	"testing"

	"exoshift/provisioner/install"
)

func TestRequest_CommandAsksForTheSameAgain(t *testing.T) {
	bare := Request{BootstrapAccess: true, WaitForDNS: install.DefaultWaitForDNS}
	if got := bare.FormatCommand("install"); got != "exoshift install" {
		t.Errorf("without flags: %s", got)
	}
	if got, want := bare.FormatCommand("rotate api-keys", "ccm"), "exoshift rotate api-keys ccm"; got != want {
		t.Errorf("a verb of two words: got %s\nwant %s", got, want)
	}
	r := Request{
		Answers: "it's.yaml", Dir: "c-demo-1", Set: []string{"zone=ch-dk-2"}, Yes: true, WaitForDNS: install.DefaultWaitForDNS,
		NoRepair: true, WaitOnFailure: true,
	}
	const want = `exoshift rehearse --answers 'it'"'"'s.yaml' --set zone=ch-dk-2 --dir c-demo-1 --yes --bootstrap-access=false --no-repair --wait-on-failure --speed 60`
	if got := r.FormatCommand("rehearse", "--speed", "60"); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
