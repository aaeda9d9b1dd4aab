package haproxy

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// read parses the parameters of a server or of default-server.
func (o *options) read(words []string) error {
	for len(words) > 0 {
		if o.parseFlag(words[0]) {
			words = words[1:]
			continue
		}
		if len(words) < 2 {
			return fmt.Errorf("unknown keyword '%s', or its argument is missing", words[0])
		}
		if err := o.value(words[0], words[1]); err != nil {
			return err
		}
		words = words[2:]
	}
	return nil
}

// parseFlag parses a parameter without a value; false if word is none.
func (o *options) parseFlag(word string) bool {
	switch word {
	case "check":
		o.check = true
	case "no-check":
		o.check = false
	case "check-ssl":
		o.checkSSL = true
	case "no-check-ssl":
		o.checkSSL = false
	case "backup":
		o.backup = true
	case "no-backup":
		o.backup = false
	case "send-proxy":
		o.proxyProtocol = 1
	case "send-proxy-v2":
		o.proxyProtocol = 2
	case "no-send-proxy", "no-send-proxy-v2":
		o.proxyProtocol = 0
	case "check-send-proxy":
		o.checkProxy = true
	default:
		return false
	}
	return true
}

func (o *options) value(word, value string) (err error) {
	switch word {
	case "verify":
		return parseChoice(&o.verify, []string{value}, "none", "required")
	case "ca-file":
		o.caFile = value
	case "check-sni":
		o.checkSNI = value
	case "inter":
		return parseInterval(&o.inter, word, value)
	case "fastinter":
		return parseInterval(&o.fastInter, word, value)
	case "downinter":
		return parseInterval(&o.downInter, word, value)
	case "fall":
		return parseNumber(&o.fall, value, 1, 1<<30)
	case "rise":
		return parseNumber(&o.rise, value, 1, 1<<30)
	case "port":
		return parseNumber(&o.checkPort, value, 1, 65535)
	case "resolvers":
		o.resolvers = value
	case "init-addr":
		o.initAddr = value
	case "weight", "maxconn", "slowstart", "on-marked-down", "resolve-prefer":
		// no effect on the simulation
	default:
		return fmt.Errorf("unknown keyword '%s'", word)
	}
	return err
}

func parseInterval(into *time.Duration, word, value string) (err error) {
	if *into, err = parseDuration(value); err == nil && *into == 0 {
		err = fmt.Errorf("'%s' must not be 0", word)
	}
	return err
}

// pause returns the interval until the next check of a server: of one that is up, down, or between the two.
func (o options) pause(health int) time.Duration {
	switch {
	case health == 0:
		return cmp.Or(o.downInter, o.inter)
	case health < o.rise+o.fall-1:
		return cmp.Or(o.fastInter, o.inter)
	}
	return o.inter
}

// request parses the arguments of "option httpchk": [[METHOD] URI [VERSION]].
func (c *httpCheck) request(args []string) error {
	c.enabled = true
	switch len(args) {
	case 0:
	case 1:
		c.uri = args[0]
	case 2:
		c.method, c.uri = args[0], args[1]
	case 3:
		c.method, c.uri, c.version = args[0], args[1], args[2]
	default:
		return fmt.Errorf("'option httpchk' : unknown argument '%s'", args[3])
	}
	return nil
}

func (c *httpCheck) parseDirective(args []string) error {
	switch {
	case len(args) >= 3 && args[0] == "expect" && args[1] == "status":
		return c.current().parseExpect(args[2])
	case len(args) > 0 && args[0] == "send":
		return c.current().send(args[1:])
	case len(args) > 0 && args[0] == "connect":
		return c.parseConnect(args[1:])
	}
	return fmt.Errorf("'http-check' : unknown or incomplete arguments %v", args)
}

func (c *httpCheck) parseExpect(statuses string) error {
	least, most, ranged := strings.Cut(statuses, "-")
	if !ranged {
		most = least
	}
	if err := parseNumber(&c.minStatus, least, 100, 599); err != nil {
		return err
	}
	return parseNumber(&c.maxStatus, most, 100, 599)
}

func (c *httpCheck) send(args []string) error {
	for len(args) >= 2 {
		switch args[0] {
		case "meth":
			c.method = args[1]
		case "uri":
			c.uri = args[1]
		case "ver":
			c.version = args[1]
		case "hdr":
			if len(args) < 3 {
				return errors.New("'http-check send' : 'hdr' expects a name and a value")
			}
			c.headers = append(c.headers[:len(c.headers):len(c.headers)], args[1]+": "+args[2])
			args = args[1:]
		default:
			return fmt.Errorf("'http-check send' : unknown argument '%s'", args[0])
		}
		args = args[2:]
	}
	if len(args) > 0 {
		return errors.New("'http-check send' : missing value of " + strconv.Quote(args[0]))
	}
	return nil
}
