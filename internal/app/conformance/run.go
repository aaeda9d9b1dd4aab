package conformance

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/exoscale/api"
	"exoshift/provisioner/install/access"
	"exoshift/provisioner/install/network"
	"exoshift/provisioner/objects"
	"exoshift/state"
)

const (
	machineType = "standard.small"
	diskGiB     = 10
	// baseDomain belongs to nobody, and nobody delegates the zone of a run: its name servers are asked directly.
	baseDomain = "example.net"
)

// clients are what reaches the zone.
type clients struct {
	cloud   *exoscale.Client
	raw     *api.Client // for what the recipe never does
	storage *objects.Client
}

// connect returns clients whose changes a journal records.
func connect(o Options, journal state.Recorder) (c clients, err error) {
	if c.raw, err = api.New(o.Network, o.Zone, o.Key, o.Secret, journal); err != nil {
		return c, err
	}
	if c.cloud, err = exoscale.New(o.Network, o.Zone, o.Key, o.Secret, journal); err != nil {
		c.raw.Close()
		return c, err
	}
	if c.storage, err = objects.New(o.Network, o.Zone, o.Key, o.Secret, journal); err != nil {
		c.raw.Close()
		c.cloud.Close()
	}
	return c, err
}

func (c clients) close() {
	c.raw.Close()
	c.cloud.Close()
	c.storage.Close()
}

// run is one run: a cluster of the recipe that never gets nodes.
type run struct {
	clients
	options Options
	spec    state.Spec
	folder  state.Folder
	journal *state.Journal
	ledger  *ledger
	facts   *state.FactsStore
	ends    []func() // last first

	groups     *network.SecurityGroups
	elasticIPs *network.ElasticIPs
	dns        *network.DNS
	buckets    *access.Buckets
}

type record struct {
	Zone string `json:"zone"`
}

const recordFile = "run.json"

// begin makes and locks the folder of a new run.
func begin(ctx context.Context, o Options) (_ *run, err error) {
	key, err := newSSHKey()
	if err != nil {
		return nil, fault.New(fault.Internal, "make an SSH key", err)
	}
	name := newName(time.Now())
	r := &run{options: o, spec: buildSpec(o.Zone, name, key), ledger: &ledger{emit: o.Emit}, facts: &state.FactsStore{}}
	defer func() {
		if err != nil {
			r.release()
		}
	}()
	if err := r.open(ctx, filepath.Join(o.Dir, name)); err != nil {
		return nil, fault.New(fault.KindOf(err), "record what is created in the zone", err).
			WithHint("check that %s is writable; nothing is created in the zone without a record", o.Dir)
	}
	if r.clients, err = connect(o, r.journal); err != nil {
		return nil, err
	}
	r.ends = append(r.ends, r.close)
	r.storage = r.storage.WithOwner(name)
	r.groups = network.NewSecurityGroups(r.spec, r.cloud)
	r.elasticIPs = network.NewElasticIPs(r.spec, r.cloud, r.facts)
	r.dns = network.NewDNS(r.spec, r.cloud, r.elasticIPs)
	r.buckets = access.NewBuckets(r.spec, r.storage)
	return r, nil
}

func (r *run) open(ctx context.Context, path string) (err error) {
	if r.folder, err = state.Create(path); err != nil {
		return err
	}
	unlock, err := r.folder.Lock(ctx)
	if err != nil {
		return err
	}
	r.ends = append(r.ends, unlock)
	content, err := json.Marshal(record{r.options.Zone})
	if err == nil {
		err = r.folder.Write(recordFile, content)
	}
	if err != nil {
		return err
	}
	if r.journal, err = r.folder.OpenJournal(r.options.Network.Clock.Now); err != nil {
		return err
	}
	r.ends = append(r.ends, func() { _ = r.journal.Close() })
	return nil
}

func (r *run) release() {
	for len(r.ends) > 0 {
		last := len(r.ends) - 1
		r.ends[last]()
		r.ends = r.ends[:last]
	}
}

func buildSpec(zone, name, key string) state.Spec {
	spec := state.Default()
	spec.Cluster.ID, spec.Cluster.BaseDomain = name, baseDomain
	spec.Exoscale.Zone, spec.OpenShift.SSHKey = zone, key
	spec.Sizing.LoadBalancers = state.MachineSpec{Type: machineType, Count: 1, RootDisk: diskGiB}
	return spec
}

// newSSHKey returns the public half of a key as a line of authorized_keys. Nobody keeps the other half.
func newSSHKey() (string, error) {
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return "", err
	}
	line, err := ssh.NewPublicKey(public)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(line))) + " conformance", nil
}

