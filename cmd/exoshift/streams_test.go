package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/request"
	"exoshift/internal/app/run"
	"exoshift/internal/app/sharedstate"
	"exoshift/internal/console/outlet"
	"exoshift/provisioner"
	"exoshift/state"
)

func TestStreams_ReportAnUnreadOutput(t *testing.T) {
	_, write := unreadPipe(t)
	out := outlet.New("standard output", write)
	var complaints bytes.Buffer
	std := cli.Streams{Out: out, Err: &complaints}
	var log []string
	std.StartRun(cli.OutputJSON, "/folder/events.jsonl")
	for range 100 {
		fmt.Fprintln(std.Out, strings.Repeat("x", 100))
	}
	std.EndRun("/folder/events.jsonl", func(line string) { log = append(log, line) })
	fmt.Fprintln(std.Out, "the summary") // it does not block
	want := "the standard output was not read to its end; the run did not wait for the reader, and its events are in /folder/events.jsonl"
	if complaints.String() != "exoshift: "+want+"\n" || len(log) != 1 || log[0] != want {
		t.Errorf("said %q, logged %q", complaints.String(), log)
	}
	if err := std.CheckWritten(); err != nil {
		t.Error(err)
	}
}

// TestDisplay_NamesSharedState: the private copy, with its events, is gone when the run has ended.
func TestDisplay_NamesSharedState(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = read.Close() // as head does
	o := cli.NewOptions(request.Request{ID: "c-demo-1", State: &sharedstate.Address{Text: "file:///shared"}, Private: new(state.Folder)}, cli.OutputJSON)
	var complaints bytes.Buffer
	shown := o.NewDisplay(cli.Streams{Out: outlet.New("standard output", write), Err: &complaints})
	renderer := shown.Open(t.Context(), run.View{})
	renderer.Emit(provisioner.Event{Type: provisioner.TypeRun})
	var log []string
	shown.Close(run.Outcome{Log: func(line string) { log = append(log, line) }})
	const want = "; the run continued, and its events are in shared state file:///shared c-demo-1"
	if !strings.HasSuffix(complaints.String(), want+"\n") || len(log) != 1 || !strings.HasSuffix(log[0], want) {
		t.Errorf("said %q, logged %q", complaints.String(), log)
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
	std := cli.Streams{Out: outlet.New("standard output", write), Err: new(bytes.Buffer)}
	std.StartRun(cli.OutputPlain, "")
	var want strings.Builder
	for i := range 5000 {
		line := fmt.Sprintf("line %d of many\n", i)
		want.WriteString(line)
		fmt.Fprint(std.Out, line)
	}
	std.EndRun("", func(line string) { t.Error(line) })
	fmt.Fprintln(std.Out, "the summary")
	_ = write.Close()
	if got := <-content; got != want.String()+"the summary\n" {
		t.Errorf("%d bytes were printed, want %d", len(got), want.Len()+12)
	}
}
