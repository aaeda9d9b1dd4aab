package bootstraphost_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/ignition"
	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/bootstraphost"
	"exoshift/state"
)

const began = `[{"timestamp":"2026-01-02T03:04:05Z","phase":"service start"},
 {"timestamp":"2026-01-02T03:04:06Z","phase":"stage start","stage":"cb-bootstrap"}]`

func TestCollect_RecordsAndJournal(t *testing.T) {
	inLab(t, func(l *lab) {
		l.record("bootkube", began)
		l.machine.Console("bootkube.service: %s", "Starting cluster-bootstrap...")
		l.machine.Console("NetworkManager.service: not asked for")
		seen, err := l.collect()
		l.check(err)
		at := time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
		want := []state.ServiceRecord{{Service: "bootkube", Starts: 1, Stage: "cb-bootstrap", Since: at}}
		if diff := cmp.Diff(want, seen.Services); diff != "" {
			t.Error(diff)
		}
		if len(seen.Lines) != 1 || seen.Lines[0].Text != "Starting cluster-bootstrap..." || seen.Lines[0].Unit != "bootkube.service" {
			t.Errorf("lines %+v", seen.Lines)
		}
		_, err = l.collect()
		l.check(err)
		if l.ring.signed != 1 {
			t.Errorf("the agent signed %d times for a few looks", l.ring.signed)
		}
	})
}

func TestCollect_EachLineOnce(t *testing.T) {
	inLab(t, func(l *lab) {
		var got []string
		collect := func() {
			seen, err := l.Collect(l.t.Context(), netip.MustParseAddr(theirs))
			l.check(err)
			for _, line := range seen.Lines {
				got = append(got, line.Text)
			}
		}
		var want []string
		for n := range 40 {
			text := strings.Repeat("x", n+1)
			want = append(want, text)
			l.machine.Console("bootkube.service: %s", text)
			collect()
			l.pass(5 * time.Second)
		}
		for range 8 {
			collect()
			l.pass(5 * time.Second)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestCollect_UnreachableDoesNotBlock(t *testing.T) {
	inLab(t, func(l *lab) {
		l.closed.Store(true)
		began := time.Now()
		seen, err := l.Collect(l.t.Context(), netip.MustParseAddr(theirs))
		if waited := time.Since(began); waited > 0 || err != nil || !seen.At.IsZero() {
			t.Errorf("waited %s: %+v, %v", waited, seen, err)
		}
		seen, err = l.collect()
		if !fault.Is(err, fault.Transient) || seen.Services != nil || seen.Lines != nil {
			t.Errorf("%+v, %v", seen, err)
		}
		l.closed.Store(false)
		if _, err := l.collect(); err != nil {
			t.Errorf("once it is reached: %v", err)
		}
	})
}

func TestCollect_EndsOnClose(t *testing.T) {
	inLab(t, func(l *lab) {
		l.closed.Store(true)
		_, _ = l.Collect(l.t.Context(), netip.MustParseAddr(theirs))
		began := time.Now()
		l.Close()
		if waited := time.Since(began); waited > 0 {
			t.Errorf("closing took %s", waited)
		}
	})
}

func TestCollect_FollowsRestartedMachine(t *testing.T) {
	inLab(t, func(l *lab) {
		l.machine.Console("bootkube.service: before")
		_, err := l.collect()
		l.check(err)
		l.disk.host.Close()
		l.pass(time.Minute)
		l.disk.host = l.host(theirs)
		defer l.serve()()
		l.record("bootkube", began)
		l.machine.Console("bootkube.service: after")
		_, _ = l.collect()
		seen, err := l.collect()
		if err != nil || len(seen.Services) != 1 {
			t.Errorf("%+v, %v", seen, err)
		}
	})
}

// Each of these is another machine at the expected address.
func TestCollect_RefusesOtherHostKeys(t *testing.T) {
	for name, c := range map[string]struct {
		swap  func(l *lab, other []byte)
		mutes string // which access is refused
	}{
		"SSH": {func(l *lab, other []byte) {
			l.folder[state.IdentityFile] = append(firstBlock(other), afterFirstBlock(l.folder[state.IdentityFile])...)
		}, "SSH server has another key"},
		"gateway": {func(l *lab, other []byte) {
			l.folder[state.IdentityFile] = append(firstBlock(l.folder[state.IdentityFile]), afterFirstBlock(other)...)
		}, "read the journal of the bootstrap machine"},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(l *lab) {
				other, err := ignition.NewIdentity(time.Now())
				l.check(err)
				c.swap(l, other)
				l.record("bootkube", began)
				l.machine.Console("bootkube.service: text")
				_, err = l.collect()
				if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), c.mutes) {
					t.Errorf("error %v", err)
				}
				if name == "SSH" && l.ring.signed > 0 {
					t.Error("the agent signed for a foreign machine")
				}
			})
		})
	}
}

