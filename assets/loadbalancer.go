package assets

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"exoshift/internal/text/template"
)

// LoadBalancer is the input of a load-balancer machine's user-data. Back ends are resolved by DNS: bootstrap.<Domain>,
// etcd-0 to etcd-<Masters-1>.<Domain>, and router.<Domain>, a name with an address for each router.
type LoadBalancer struct {
	Domain        string // of the cluster
	Masters       int
	Routers       int     // addresses of router.<Domain> that are used at most
	ProxyProtocol bool    // to begin with, the routers expect the PROXY protocol; later each is sent what it expects
	SSHKey        string  // of the operator, one line of authorized_keys; "": none
	HostKey       HostKey // of its SSH server; none: it generates its own
}

// RenderLoadBalancerUserData returns the cloud-config that turns an Ubuntu 24.04 machine into a load balancer. It serves the
// API on port 6443, the machine config server on 22623, the ingress on 80 and 443, and its own health on 8404 at
// /healthz (plain HTTP).
func RenderLoadBalancerUserData(lb LoadBalancer) ([]byte, error) {
	config, err := RenderHAProxyConfig(lb)
	if err != nil {
		return nil, err
	}
	return render("cloud-config.yaml", struct {
		LoadBalancer
		Config string
	}{lb, string(config)})
}

// RenderHAProxyConfig returns the haproxy.cfg that RenderLoadBalancerUserData carries; it needs HAProxy 2.4 or newer.
func RenderHAProxyConfig(lb LoadBalancer) ([]byte, error) {
	if err := lb.check(); err != nil {
		return nil, err
	}
	return render("haproxy.cfg", lb)
}

func (lb LoadBalancer) check() error {
	switch {
	case lb.Domain == "" || strings.ContainsAny(lb.Domain, " \t\r\n"):
		return fmt.Errorf("load balancer: %q is not a domain", lb.Domain)
	case lb.Masters < 1:
		return errors.New("load balancer: no masters to balance")
	case lb.Routers < 1:
		return errors.New("load balancer: no routers to balance")
	}
	return nil
}

func render(name string, data any) ([]byte, error) {
	text, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	rendered, err := template.Render(string(text), data, template.Functions{
		"masters": listMasters, "entrances": listEntrances, "indent": indent, "quote": strconv.Quote, "word": quoteWord, "words": quoteWords, "celStrings": quoteCEL,
	})
	if err != nil {
		return nil, fmt.Errorf("template %s: %w", name, err)
	}
	return []byte(rendered), nil
}

func listMasters(n int) []int {
	indexes := make([]int, n)
	for i := range indexes {
		indexes[i] = i
	}
	return indexes
}

// entrance is a port of the ingress.
type entrance struct {
	Scheme string
	Port   int
}

func listEntrances() []entrance { return []entrance{{"http", 80}, {"https", 443}} }

// FollowsRouters reports whether load balancers with that user data send each router the protocol that it expects, so that routers may
// change to or from the PROXY protocol. Those of earlier versions of this program do not.
func FollowsRouters(userData []byte) bool {
	return bytes.Contains(userData, []byte("backend routers-https-proxy"))
}

// DescribeMismatch returns why a load balancer with that user data, which is its configuration for life, does not suit lb; "": it does. A user
// data of this version that only differs in what the routers expect to begin with suits it: each is sent what it expects.
func (lb LoadBalancer) DescribeMismatch(userData []byte) string {
	if sends := bytes.Contains(userData, []byte("send-proxy-v2")); !FollowsRouters(userData) && sends != lb.ProxyProtocol {
		return "it sends every router the same protocol, which the answers change"
	}
	found := routerSlots.FindSubmatch(userData)
	if found == nil {
		return ""
	}
	if slots, err := strconv.Atoi(string(found[1])); err == nil && slots < lb.Routers {
		return fmt.Sprintf("it has room for %d routers, not for %d", slots, lb.Routers)
	}
	return ""
}

// routerSlots is how many addresses of routers are used at most.
var routerSlots = regexp.MustCompile(`server-template router 1-(\d+) `)

func indent(width int, text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = strings.Repeat(" ", width) + line
		}
	}
	return strings.Join(lines, "\n")
}
