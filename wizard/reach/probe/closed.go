package probe

import (
	"context"
	"errors"

	"exoshift/wizard/reach"
)

// probeClosed succeeds if the connection is not possible.
func probeClosed(ctx context.Context, a *attempt) error {
	a.state.timedPerCall = true // a filtered port does not answer until the timeout
	err := a.connect(ctx)
	if err != nil && ctx.Err() != nil {
		return err // a stopped run is no evidence about the port
	}
	switch getClass(err) {
	case "":
		return a.fail(&a.layers.TCP, reach.Exposed, errors.New("it lets this machine connect"))
	case reach.Refused, reach.TCPTimeout, reach.NoRoute, reach.Reset, reach.ProxyRefused:
		a.layers.TCP = reach.LayerNone
	case reach.NXDomain:
		a.layers.DNS = reach.LayerNone
	default:
		return err // unknown
	}
	a.record(reach.EvidenceStatus, "closed: "+formatError(errors.Unwrap(err)))
	return nil
}
