package gitlablock_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/ssh"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/simcloud/githost"
	"exoshift/internal/simcloud/site"
	database "exoshift/internal/simcloud/store"
	"exoshift/provisioner/gitlablock"
	"exoshift/state/lease"
	"exoshift/state/lease/leasetest"
	"exoshift/state/store"
)

const host = "git.example.net"

// world is a GitLab with one project, and the records beside it.
type world struct {
	*testing.T
	server  *site.Site
	host    *githost.Host
	token   string
	records lease.Store
	locks   *gitlablock.Store
}

func open(t *testing.T) *world {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	signer, err := ssh.NewSignerFromKey(private)
	must(t, err)
	hosted, err := githost.New(githost.Config{DB: database.NewMemory(), Clock: network.Clock{}, HostKey: signer, Host: host})
	must(t, err)
	must(t, hosted.Create("fleet/state"))
	server, err := site.Open(hosted.NewWebHandler(), host)
	must(t, err)
	directory, err := store.OpenDirectory(t.TempDir())
	must(t, err)
	w := &world{T: t, server: server, host: hosted, token: hosted.CreateToken("api"), records: directory}
	w.locks = w.open(w.token)
	return w
}

func (w *world) open(token string) *gitlablock.Store {
	w.Helper()
	at := gitlablock.Location{Server: "https://" + host, Project: "fleet/state", User: "gitlab-ci-token", Password: token}
	locks, err := gitlablock.Open(w.server.Network(), at, w.records)
	must(w.T, err)
	return locks
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func inWorld(t *testing.T, test func(*world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := open(t)
		defer w.server.Close()
		defer w.locks.Close()
		test(w)
	})
}

func TestStore(t *testing.T) {
	w := open(t)
	t.Cleanup(w.server.Close)
	leasetest.Run(t, w.locks)
}

func TestStore_Timed(t *testing.T) {
	inWorld(t, func(w *world) { leasetest.RunTimed(w.T, w.locks) })
}

// lock takes or deletes a lock by hand, as another program does.
func (w *world) lock(method, query, id string) int {
	w.Helper()
	content, _ := json.Marshal(map[string]string{"ID": id, "Operation": "plan", "Info": "", "Who": "ben", "Version": "1", "Created": "2026-01-02T03:04:05Z", "Path": "p"})
	request, err := http.NewRequestWithContext(w.Context(), method, "https://"+host+"/api/v4/projects/fleet%2Fstate/terraform/state/exoshift-c-demo-1/lock"+query, strings.NewReader(string(content)))
	must(w.T, err)
	request.SetBasicAuth("any", w.token)
	response, err := (&http.Client{Transport: w.server.Network().NewTransport()}).Do(request)
	must(w.T, err)
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	must(w.T, err)
	return response.StatusCode
}

func acquire(ctx context.Context, s lease.Store, run string) (*lease.Lease, error) {
	return lease.Acquire(ctx, s, "c-demo-1", lease.Holder{Run: run, User: "anna", Host: "laptop", Verb: "install"}, func(lease.Holder) {})
}

// TestStore_LockWithoutRecord: whoever is locked out by a lock that nothing describes is told of it, and can delete it.
func TestStore_LockWithoutRecord(t *testing.T) {
	inWorld(t, func(w *world) {
		ctx := w.Context()
		for _, id := range []string{"4711", "RUN1|install|anna|laptop|"} {
			if status := w.lock(http.MethodPost, "", id); status != http.StatusOK {
				w.Fatalf("status %d", status)
			}
			run, _, _ := strings.Cut(id, "|")
			var held *lease.HeldError
			if _, err := acquire(ctx, w.locks, "RUN2"); !errors.As(err, &held) || held.Holder.Run != run {
				w.Errorf("error %v, want one that names %s", err, run)
			}
			if _, err := lease.Unlock(ctx, w.locks, "c-demo-1", "RUN3"); !fault.Is(err, fault.Conflict) || !strings.Contains(fault.HintOf(err), "--run "+run) {
				w.Errorf("error %v (hint %q)", err, fault.HintOf(err))
			}
			if _, err := lease.Unlock(ctx, w.locks, "c-demo-1", run); err != nil {
				w.Error(err)
			}
		}
		next, err := acquire(ctx, w.locks, "RUN2")
		must(w.T, err)
		must(w.T, next.Release(ctx))
		if status := w.lock(http.MethodPost, "", "free"); status != http.StatusOK {
			w.Errorf("the lock is left: status %d", status)
		}
	})
}

// TestStore_ForcedUnlockEndsTheRun: GitLab's own button frees a lock without a word to its holder.
func TestStore_ForcedUnlockEndsTheRun(t *testing.T) {
	inWorld(t, func(w *world) {
		held, err := acquire(w.Context(), w.locks, "RUN1")
		must(w.T, err)
		if status := w.lock(http.MethodDelete, "", ""); status != http.StatusOK {
			w.Fatalf("status %d", status)
		}
		began := time.Now()
		<-held.Lost()
		if time.Since(began) > lease.Interval {
			w.Errorf("noticed after %s", time.Since(began))
		}
		must(w.T, held.Release(w.Context()))
		if status := w.lock(http.MethodPost, "", "free"); status != http.StatusOK {
			w.Errorf("it was taken again: status %d", status)
		}
	})
}

func TestStore_ExplainsFailures(t *testing.T) {
	w := open(t)
	t.Cleanup(w.server.Close)
	if _, err := acquire(t.Context(), w.open("wrong"), "RUN1"); !fault.Is(err, fault.Denied) || !strings.Contains(fault.HintOf(err), "Maintainer") {
		t.Errorf("wrong token: %v (hint %q)", err, fault.HintOf(err))
	}
	at := gitlablock.Location{Server: "https://" + host, Project: "fleet/other", User: "x", Password: w.token}
	other, err := gitlablock.Open(w.server.Network(), at, w.records)
	must(t, err)
	if _, err := acquire(t.Context(), other, "RUN1"); !fault.Is(err, fault.NotFound) {
		t.Errorf("missing project: %v", err)
	}
	w.server.InjectFaults(site.Fault{Match: "POST ", Respond: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }})
	if _, err := acquire(t.Context(), w.locks, "RUN1"); !fault.Is(err, fault.Transient) {
		t.Errorf("bad gateway: %v", err)
	}
	for _, wrong := range []gitlablock.Location{{Server: "http://" + host, Project: "x", Password: "x"}, {Server: "https://" + host, Password: "x"}, {Server: "https://" + host, Project: "x"}} {
		if _, err := gitlablock.Open(w.server.Network(), wrong, w.records); err == nil || strings.Contains(err.Error(), w.token) {
			t.Errorf("%s %s: %v", wrong.Server, wrong.Project, err)
		}
	}
}
