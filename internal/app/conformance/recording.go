package conformance

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"exoshift/internal/app/conformance/har"
	"exoshift/internal/fault"
	"exoshift/internal/network"
)

// recording is the HTTP Archive of a run; nil: nothing is recorded.
type recording struct {
	options  Options
	recorder *har.Recorder
}

// recordedRun is what the exchanges of an archive were for.
type recordedRun struct {
	Zone     string    `json:"zone"`
	Name     string    `json:"name"` // stands in everything that the run has made
	Verdicts []Verdict `json:"verdicts"`
	Readings []Reading `json:"readings"` // of the simulated API
}

// CheckRecord fails with fault.Invalid if the archive of a run could not be written to a path in the end; "": none is wanted.
func CheckRecord(path string) error {
	if path == "" {
		return nil
	}
	dir, err := os.Stat(filepath.Dir(path))
	if err == nil && !dir.IsDir() {
		err = errors.New("not a folder")
	}
	if own, missing := os.Stat(path); err == nil && missing == nil && !own.Mode().IsRegular() {
		err = errors.New("not a file")
	}
	if err != nil {
		return fault.New(fault.Invalid, "record into "+path, err).WithHint("use a file in an existing folder")
	}
	return nil
}

// newRecording fails before anything is made.
func newRecording(o Options) (*recording, error) {
	if err := CheckRecord(o.Record); err != nil || o.Record == "" {
		return nil, err
	}
	return &recording{o, har.NewRecorder(o.Key, o.Secret)}, nil
}

func (r *recording) observe(n network.Network) network.Network {
	if r != nil {
		n.Observe = r.recorder.Wrap
	}
	return n
}

// write writes what was exchanged, whatever came of the run.
func (r *recording) write(name string, verdicts []Verdict) error {
	if r == nil {
		return nil
	}
	archive := r.recorder.Archive(har.Creator{Name: "exoshift", Version: r.options.Version}, name)
	run, err := json.Marshal(recordedRun{Zone: r.options.Zone, Name: name, Verdicts: verdicts, Readings: listReadings(archive.Log.Entries)})
	if err != nil {
		return fault.New(fault.Internal, "write the recording", err)
	}
	archive.Log.Run = run
	return archive.Write(r.options.Record)
}
