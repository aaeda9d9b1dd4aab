package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/console"
)

// reader reads a line for each token.
type reader struct {
	tokens chan struct{}
	read   []string
}

func (r *reader) print(line []byte) {
	<-r.tokens
	r.read = append(r.read, string(line))
}

func omitted(lines int) []byte { return console.Omitted(lines, "/folder/events.jsonl") }

func TestPrintQueue_LeavesOutWhatIsUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{tokens: make(chan struct{})}
		q := newPrintQueue(20, r.print, omitted)
		for i := range 9 {
			q.add(fmt.Appendf(nil, "line %d\n", i))
			synctest.Wait() // the first one is being written
		}
		for range 3 {
			r.tokens <- struct{}{}
		}
		r.tokens <- struct{}{}
		synctest.Wait()
		q.add([]byte("line 9\n"))
		r.tokens <- struct{}{}
		if !q.flush(time.Second) {
			t.Error("the queue is not drained")
		}
		want := "line 0\nline 1\nline 2\n6 lines were left out, as nobody read; the events are in /folder/events.jsonl\nline 9\n"
		if got := strings.Join(r.read, ""); got != want {
			t.Errorf("printed:\n%s", got)
		}
	})
}

func TestPrintQueue_FlushWaitsForASlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{tokens: make(chan struct{})}
		q := newPrintQueue(1000, r.print, omitted)
		for range 5 {
			q.add([]byte("line\n"))
		}
		go func() {
			for range 5 {
				time.Sleep(800 * time.Millisecond)
				r.tokens <- struct{}{}
			}
		}()
		if !q.flush(time.Second) || len(r.read) != 5 {
			t.Errorf("%d of 5 lines are read", len(r.read))
		}
	})
}

func TestPrintQueue_FlushGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{tokens: make(chan struct{})}
		q := newPrintQueue(1000, r.print, omitted)
		q.add([]byte("line\n"))
		began := time.Now()
		if q.flush(3*time.Second) || time.Since(began) != 3*time.Second {
			t.Errorf("it ended after %s", time.Since(began))
		}
		close(r.tokens) // ends the goroutine
	})
}

func TestStreams_ReportAnUnreadOutput(t *testing.T) {
	_, write := unreadPipe(t)
	out := &outlet{name: "standard output", file: write}
	var complaints bytes.Buffer
	std := streams{out: out, err: &complaints}
	var log []string
	std.startRun(outputJSON, "/folder/events.jsonl")
	for range 100 {
		fmt.Fprintln(std.out, strings.Repeat("x", 100))
	}
	std.endRun("/folder/events.jsonl", func(line string) { log = append(log, line) })
	fmt.Fprintln(std.out, "the summary") // it does not block
	want := "the standard output was not read to its end; the run did not wait for its reader, and its events are in /folder/events.jsonl"
	if complaints.String() != "exoshift: "+want+"\n" || len(log) != 1 || log[0] != want {
		t.Errorf("said %q, logged %q", complaints.String(), log)
	}
	if err := std.checkWritten(); err != nil {
		t.Error(err)
	}
}

func TestStreams_PrintEverythingThatIsRead(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	content := make(chan string)
	go func() {
		var all bytes.Buffer
		_, _ = all.ReadFrom(read) // an error shows as missing content
		content <- all.String()
	}()
	std := streams{out: &outlet{name: "standard output", file: write}, err: new(bytes.Buffer)}
	std.startRun(outputPlain, "")
	var want strings.Builder
	for i := range 5000 {
		line := fmt.Sprintf("line %d of many\n", i)
		want.WriteString(line)
		fmt.Fprint(std.out, line)
	}
	std.endRun("", func(line string) { t.Error(line) })
	fmt.Fprintln(std.out, "the summary")
	_ = write.Close()
	if got := <-content; got != want.String()+"the summary\n" {
		t.Errorf("%d bytes were printed, want %d", len(got), want.Len()+12)
	}
}
