package server

import "exoshift/internal/simcloud/fabric"

// LazyPort is a port that is created at the first packet to its host.
type LazyPort func() (Port, error)

func (p LazyPort) open(s *Servers, site Site, host *fabric.Host) error {
	port, err := p()
	if err != nil {
		return err
	}
	return port.open(s, site, host)
}
