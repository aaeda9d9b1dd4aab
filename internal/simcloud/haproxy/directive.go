package haproxy

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (p *proxy) parseDirective(words []string, line int) error {
	args := words[1:]
	switch words[0] {
	case "mode":
		return parseChoice(&p.mode, args, "tcp", "http")
	case "balance":
		return parseChoice(&p.balance, args, "roundrobin", "source")
	case "option":
		return p.parseOption(args)
	case "http-check":
		return p.check.parseDirective(args)
	case "http-request":
		return p.parseHTTPRequest(args)
	case "timeout":
		return p.parseTimeout(args)
	case "default-server":
		return p.defaults.read(args)
	case "retries":
		return parseNumber(&p.retries, strings.Join(args, " "), 0, 1<<20)
	case "tcp-request":
		counted, err := p.counters.with(args)
		p.counters = counted
		return err
	case "use_backend":
		chosen, err := parseUseBackend(args, p.counters)
		p.choices = append(p.choices, chosen)
		return err
	case "hash-type":
		return nil // a server that refuses is never tried again
	case "log", "maxconn", "errorfile", "description", "fullconn", "log-format":
		return nil
	case "bind", "monitor-uri", "default_backend":
		return p.parseFrontDirective(words[0], args)
	case "server", "server-template":
		return p.parseBackDirective(words[0], args, line)
	}
	return newUnknownError(words[0], p.kind)
}

func (p *proxy) parseFrontDirective(word string, args []string) error {
	allowed := p.isFrontend() || p.kind == "defaults" && word != "bind"
	switch {
	case !allowed:
		return fmt.Errorf("'%s' not allowed in '%s' section", word, p.kind)
	case len(args) == 0:
		return fmt.Errorf("'%s' expects an argument", word)
	case word == "monitor-uri":
		p.monitorURI = args[0]
	case word == "default_backend":
		p.defaultBackend = args[0]
	default:
		return p.bind(args)
	}
	return nil
}

func (p *proxy) bind(args []string) error {
	for _, option := range args[1:] {
		if option != "v4v6" && option != "v6only" && option != "transparent" {
			return fmt.Errorf("'bind %s' : unknown keyword '%s'", args[0], option)
		}
	}
	for address := range strings.SplitSeq(args[0], ",") {
		colon := strings.LastIndexByte(address, ':')
		port, err := strconv.Atoi(address[colon+1:])
		if colon < 0 || err != nil || port < 1 || port > 65535 {
			return fmt.Errorf("'bind' : missing or invalid port number: '%s'", address)
		}
		host := strings.TrimPrefix(address[:colon], "ipv4@")
		if host == "*" || host == "::" || host == "0.0.0.0" {
			host = ""
		}
		p.binds = append(p.binds, bind{host: host, port: port})
	}
	return nil
}

func (p *proxy) parseBackDirective(word string, args []string, line int) error {
	if !p.isBackend() {
		return fmt.Errorf("'%s' not allowed in '%s' section", word, p.kind)
	}
	s := server{slots: 1, line: line, options: p.defaults}
	if word == "server-template" {
		if len(args) < 3 {
			return errors.New("'server-template' expects <prefix> <num | range> <fqdn>[:<port>]")
		}
		if err := s.parseRange(args[1]); err != nil {
			return err
		}
		args = slices.Delete(slices.Clone(args), 1, 2)
	}
	if len(args) < 2 {
		return errors.New("'server' expects <name> and <addr>[:<port>] as arguments")
	}
	if err := s.parseAddress(args[0], args[1]); err != nil {
		return err
	}
	p.servers = append(p.servers, s)
	return p.servers[len(p.servers)-1].read(args[2:])
}

func (s *server) parseRange(text string) error {
	first, last, ranged := strings.Cut(text, "-")
	if !ranged {
		first, last = "1", text
	}
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if err1 != nil || err2 != nil || from < 1 || to < from {
		return fmt.Errorf("'server-template' : invalid number or range '%s'", text)
	}
	s.first, s.slots = from, to-from+1
	return nil
}

func (s *server) parseAddress(name, address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("'server %s' : invalid address: '%s'", name, address)
	}
	s.name, s.host = name, host
	return parseNumber(&s.port, port, 1, 65535)
}

func (p *proxy) parseOption(args []string) error {
	known := []string{"tcplog", "httplog", "dontlognull", "tcpka", "clitcpka", "srvtcpka", "forwardfor", "redispatch",
		"http-server-close", "http-keep-alive", "httpclose", "log-health-checks", "splice-auto"}
	switch {
	case len(args) == 0:
		return errors.New("'option' expects an option name")
	case args[0] == "httpchk":
		return p.check.request(args[1:])
	case args[0] == "tcp-check" && len(args) == 1:
		p.check.enabled = false
		return nil
	case slices.Contains(known, args[0]):
		p.redispatch = p.redispatch || args[0] == "redispatch"
		return nil
	}
	return fmt.Errorf("unknown option '%s'", args[0])
}

func (p *proxy) parseTimeout(args []string) error {
	if len(args) != 2 {
		return errors.New("'timeout' expects a name and a time")
	}
	lasts, err := parseDuration(args[1])
	if err != nil {
		return err
	}
	switch args[0] {
	case "connect":
		p.connectTimeout = lasts
	case "check":
		p.checkTimeout = lasts
	case "client", "server", "tunnel", "queue", "http-request", "http-keep-alive", "client-fin", "server-fin":
	default:
		return fmt.Errorf("unknown timeout '%s'", args[0])
	}
	return nil
}

func parseChoice(into *string, args []string, allowed ...string) error {
	if len(args) != 1 || !slices.Contains(allowed, args[0]) {
		return fmt.Errorf("unknown or missing value %v, expected one of %v", args, allowed)
	}
	*into = args[0]
	return nil
}

func parseNumber(into *int, text string, least, most int) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return fmt.Errorf("invalid number '%s', expected %d to %d", text, least, most)
	}
	*into = n
	return nil
}

// parseDuration: the default unit is milliseconds.
func parseDuration(text string) (time.Duration, error) {
	units := []struct {
		suffix string
		unit   time.Duration
	}{{"us", time.Microsecond}, {"ms", time.Millisecond}, {"s", time.Second}, {"m", time.Minute}, {"h", time.Hour},
		{"d", 24 * time.Hour}, {"", time.Millisecond}}
	for _, u := range units {
		if count, ok := strings.CutSuffix(text, u.suffix); ok {
			n, err := strconv.ParseUint(count, 10, 31)
			if err != nil {
				return 0, fmt.Errorf("invalid time '%s'", text)
			}
			return time.Duration(n) * u.unit, nil
		}
	}
	return 0, fmt.Errorf("invalid time '%s'", text)
}
