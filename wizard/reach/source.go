package reach

import (
	"fmt"
	"strings"
	"time"
)

func describeSource(vantage string) string {
	host, ssh := strings.CutPrefix(vantage, SSHSource)
	switch {
	case vantage == Zone:
		return "the machine in the zone"
	case ssh:
		return "host " + host
	}
	return "this workstation"
}

// The workstation has its own trust store; the other sources get what the answers give the nodes.
func describeTrustStore(vantage string) string {
	if vantage == Workstation {
		return "add its certificate to the trust store of this workstation, and for the nodes name it in openshift.trustBundle of the answers"
	}
	return "name its certificate in openshift.trustBundle of the answers"
}

func describeProxySetting(vantage string) string {
	if vantage == Workstation {
		return "in the environment variables HTTPS_PROXY and HTTP_PROXY"
	}
	return "in openshift.proxy of the answers"
}

// formatSkew rounds, so that two servers which differ by a second have the same text.
func formatSkew(skew string) string {
	off, err := time.ParseDuration(skew)
	if err != nil || off == 0 {
		return "wrong by more than certificates allow"
	}
	side := "ahead"
	if off < 0 {
		off, side = -off, "behind"
	}
	units := []struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}}
	for _, unit := range units {
		if off >= 2*unit.length {
			return fmt.Sprintf("about %d %ss %s", off.Round(unit.length)/unit.length, unit.name, side)
		}
	}
	return fmt.Sprintf("%s %s", off, side)
}
