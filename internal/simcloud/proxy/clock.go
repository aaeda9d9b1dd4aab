package proxy

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"exoshift/internal/network"
)

const (
	// ClockPath is where the proxy itself, asked as a server, tells the zone's time: a line in RFC 3339 at once, and another one
	// at each network.FollowInterval of the zone's clock, until the client leaves.
	ClockPath = "/clock"
	// SpeedHeader has the nominal speed of that clock, as a multiple of the wall clock's.
	SpeedHeader = "Exoshift-Clock-Speed"
)

func (p *proxy) serveClock(w http.ResponseWriter, r *http.Request) {
	clock := p.network.Clock
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set(SpeedHeader, strconv.FormatFloat(clock.Speed(), 'g', -1, 64))
	stream := http.NewResponseController(w)
	for {
		if _, err := fmt.Fprintln(w, clock.Now().UTC().Format(time.RFC3339Nano)); err != nil || stream.Flush() != nil {
			return
		}
		if clock.Sleep(r.Context(), network.FollowInterval(clock.Speed())) != nil {
			return
		}
	}
}
