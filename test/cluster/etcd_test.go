package cluster

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"exoshift/internal/simcloud/certificate"
)

// bootstrapMember is how etcd calls the member of the bootstrap machine.
const bootstrapMember = "etcd-bootstrap"

// ring is an etcd of several members, each with an address of loopback of its own.
type ring struct {
	dir       string
	authority certificate.Pair
	members   []*member // those that were ever started, in order
}

type member struct {
	name, address string
	clients, peer string // URLs
	id            uint64
	process       *process
}

// newRing starts the first member, that of the bootstrap machine.
func newRing(t *testing.T) *ring {
	t.Helper()
	r := &ring{dir: t.TempDir(), authority: newAuthority(t, "etcd-signer")}
	var addresses []net.IP
	for n := range 6 {
		addresses = append(addresses, net.IPv4(127, 0, 1, byte(10+n)))
	}
	write(t, r.dir, "ca", r.authority)
	write(t, r.dir, "server", issueServer(t, r.authority, addresses...))
	first := r.place(t, bootstrapMember)
	r.start(t, first, "new", first.name+"="+first.peer)
	until(t, func() error { _, err := r.list(t); return err })
	return r
}

// place chooses an address and ports for the next member.
func (r *ring) place(t *testing.T, name string) *member {
	t.Helper()
	address := fmt.Sprintf("127.0.1.%d", 10+len(r.members))
	m := &member{name: name, address: address,
		clients: "https://" + net.JoinHostPort(address, freePort(t)), peer: "https://" + net.JoinHostPort(address, freePort(t))}
	r.members = append(r.members, m)
	return m
}

func (r *ring) start(t *testing.T, m *member, state, cluster string, more ...string) {
	t.Helper()
	m.process = launch(t, filepath.Join(r.dir, m.name+".log"), append([]string{
		"etcd", "--name=" + m.name, "--data-dir=" + filepath.Join(r.dir, m.name+"-"+m.address), "--unsafe-no-fsync", "--log-level=error",
		"--listen-client-urls=" + m.clients, "--advertise-client-urls=" + m.clients,
		"--listen-peer-urls=" + m.peer, "--initial-advertise-peer-urls=" + m.peer,
		"--initial-cluster=" + cluster, "--initial-cluster-state=" + state,
	}, append(etcdTrust(r.dir), more...)...)...)
}

// client connects to some of the members.
func (r *ring) client(t *testing.T, endpoints ...string) *clientv3.Client {
	t.Helper()
	known := x509.NewCertPool()
	known.AddCert(r.authority.Certificate)
	shown := issueUser(t, r.authority, "etcd-operator")
	client, err := clientv3.New(clientv3.Config{
		Endpoints: endpoints, Logger: zap.NewNop(), DialTimeout: 20 * time.Second,
		TLS: &tls.Config{RootCAs: known, Certificates: []tls.Certificate{keyPair(shown)}, MinVersion: tls.VersionTLS12},
	})
	must(t, err)
	return client
}

// ask asks whoever of the members answers.
func (r *ring) ask(t *testing.T, question func(context.Context, *clientv3.Client) error) error {
	t.Helper()
	var endpoints []string
	for _, m := range r.members {
		if m.process != nil {
			endpoints = append(endpoints, m.clients)
		}
	}
	client := r.client(t, endpoints...)
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return question(ctx, client)
}

// list returns what etcd itself says about its members.
func (r *ring) list(t *testing.T) (members []*etcdserverpb.Member, err error) {
	t.Helper()
	err = r.ask(t, func(ctx context.Context, client *clientv3.Client) error {
		answer, err := client.MemberList(ctx)
		if err == nil {
			members = answer.Members
		}
		return err
	})
	slices.SortFunc(members, func(a, b *etcdserverpb.Member) int { return strings.Compare(a.PeerURLs[0], b.PeerURLs[0]) })
	return members, err
}

// add adds a learner that has not started yet. It takes a while until etcd trusts its members enough for another one.
func (r *ring) add(t *testing.T, name string) *member {
	t.Helper()
	m := r.place(t, name)
	until(t, func() error {
		return r.ask(t, func(ctx context.Context, client *clientv3.Client) error {
			added, err := client.MemberAddAsLearner(ctx, []string{m.peer})
			if err == nil {
				m.id = added.Member.ID
			}
			return err
		})
	})
	return m
}

// join starts a member that was added.
func (r *ring) join(t *testing.T, m *member) {
	t.Helper()
	members, err := r.list(t)
	must(t, err)
	var cluster []string
	for _, known := range members {
		cluster = append(cluster, cmp.Or(known.Name, m.name)+"="+known.PeerURLs[0])
	}
	r.start(t, m, "existing", strings.Join(cluster, ","))
	until(t, func() error {
		members, err := r.list(t)
		if err == nil && !slices.ContainsFunc(members, func(known *etcdserverpb.Member) bool { return known.Name == m.name }) {
			err = errors.New(m.name + " has not joined")
		}
		return err
	})
}

// promote lets a learner vote, once it has learned.
func (r *ring) promote(t *testing.T, m *member) {
	t.Helper()
	until(t, func() error {
		return r.ask(t, func(ctx context.Context, client *clientv3.Client) error {
			_, err := client.MemberPromote(ctx, m.id)
			return err
		})
	})
}

// removeBootstrap removes the first member, and stops it.
func (r *ring) removeBootstrap(t *testing.T) {
	t.Helper()
	members, err := r.list(t)
	must(t, err)
	at := slices.IndexFunc(members, func(m *etcdserverpb.Member) bool { return m.Name == bootstrapMember })
	until(t, func() error {
		return r.ask(t, func(ctx context.Context, client *clientv3.Client) error {
			_, err := client.MemberRemove(ctx, members[at].ID)
			return err
		})
	})
	r.members[0].process.stop(os.Interrupt)
	r.members[0].process = nil
}

// healthy asks one member itself, as the operator does: a learner answers from what it has.
func (r *ring) healthy(t *testing.T, known *etcdserverpb.Member) bool {
	t.Helper()
	if len(known.ClientURLs) == 0 {
		return false
	}
	client := r.client(t, known.ClientURLs[0])
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	options := []clientv3.OpOption{}
	if known.IsLearner {
		options = append(options, clientv3.WithSerializable())
	}
	_, err := client.Get(ctx, "health", options...)
	return err == nil
}
