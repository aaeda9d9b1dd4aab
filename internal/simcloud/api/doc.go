// Package api is the Exoscale API v2 of a simulated zone: an http.Handler that speaks the public wire format, and a
// read model that the rest of the zone (machines, firewall, name servers) lives by.
//
// What is asked for takes effect at once, except instances, which change state when their operation completes, and
// templates, which exist once they are registered. Every other operation is only a wait of a few seconds.
//
// Recorded from the live service, in status and text: an invalid SSH key (409), a private network whose range ends
// before it starts (400), an action on an instance that must be stopped first (400), 404 with a message for what does
// not exist. Recorded in status only: a duplicate SSH key (409).
//
// Our reading, because nobody recorded it: 401 for a missing, wrong or expired signature and 403 for an unknown key;
// 403 for an exceeded quota and for a protected instance; 409 for a security group or anti-affinity group in use, for
// a full anti-affinity group, for an elastic IP or a private network that is still attached, for a DNS domain that
// exists, for an IAM role that a key uses; 400 for values outside of the bounds of the official description; all
// their texts; which reasons a failed template registration gives. Security groups, anti-affinity groups, instances
// and DNS records may share a name. IAM policies are kept and answered but not enforced.
package api
