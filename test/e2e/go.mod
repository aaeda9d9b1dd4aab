module exoshift/test/e2e

go 1.26.0

require (
	exoshift v0.0.0
	github.com/google/go-cmp v0.7.0
	github.com/miekg/dns v1.1.73
	github.com/pires/go-proxyproto v0.8.1
	github.com/vishvananda/netlink v1.3.1
	golang.org/x/sys v0.49.0
)

require (
	github.com/goccy/go-yaml v1.19.2 // indirect
	github.com/vishvananda/netns v0.0.5 // indirect
	golang.org/x/net v0.61.0 // indirect
)

replace exoshift => ../..