func firstBlock(identity []byte) []byte {
	end := strings.Index(string(identity), "-----BEGIN CERT")
	return identity[:end:end]
}

func afterFirstBlock(identity []byte) []byte { return identity[len(firstBlock(identity)):] }

func TestCollect_WithoutAgent(t *testing.T) {
	inLab(t, func(l *lab) {
		l.Host = bootstraphost.New(l.laptop.Network(nil), l.file, l.authorizedKey(), nil)
		defer l.Close()
		l.record("bootkube", began)
		var lines []state.JournalLine
		l.machine.Console("bootkube.service: text")
		for range 3 {
			seen, err := l.Collect(l.t.Context(), netip.MustParseAddr(theirs))
			l.check(err)
			lines = append(lines, seen.Lines...)
			l.pass(20 * time.Second)
			if seen.Services != nil {
				t.Errorf("records %+v", seen.Services)
			}
		}
		if len(lines) != 1 || lines[0].Text != "text" || lines[0].Unit != "bootkube.service" {
			t.Errorf("lines %+v", lines)
		}
	})
}

func TestCollect_SkipsUselessAgent(t *testing.T) {
	for name, spoil := range map[string]func(l *lab){
		"another key": func(l *lab) {
			_, key, err := ed25519.GenerateKey(rand.Reader)
			l.check(err)
			*l.ring = *newKeyring(l.t, key)
		},
		"no to the question": func(l *lab) { l.ring.refuse = errors.New("no") },
		"a key of nobody":    func(l *lab) { l.disk.files["/home/core/.ssh/authorized_keys.d/ignition"] = nil },
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(l *lab) {
				spoil(l)
				l.machine.Console("bootkube.service: text")
				for range 3 {
					if _, err := l.collect(); !fault.Is(err, fault.Denied) || fault.HintOf(err) == "" {
						t.Errorf("error %v", err)
					}
				}
				if l.ring.signed > 1 {
					t.Errorf("it was asked %d times", l.ring.signed)
				}
			})
		})
	}
}

func TestCollect_SkipsSilentAgent(t *testing.T) {
	inLab(t, func(l *lab) {
		asked := 0
		silent := func(context.Context) (net.Conn, error) {
			asked++
			client, server := net.Pipe()
			l.t.Cleanup(func() { _ = server.Close() })
			return client, nil
		}
		l.Host = bootstraphost.New(l.laptop.Network(nil), l.file, l.authorizedKey(), silent)
		defer l.Close()
		for range 3 {
			if _, err := l.collect(); !fault.Is(err, fault.Denied) {
				t.Errorf("error %v", err)
			}
		}
		if asked != 1 {
			t.Errorf("it was asked %d times", asked)
		}
	})
}

func TestCollect_NamesMissingKey(t *testing.T) {
	for _, name := range []string{state.IdentityFile, ".openshift_install_state.json"} {
		inLab(t, func(l *lab) {
			l.folder[name] = []byte(`{"SECRET": true}`)
			_, err := l.collect()
			if !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestCollect_JournalNeedsClusterCertificate(t *testing.T) {
	inLab(t, func(l *lab) {
		identity := l.folder[state.IdentityFile]
		l.generate() // another cluster
		l.folder[state.IdentityFile] = identity
		l.machine.Console("bootkube.service: text")
		if seen, err := l.collect(); err == nil || len(seen.Lines) > 0 {
			t.Errorf("a certificate of another cluster opened the journal: %+v, %v", seen, err)
		}
	})
}
