// Package environment opens what a verb works with: the network and the access to Project Syn of a live zone or of a simulated
// one, the secrets of a rehearsal, and what is kept on this machine.
package environment

import (
	"context"
	"errors"
	"sync"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/simcloud"
)

// Environment is what an interview looks values up in: live or simulated.
type Environment interface {
	// OpenNetwork returns the network of a zone.
	OpenNetwork(ctx context.Context, zone string) (network.Network, error)
	// OpenAccess returns the user's access to Project Syn there.
	OpenAccess(ctx context.Context, zone string) (*Access, error)
	// Close closes what was opened.
	Close() error
}

// Live is the environment of real zones.
type Live struct {
	net    network.Network
	person *Access
}

// NewLive returns the live environment on a network, with the access of this machine's user. It never waits for a sign-in that was not requested.
func NewLive(net network.Network) Live {
	return Live{net, NewOwnAccess()}
}

// OpenNetwork returns the same network for every zone.
func (r Live) OpenNetwork(context.Context, string) (network.Network, error) {
	return r.net, nil
}

// OpenAccess returns the access of this machine's user.
func (r Live) OpenAccess(context.Context, string) (*Access, error) {
	return r.person, nil
}

// Close does nothing.
func (Live) Close() error { return nil }

// Simulated opens simulated zones on first use, in memory: an interview creates nothing. Each has machines of one
// cluster name only, and the name may change during an interview.
type Simulated struct {
	options simcloud.Options

	mu     sync.Mutex
	zones  map[string]*simcloud.Zone
	people map[string]*Access // by zone
	closed bool               // no zone is opened any more
}

// NewSimulated returns an environment whose zones have these options.
func NewSimulated(options simcloud.Options) *Simulated {
	return &Simulated{options: options}
}

// OpenNetwork opens the zone unless it is open.
func (s *Simulated) OpenNetwork(ctx context.Context, zone string) (network.Network, error) {
	open, err := s.openZone(ctx, zone)
	if err != nil {
		return network.Network{}, err
	}
	return open.Network(), nil
}

// OpenAccess returns the access of an engineer of the simulated zone.
func (s *Simulated) OpenAccess(ctx context.Context, zone string) (*Access, error) {
	open, err := s.openZone(ctx, zone)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.people == nil {
		s.people = map[string]*Access{}
	}
	if s.people[zone] == nil {
		s.people[zone] = NewSimulatedAccess(open)
	}
	return s.people[zone], nil
}

func (s *Simulated) openZone(ctx context.Context, zone string) (*simcloud.Zone, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fault.Newf(fault.Cancelled, "open the simulated zone", "the interview has ended")
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

// Close closes the zones. No zone is opened after it.
func (s *Simulated) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, zone := range s.zones {
		errs = append(errs, zone.Close())
	}
	s.zones, s.closed = nil, true
	return errors.Join(errs...)
}
