package probe

import (
	"context"
	"errors"

	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe/connection"
)

// probeClosed succeeds if the connection is not possible.
func probeClosed(ctx context.Context, a *connection.Attempt) error {
	a.TimePerCall() // a filtered port does not answer until the timeout
	err := a.Connect(ctx)
	if err != nil && ctx.Err() != nil {
		return err // a stopped run is no evidence about the port
	}
	switch connection.GetClass(err) {
	case "":
		return a.Fail(&a.Layers.TCP, reach.Exposed, errors.New("this machine can connect"))
	case reach.Refused, reach.TCPTimeout, reach.NoRoute, reach.NoIPv4, reach.Prohibited, reach.Reset, reach.ProxyRefused, reach.ProxyUnknown, reach.ProxySilent, reach.ProxyPort:
		a.Layers.TCP = reach.LayerNone
	case reach.NXDomain:
		a.Layers.DNS = reach.LayerNone
	default:
		return err // unknown
	}
	a.Record(reach.EvidenceStatus, "closed: "+connection.FormatError(errors.Unwrap(err)))
	return nil
}