// part settles some of the verdicts.
type part struct {
	title string
	ids   []string
	do    func(context.Context) error
}

// settleAll reaches every verdict but the last. Without the right to create anything the run ends.
func (r *run) settleAll(ctx context.Context) error {
	if err := r.settleRight(ctx); err != nil {
		r.ledger.settle(CreateRight, false, "%s", describe(err))
		return err
	}
	r.settleParts(ctx, []part{{"SSH keys", []string{KnownSSHKey}, accessPart{r}.settleSSHKey}, {"buckets", nil, r.ensureBuckets}})
	r.settleParts(ctx, []part{
		{"image", []string{ImageUpload, ImageTemplate, ImageDeleted}, imagePart{r}.settle},
		{"roles and keys", []string{OwnBucket, OtherBucket}, accessPart{r}.settleRoles},
		{"network", []string{
			NameServers, Wildcard, Duplicates, Served, BalancerReady, ElasticIPForwards, MachineConfigOut, MachineConfigInside,
			ElasticIPSource, ElasticIPHolder, Protection,
		}, networkPart{r}.settle},
	})
	r.askLast(ctx)
	return nil
}

// settleParts works on parts side by side. What fails stops its own part only.
func (r *run) settleParts(ctx context.Context, parts []part) {
	var working sync.WaitGroup
	for _, p := range parts {
		working.Go(func() {
			r.options.Progress("looks at: " + p.title)
			if err := p.do(ctx); err != nil {
				r.ledger.abandon(p.ids, err)
			}
		})
	}
	working.Wait()
}

// settleRight makes what costs nothing, so that a key without rights ends the run before anything that does.
func (r *run) settleRight(ctx context.Context) error {
	_, action, err := r.cloud.EnsureAntiAffinityGroup(ctx, r.spec.ObjectName("right"), r.spec.ObjectDescription("the right to create"))
	if err == nil && action != state.Created {
		err = fault.Newf(fault.Conflict, "create an anti-affinity group", "one of that name was %s", action)
	}
	if err != nil {
		return err
	}
	r.ledger.settle(CreateRight, true, "the API key may create: an anti-affinity group, which is free, was created")
	return nil
}

func (r *run) ensureBuckets(ctx context.Context) error {
	return errors.Join(r.buckets.Ensure(ctx, r.report), r.buckets.EnsureOne(ctx, r.report, bucketAnswers))
}

// report tells what the recipe's steps do.
func (r *run) report(e provisioner.Event) {
	if e.Type == provisioner.TypeObject && e.Action != string(state.Found) {
		r.options.Progress(fmt.Sprintf("%s %s %s", e.Action, e.Kind, e.Name))
	}
}

// cleanUpLimit bounds, by the zone's clock, the deletion of all that a run made.
const cleanUpLimit = 20 * time.Minute

// cleanUp deletes what the run made, also after it was stopped.
func (r *run) cleanUp(ctx context.Context) error {
	limit := max(r.options.Network.Clock.ToWall(cleanUpLimit), time.Minute)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	r.options.Progress("deletes the run's objects")
	s := sweeper{clients: r.clients, clock: r.options.Network.Clock, progress: r.options.Progress}
	clock := r.options.Network.Clock
	for _, e := range listOpen(r.folder) {
		if err := clock.Sleep(ctx, settleTime-clock.Now().Sub(e.Time)); err != nil {
			return err
		}
	}
	if err := s.sweep(ctx, []string{r.spec.Cluster.ID}); err != nil {
		return err
	}
	if doubt := findDoubt(r.folder, clock.Now()); doubt != "" {
		return fault.Newf(fault.Waiting, "delete the objects of the run", "%s was requested without a response and may still appear", doubt).
			WithHint("run it again in an hour: it deletes leftovers first")
	}
	// After the lock is released: its heartbeat writes into the folder until then.
	r.ends = slices.Insert(r.ends, 0, func() { _ = os.RemoveAll(r.folder.Path()) }) // a later run tries again
	return nil
}

// isRefused reports whether the zone declined a request, rather than failed to carry it out.
func isRefused(err error) bool {
	return fault.Is(err, fault.Conflict) || fault.Is(err, fault.Invalid) || fault.Is(err, fault.Denied)
}

// retry calls do until it succeeds, or until the limit. Both times are by the zone's clock.
func (r *run) retry(ctx context.Context, limit, pause time.Duration, do func() error) error {
	var failed error
	_, stopped := r.options.Network.Clock.Poll(ctx, pause, limit, func() (bool, error) {
		failed = do()
		return failed == nil, nil
	})
	if stopped != nil {
		return fault.New(fault.KindOf(ctx.Err()), "wait", stopped)
	}
	return failed
}
