package shared_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/state"
	"exoshift/state/lease"
)

// TestWorkspace_KilledBeforeHead: the first part of a stream is stored, and the head does not have it.
func TestWorkspace_KilledBeforeHead(t *testing.T) {
	inTeam(t, func(t *testing.T, anna, ben *machine) {
		for _, text := range []string{"first\n", "first\nsecond\n"} { // a new stream, and one that is joined when it is opened
			workspace, folder := anna.open("anna")
			anna.storage.once.Store("streams/"+state.EventsFile, func() {
				anna.storage.once.Store("head.json", func() { anna.storage.cut.Store(true) })
			})
			check(t, folder.Write(state.EventsFile, []byte(text)))
			pass(t, 10*time.Minute)
			anna.storage.cut.Store(false)
			var lost *lease.LostError
			if err := workspace.Close(t.Context()); !errors.As(err, &lost) {
				t.Errorf("the run that was cut off ended with %v", err)
			}
			workspace, folder = ben.open("ben")
			check(t, folder.Write(state.EventsFile, []byte(text)))
			check(t, workspace.Close(t.Context()))
			if got := ben.read(state.EventsFile); got != text {
				t.Errorf("the stream is %q", got)
			}
		}
	})
}

func TestWorkspace_AnswersAreLost(t *testing.T) {
	inTeam(t, func(t *testing.T, anna, ben *machine) {
		workspace, folder := anna.open("anna")
		want := ""
		for _, pause := range []time.Duration{9 * time.Second, 3 * time.Second, 9 * time.Second, time.Second} { // more is written before the next attempt, and not
			for _, part := range []string{"streams/" + state.EventsFile, "head.json"} {
				anna.storage.deaf.Store(part, true)
			}
			want += pause.String() + "\n"
			check(t, appendTo(folder, pause.String()+"\n"))
			check(t, folder.Write("notes.txt", []byte(want)))
			pass(t, pause)
		}
		check(t, workspace.Close(t.Context()))
		if got, notes := ben.read(state.EventsFile), ben.read("notes.txt"); got != want || notes != want {
			t.Errorf("stored are %q and %q", got, notes)
		}
	})
}

func pass(t *testing.T, virtual time.Duration) {
	t.Helper()
	check(t, (network.Clock{}).Sleep(t.Context(), virtual))
}

func appendTo(folder state.Folder, text string) error {
	events, err := folder.Append(state.EventsFile)
	if err != nil {
		return err
	}
	_, err = events.WriteString(text)
	return errors.Join(err, events.Close())
}

// TestWorkspace_LateHead: what a machine writes while another takes over arrives afterwards.
func TestWorkspace_LateHead(t *testing.T) {
	inTeam(t, func(t *testing.T, anna, ben *machine) {
		workspace, folder := anna.open("anna")
		check(t, folder.Write("notes.txt", []byte("late")))
		anna.storage.once.Store("head.json", func() {
			anna.storage.cut.Store(true)
			next, nextFolder := ben.open("ben")
			check(t, nextFolder.Write("notes.txt", []byte("ben's")))
			check(t, next.Close(t.Context()))
			anna.storage.cut.Store(false)
		})
		pass(t, 10*time.Minute)
		var lost *lease.LostError
		if err := workspace.Close(t.Context()); !errors.As(err, &lost) || ben.read("notes.txt") != "ben's" {
			t.Errorf("closed with %v; stored is %q", err, ben.read("notes.txt"))
		}
	})
}

// TestWorkspace_OfLostMachine: the machine that loses its network changes nothing any more, and the next one goes on.
func TestWorkspace_OfLostMachine(t *testing.T) {
	inTeam(t, func(t *testing.T, anna, ben *machine) {
		workspace, folder := anna.open("anna")
		journal, err := folder.OpenJournal(time.Now)
		check(t, err)
		defer func() { check(t, journal.Close()) }()
		check(t, journal.RecordIntent("instance", "master-0"))
		anna.storage.cut.Store(true)
		began := time.Now()
		var lost *lease.LostError
		if err := journal.RecordIntent("instance", "master-1"); !errors.As(err, &lost) {
			t.Fatalf("the intent was recorded: %v", err)
		}
		if waited := time.Since(began); waited > lease.Stop {
			t.Errorf("it gave up after %s, want half the lifetime at most", waited)
		}
		next, nextFolder := ben.open("ben")
		defer func() { check(t, next.Close(t.Context())) }()
		content, err := nextFolder.Read(state.JournalFile)
		check(t, err)
		if !strings.Contains(string(content), "master-0") || strings.Contains(string(content), "master-1") {
			t.Errorf("the journal there is %s", content)
		}
		anna.storage.cut.Store(false)
		if err := journal.RecordIntent("instance", "master-2"); !errors.As(err, &lost) {
			t.Errorf("it goes on after it was followed: %v", err)
		}
		if err := workspace.Close(t.Context()); !errors.As(err, &lost) || !strings.Contains(fault.HintOf(err), anna.dir) {
			t.Errorf("closed with %v (hint %q), want where the copy is kept", err, fault.HintOf(err))
		}
		if strings.Contains(ben.read(state.JournalFile), "master-1") {
			t.Error("the lost machine's journal overwrote the next one's")
		}
	})
}
