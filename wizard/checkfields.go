package wizard

import (
	"exoshift/state"
	"exoshift/wizard/reach"
)

// The fields of additional and skipped checks.
const (
	endpointsKey = "checks.endpoints"
	skipKey      = "checks.skip"
)

func listCheckFields() []Field {
	return []Field{
		{Key: endpointsKey, Title: "Own endpoints", Example: "https://registry.example.net/v2/, tcp://10.9.0.5:5000", rule: validateEndpoint,
			Screen: Network, Advanced: true, Effect: NoEffect, most: reach.MaxEndpoints,
			Help: "Services of yours that the cluster has to reach, which are checked with all others. Without a scheme, host:port is " +
				"checked by tcp and host by https.",
			Why:    "What the cluster needs of you and cannot reach, such as a registry or a mail server, is found before the installation.",
			Source: "Those who write the applications. Leave it empty if the cluster needs nothing of yours.",
			value:  bindList(func(s *state.Spec) *[]string { return &s.Checks.Endpoints })},
		{Key: skipKey, Title: "Checks left out", Example: "NET-RH-022=we send no telemetry until 2027-01-31", rule: skipReason,
			Screen: Network, Advanced: true, Effect: NoEffect,
			Help: "IDs of checks of reachability that are not made, each with a reason and the day from which on it is made again.",
			Why: "An installation does not start as long as something that it needs cannot be reached. Who knows better leaves the " +
				"check out and says why; the hand-over page repeats it.",
			Source: "The checks themselves show their IDs. Leave it empty unless one of them is wrong about your network.",
			value:  bindTable(func(s *state.Spec) *map[string]string { return &s.Checks.Skip })},
	}
}
