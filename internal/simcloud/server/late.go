package server

import "exoshift/internal/simcloud/fabric"

// Late is a port that is made when somebody reaches for its host.
type Late func() (Port, error)

func (p Late) open(s *Servers, site Site, host *fabric.Host) error {
	port, err := p()
	if err != nil {
		return err
	}
	return port.open(s, site, host)
}
