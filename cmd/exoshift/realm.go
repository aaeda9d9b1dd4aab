package main

import (
	"context"
	"errors"
	"sync"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/simcloud"
)

// realm is the world that an interview asks: the real one, or a simulated one.
type realm interface {
	// network returns the way to a zone.
	network(ctx context.Context, zone string) (network.Network, error)
	// access returns how the person who is asked is known to Project Syn there.
	access(ctx context.Context, zone string) (*synAccess, error)
	close() error
}

// reality is the host's own network, whatever the zone.
type reality struct {
	net    network.Network
	person *synAccess
}

// ownReality is that of whoever sits here. Nothing waits for a sign-in that they did not ask for.
func ownReality(o options) reality { return reality{o.hostNetwork(), ownAccess()} }

func (r reality) network(context.Context, string) (network.Network, error) { return r.net, nil }

func (r reality) access(context.Context, string) (*synAccess, error) { return r.person, nil }

func (reality) close() error { return nil }

// rehearsedRealm opens a simulated zone when it is first asked for, in memory: an interview creates nothing. Each has machines of
// one name only, and an interview may change its mind.
type rehearsedRealm struct {
	options simcloud.Options

	mu     sync.Mutex
	zones  map[string]*simcloud.Zone
	people map[string]*synAccess // by zone
	closed bool                  // nobody opens a zone any more
}

func (s *rehearsedRealm) network(ctx context.Context, zone string) (network.Network, error) {
	open, err := s.zone(ctx, zone)
	if err != nil {
		return network.Network{}, err
	}
	return open.Network(), nil
}

func (s *rehearsedRealm) access(ctx context.Context, zone string) (*synAccess, error) {
	open, err := s.zone(ctx, zone)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.people == nil {
		s.people = map[string]*synAccess{}
	}
	if s.people[zone] == nil {
		s.people[zone] = simulatedAccess(open)
	}
	return s.people[zone], nil
}

func (s *rehearsedRealm) zone(ctx context.Context, zone string) (*simcloud.Zone, error) {
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

func (s *rehearsedRealm) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, zone := range s.zones {
		errs = append(errs, zone.Close())
	}
	s.zones, s.closed = nil, true
	return errors.Join(errs...)
}
