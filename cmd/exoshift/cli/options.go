package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/request"
	"exoshift/internal/fault"
	"exoshift/state/lease"
	"exoshift/state/shared"
)

// AddHostKeysFlag adds the file of trusted SSH host keys.
func AddHostKeysFlag(cmd *cobra.Command) {
	cmd.Flags().String(request.HostKeysFlag, "", "known_hosts file with SSH host keys to trust instead of the pinned ones of the same hosts")
}

// BindHostKeys reads the file of the flag, if the command has it.
func (o *Options) BindHostKeys(cmd *cobra.Command, layers *viper.Viper) (err error) {
	if cmd.Flags().Lookup(request.HostKeysFlag) == nil {
		return nil
	}
	o.HostKeysFile = layers.GetString(request.HostKeysFlag)
	o.HostKeys, err = request.ReadHostKeys(o.HostKeysFile)
	return err
}

// toAbsolutePath prevents a lookup in PATH; "" stays.
func toAbsolutePath(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return "", exit.WithCode(exit.Usage, fmt.Errorf("%s: %w", path, err))
	}
	return whole, nil
}

// NewDisplay returns the display of runs that the flags chose.
func (o Options) NewDisplay(std Streams) Display {
	return Display{Output: o.Output, ascii: o.ASCII, silent: o.Silent, Std: std, shared: o.FormatRecord(""), receive: o.receive}
}

// FormatRecord returns where the record of a run is: in shared state if path is in a private copy of it, which goes when the run ends.
func (o Options) FormatRecord(path string) string {
	if place := o.FormatShared(); place != "" {
		return "shared state " + place
	}
	return path
}

// explainHeld says how to watch the run that works on the cluster.
func (o Options) explainHeld(verb string, err error) error {
	var held *lease.HeldError
	if !errors.As(err, &held) {
		return err
	}
	return fault.New(fault.Conflict, verb, err).WithHint("watch it: exoshift attach --state %s %s", QuoteShell(o.State.Text), o.ID)
}

// ReceiveStop returns a context that ends when somebody elsewhere asks the run to stop. It is for a run without a display that does.
func (o Options) ReceiveStop(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(ctx)
	if o.receive != nil {
		go o.receive(ctx, func(command shared.Command) {
			if command.Action == shared.CommandStop {
				stop()
			}
		})
	}
	return ctx, stop
}

// Options are the flags that several verbs share. Each can also be set as EXOSHIFT_<FLAG>.
type Options struct {
	request.Request
	Output output
	ASCII  bool // the dashboard uses only ASCII
	Silent bool // the dashboard neither rings the bell nor notifies
	// receive waits for what is asked of a run from elsewhere; nil: nothing is.
	receive func(ctx context.Context, handle func(shared.Command))
	// recordDrift keeps whether the cluster has drifted, in shared state; nil: it is not there.
	recordDrift func(drift bool) error
	// recordPlan records the hash of the plan of a run in shared state; nil: it is not there.
	recordPlan func(ctx context.Context, hash string) error
}

// NewOptions sets what of a request depends on the output.
func NewOptions(r request.Request, shown output) Options {
	r.Interactive, r.Accessible = shown.IsInteractive(), shown == OutputAccessible
	return Options{Request: r, Output: shown}
}
