package main

import (
	"context"
	"errors"
	"sync"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/simcloud"
)

// zoneEnvironment is what an interview looks values up in: live or simulated.
type zoneEnvironment interface {
	openNetwork(ctx context.Context, zone string) (network.Network, error)
	// openAccess returns the user's access to Project Syn there.
	openAccess(ctx context.Context, zone string) (*synAccess, error)
	close() error
}

type liveEnvironment struct {
	net    network.Network
	person *synAccess
}

// newLiveEnvironment never waits for a sign-in that was not requested.
func newLiveEnvironment(o options) liveEnvironment {
	return liveEnvironment{o.newNetwork(), newOwnAccess()}
}

func (r liveEnvironment) openNetwork(context.Context, string) (network.Network, error) {
	return r.net, nil
}

func (r liveEnvironment) openAccess(context.Context, string) (*synAccess, error) {
	return r.person, nil
}

func (liveEnvironment) close() error { return nil }

// simulatedEnvironment opens simulated zones on first use, in memory: an interview creates nothing. Each has machines of one
// cluster name only, and the name may change during an interview.
type simulatedEnvironment struct {
	options simcloud.Options

	mu     sync.Mutex
	zones  map[string]*simcloud.Zone
	people map[string]*synAccess // by zone
	closed bool                  // no zone is opened any more
}

func (s *simulatedEnvironment) openNetwork(ctx context.Context, zone string) (network.Network, error) {
	open, err := s.openZone(ctx, zone)
	if err != nil {
		return network.Network{}, err
	}
	return open.Network(), nil
}

func (s *simulatedEnvironment) openAccess(ctx context.Context, zone string) (*synAccess, error) {
	open, err := s.openZone(ctx, zone)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.people == nil {
		s.people = map[string]*synAccess{}
	}
	if s.people[zone] == nil {
		s.people[zone] = newSimulatedAccess(open)
	}
	return s.people[zone], nil
}

func (s *simulatedEnvironment) openZone(ctx context.Context, zone string) (*simcloud.Zone, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fault.Newf(fault.Cancelled, "open the simulated zone", "the interview is over")
	}
	if open := s.zones[zone]; open != nil {
		return open, nil
	}
	options := s.options
	options.Zone = zone
	open, err := simcloud.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	if s.zones == nil {
		s.zones = map[string]*simcloud.Zone{}
	}
	s.zones[zone] = open
	return open, nil
}

func (s *simulatedEnvironment) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, zone := range s.zones {
		errs = append(errs, zone.Close())
	}
	s.zones, s.closed = nil, true
	return errors.Join(errs...)
}
