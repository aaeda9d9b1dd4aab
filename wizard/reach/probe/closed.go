package probe

import (
	"context"
	"errors"

	"exoshift/wizard/reach"
)

// probeClosed is content if nobody lets us connect.
func probeClosed(ctx context.Context, a *attempt) error {
	a.state.timedPerCall = true // a port that is closed well says nothing, for as long as we wait
	err := a.connect(ctx)
	if err != nil && ctx.Err() != nil {
		return err // that we stop says nothing about the port
	}
	switch getClass(err) {
	case "":
		return a.fail(&a.layers.TCP, reach.Exposed, errors.New("it lets this machine connect"))
	case reach.Refused, reach.TCPTimeout, reach.NoRoute, reach.Reset, reach.ProxyRefused:
		a.layers.TCP = reach.LayerNone
	case reach.NXDomain:
		a.layers.DNS = reach.LayerNone
	default:
		return err // nobody knows
	}
	a.record(reach.EvidenceStatus, "closed: "+formatError(errors.Unwrap(err)))
	return nil
}
