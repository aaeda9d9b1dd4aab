package session

import (
	"syscall"
	"testing"
)

func TestWizard_ZoneChangeKeepsAnswers(t *testing.T) {
	t.Parallel()
	s := asking(t, usual())
	s.visit("Network")
	s.Press("alt+1")
	s.Expect(marker("Access"))
	s.on("Zone")
	s.Press("space")
	s.Expect("type to search")
	s.Type("muc")
	s.Expect("/muc")
	s.Press("enter")
	s.ExpectMatch(`Zone +de-muc-1`)
	s.Expect("c-demo-1 · de-muc-1")
	for _, screen := range []string{"Cluster", "Nodes", "Network", "Syn", "Secrets", "Checks"} {
		s.next(screen)
	}
	s.mayGoOn()
	s.Press("enter")
	s.Expect("[ Rehearse:", "c-demo-1.example.net · de-muc-1")
	s.Press("alt+4")
	s.Expect(marker("Network"))
	s.leave()
}

func TestWizard_NetworkLossDuringQuestion(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	z := p.standing(t, "--latency", "1h") // nothing is answered before the zone is gone
	s := p.installing(t, z, usual())
	s.Press("enter")
	s.Expect(marker("Access"))
	s.credentials(z)
	s.ExpectMatch(`● Credentials: checking`)
	z.stop()
	s.ExpectMatch(`! Credentials: lookup failed`)
	s.name("ch-gva-2")
	s.next("Nodes")
	s.leave()
}

func TestWizard_SilentNetworkBlocksNoKey(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	z := p.standing(t)
	s := p.installing(t, z, usual())
	z.signal(t, syscall.SIGSTOP)
	s.Press("enter")
	s.Expect(marker("Access"))
	s.credentials(z)
	s.name("ch-gva-2")
	s.next("Nodes")
	s.Press("alt+1")
	s.ExpectMatch(`● Credentials: checking|! Credentials: lookup failed`)
	s.leave()
}
