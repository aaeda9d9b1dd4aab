package outlet

import (
	"fmt"
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

func TestPrintQueue_DropsUnread(t *testing.T) {
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
		want := "line 0\nline 1\nline 2\n6 lines were dropped because the output was not read; the events are in /folder/events.jsonl\nline 9\n"
		if got := strings.Join(r.read, ""); got != want {
			t.Errorf("printed:\n%s", got)
		}
	})
}

func TestPrintQueue_FlushWaitsForReader(t *testing.T) {
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
