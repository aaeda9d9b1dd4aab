package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"exoshift/internal/app/conformance/har"
	"exoshift/internal/app/conformance/shape"
	"exoshift/internal/app/environment"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
)

// simulatedSpeed is how many times faster than life the simulated run is.
const simulatedSpeed = 120

// Compare holds the recording of a run against the answers of a simulated zone, and returns where that is not like it. progress is
// called with sentences.
func Compare(ctx context.Context, path string, progress func(string)) ([]shape.Difference, error) {
	return compare(ctx, path, progress, simcloud.Options{Speed: simulatedSpeed})
}

func compare(ctx context.Context, path string, progress func(string), options simcloud.Options) (differences []shape.Difference, err error) {
	recorded, err := har.Read(path)
	if err != nil {
		return nil, err
	}
	var known recordedRun
	if err := json.Unmarshal(recorded.Log.Run, &known); err != nil || known.Zone == "" {
		return nil, fault.Newf(fault.Invalid, "compare "+path, "it does not identify its run").
			WithHint("use a file written by exoshift conformance --record")
	}
	dir, err := os.MkdirTemp("", "exoshift-conformance-")
	if err != nil {
		return nil, fault.New(fault.Internal, "simulate a run", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	progress("makes the same run in a simulated zone")
	simulated, err := simulate(ctx, known.Zone, dir, options)
	if err != nil {
		return nil, err
	}
	return shape.Compare(recorded, simulated), nil
}

// simulate records a run in a simulated zone.
func simulate(ctx context.Context, name, dir string, options simcloud.Options) (archive har.Archive, err error) {
	options.Zone = name
	options.Key, _ = environment.DefaultSecret("EXOSCALE_API_KEY")
	options.Secret, _ = environment.DefaultSecret("EXOSCALE_API_SECRET")
	zone, err := simcloud.Open(ctx, options)
	if err != nil {
		return archive, err
	}
	defer func() { err = errors.Join(err, zone.Close()) }()
	record := filepath.Join(dir, "simulated.har")
	_, err = Run(ctx, Options{
		Network: zone.Network(), Zone: name, Key: options.Key, Secret: options.Secret, Dir: filepath.Join(dir, "runs"), Record: record,
		Progress: func(string) {}, Emit: func(Verdict) {},
	})
	if err != nil {
		return archive, err
	}
	return har.Read(record)
}
