package environment

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"sync"
	"time"

	"exoshift/internal/app/exit"
	"exoshift/internal/network"
	"exoshift/internal/simcloud/proxy"
)

// ClockVariable is in the environment of a standing zone's clients: its speed. Our own verbs wait by the zone's clock then.
const ClockVariable = "EXOSHIFT_CLOCK_SPEED"

// Host is the network of this machine. Its clock is the wall clock, or that of the standing zone in its environment.
type Host struct {
	// Scenario is that of the zones of rehearsals that are opened again; "": none.
	Scenario string
	// Speed is theirs, as a multiple of real time; 0: DefaultSpeed.
	Speed float64

	mu     sync.Mutex
	clock  *network.Clock // nil: not open yet
	stops  []func()
	closed bool
}

// Open returns the network. All of a process's verbs share one clock. A nil Host has the wall clock.
func (h *Host) Open(ctx context.Context) (network.Network, error) {
	n := network.Host()
	value, given := LookupEnv(ClockVariable)
	if h == nil || !given {
		return n, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.clock == nil && !h.closed {
		clock, err := h.followZone(ctx, n, value)
		if err != nil {
			return network.Network{}, exit.WithCode(exit.Usage, fmt.Errorf("%s=%s: %w", ClockVariable, value, err))
		}
		h.clock = &clock
	}
	if h.clock != nil {
		n.Clock, n.Dial, n.DialSmall = *h.clock, stayOnLoopback(n.Dial), stayOnLoopback(n.DialSmall)
	}
	return n, nil
}

type dial = func(ctx context.Context, network, address string) (net.Conn, error)

// stayOnLoopback dials nothing else. What the proxy of a standing zone does not reach must not be looked for on the real network: another
// machine may have the address there, and its answer would pass for that of the zone.
func stayOnLoopback(connect dial) dial {
	if connect == nil {
		return nil
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		if parsed, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !parsed.IsLoopback()) {
			return nil, &net.OpError{Op: "dial", Net: network, Err: fmt.Errorf("only the proxy of the simulated zone reaches %s", address)}
		}
		return connect(ctx, network, address)
	}
}

// Close stops the clock.
func (h *Host) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, stop := range h.stops {
		stop()
	}
	h.stops = nil
}

// newNoZoneError is for everything but a simulated zone: waits on a real one last as long as they last.
func newNoZoneError(cause string) error {
	return fmt.Errorf("it is only for a simulated zone, and %s; unset it for a real zone, or source the file of exoshift simulate --env again", cause)
}

func (h *Host) followZone(ctx context.Context, n network.Network, value string) (network.Clock, error) {
	speed, err := strconv.ParseFloat(value, 64)
	if err != nil || !(speed > 0) || speed > 1e6 {
		return network.Clock{}, errors.New("must be the speed of a simulated zone's clock, e.g. 60")
	}
	source, err := newZoneClock(n)
	if err != nil {
		return network.Clock{}, err
	}
	following, cancel := context.WithCancel(context.WithoutCancel(ctx))
	times, err := source.open(following)
	if err == nil && times.speed != speed {
		err = errors.Join(newNoZoneError(fmt.Sprintf("the zone at %s runs at speed %g", source.url, times.speed)), times.Close())
	}
	if err != nil {
		cancel()
		return network.Clock{}, err
	}
	clock, follower, stop := network.NewFollower(speed, times.first)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		source.follow(following, times, follower)
	}()
	h.stops = append(h.stops, func() { cancel(); <-ended; stop() })
	return clock, nil
}

// zoneClock is the clock of a standing zone, which its proxy tells.
type zoneClock struct {
	url    string
	client *http.Client
}

// newZoneClock returns that behind the proxy for the API.
func newZoneClock(n network.Network) (*zoneClock, error) {
	asked := &http.Request{URL: &url.URL{Scheme: "https", Host: "api.exoscale.com"}}
	address, err := n.Proxy(asked)
	if err != nil {
		return nil, fmt.Errorf("find the proxy: %w", err)
	}
	if address == nil {
		return nil, newNoZoneError("HTTPS_PROXY names none")
	}
	transport := &http.Transport{DialContext: n.Dial, ResponseHeaderTimeout: clockTimeout}
	return &zoneClock{
		url: address.Scheme + "://" + address.Host + proxy.ClockPath, client: &http.Client{Transport: transport, CheckRedirect: network.KeepRedirect},
	}, nil
}

const (
	clockTimeout = 30 * time.Second
	// reconnectDelay is how long a zone's clock stays away at least once it is lost, on the wall clock.
	reconnectDelay = 200 * time.Millisecond
)

// zoneTimes are the times that a zone's clock tells.
type zoneTimes struct {
	io.Closer
	lines *bufio.Scanner
	first time.Time
	speed float64
}

func (z *zoneClock) open(ctx context.Context) (zoneTimes, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, z.url, nil)
	if err != nil {
		return zoneTimes{}, err
	}
	response, err := z.client.Do(request) //nolint:bodyclose // the times close it
	if err != nil {
		return zoneTimes{}, newNoZoneError("nothing answers at " + z.url + ": " + err.Error())
	}
	times := zoneTimes{Closer: response.Body, lines: bufio.NewScanner(response.Body)}
	times.speed, err = strconv.ParseFloat(response.Header.Get(proxy.SpeedHeader), 64)
	if err == nil && times.lines.Scan() {
		times.first, err = times.parse()
	}
	if err != nil || times.first.IsZero() {
		return zoneTimes{}, errors.Join(newNoZoneError(z.url+" is none"), times.Close())
	}
	return times, nil
}

func (z zoneTimes) parse() (time.Time, error) { return time.Parse(time.RFC3339Nano, z.lines.Text()) }

// follow moves a clock by the zone's until ctx ends. While the zone is away the clock goes on by itself, so that waits for it end.
func (z *zoneClock) follow(ctx context.Context, times zoneTimes, follower network.Follower) {
	defer z.client.CloseIdleConnections()
	for {
		for times.lines.Scan() {
			if at, err := times.parse(); err == nil {
				follower.SetTime(at)
			}
		}
		_ = times.Close() // it was only read
		follower.Release()
		for {
			if (network.Clock{}).Sleep(ctx, reconnectDelay) != nil {
				return
			}
			var err error
			if times, err = z.open(ctx); err == nil {
				follower.SetTime(times.first)
				break
			}
		}
	}
}
