package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/internal/text"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/install/machines"
	"exoshift/state"
)

const (
	portAPI           = 6443
	portMachineConfig = 22623
	portHealth        = 8404

	// readyLimit is how long, by the zone's clock, a load balancer may need from its start, and an elastic IP from then on.
	readyLimit = 10 * time.Minute
	readyPause = 5 * time.Second
	// pollTimeout is that of one connection, by the zone's clock.
	pollTimeout = 10 * time.Second
	// linkLifetime is that of the link that a machine puts its answers by.
	linkLifetime = time.Hour
)

// Objects in the bucket for answers.
const (
	keyBalancer = "balancer"
	keyNode     = "node"
)

// IDs of questions.
const (
	askHolder       = "holder"      // the load balancer, by the elastic IP that it holds itself
	askAddress      = "address"     // the node, by the load balancer's own address
	askConfig       = "config"      // the same, the port of the machine config server
	askAddressByEIP = "address-eip" // by the elastic IP
	askConfigByEIP  = "config-eip"  // the same, the port of the machine config server
)

// networkPart looks at a load balancer, from outside and from a machine in the zone.
type networkPart struct{ *run }

// settle starts a load balancer as the recipe does, and looks at it from outside and from a machine in the zone.
func (r networkPart) settle(ctx context.Context) error {
	if err := r.groups.Ensure(ctx, r.report); err != nil {
		return err
	}
	if err := r.elasticIPs.Ensure(ctx, r.report); err != nil {
		return err
	}
	since := r.options.Network.Clock.Now()
	if err := r.dns.EnsureZone(ctx, r.report); err != nil {
		return err
	}
	if err := r.dns.EnsureRecords(ctx, r.report); err != nil {
		return err
	}
	var working sync.WaitGroup
	working.Go(func() {
		if err := dnsPart(r).settle(ctx, since); err != nil {
			r.ledger.abandon([]string{NameServers, Wildcard, Duplicates, Served}, err)
		}
	})
	err := r.settleBalancer(ctx)
	working.Wait()
	return err
}

func (r networkPart) settleBalancer(ctx context.Context) error {
	balancer, err := r.startBalancer(ctx)
	if err != nil {
		return err
	}
	own, shared := balancer.Address, r.elasticIPs.API().Address
	err = r.waitHealthy(ctx, own)
	r.ledger.check(BalancerReady, err, "a load balancer installed its packages and answers on its monitor port, %d", portHealth)
	if err != nil {
		return err
	}
	err = r.waitHealthy(ctx, shared)
	r.ledger.check(ElasticIPForwards, err, "the managed elastic IP forwards to a load balancer that is healthy")
	r.settleOutside(ctx, own, shared)
	node, err := r.startNode(ctx, own, shared)
	if err != nil {
		return err
	}
	return r.settleInside(ctx, node)
}

// questioning is the cloud of the recipe, whose load balancers ask for themselves once they are set up.
type questioning struct {
	*exoscale.Client
	questions assets.Questions
}

// EnsureInstances appends the questions to the user data.
func (q questioning) EnsureInstances(ctx context.Context, wanted []state.Instance, observer state.InstanceObserver) error {
	for i := range wanted {
		content, err := assets.AppendQuestions(wanted[i].UserData, q.questions)
		if err != nil {
			return fault.New(fault.Internal, "write the load balancer's task", err)
		}
		wanted[i].UserData = content
	}
	return q.Client.EnsureInstances(ctx, wanted, observer)
}

func (r networkPart) startBalancer(ctx context.Context) (state.Instance, error) {
	link, err := r.storage.SignPutURL(ctx, r.spec.Bucket(bucketAnswers), keyBalancer, linkLifetime)
	if err != nil {
		return state.Instance{}, err
	}
	cloud := questioning{r.cloud, assets.Questions{Answers: link, Questions: []assets.Question{
		{ID: askHolder, URL: formatHealthURL(r.elasticIPs.API().Address, "/address"), Retries: 6},
	}}}
	starting := machines.New(machines.Deps{
		Spec: r.spec, Folder: r.folder, Cloud: cloud, Clock: r.options.Network.Clock, SecurityGroups: r.groups, ElasticIPs: r.elasticIPs, DNS: r.dns,
		AntiAffinity: machines.NewAntiAffinityGroups(r.spec, cloud), DeployTarget: func() string { return "" },
	})
	if err := starting.EnsureLoadBalancers(ctx, r.report); err != nil {
		return state.Instance{}, err
	}
	balancer, _ := starting.Find(r.spec.Machines(state.RoleLoadBalancer)[0].Name)
	return balancer, nil
}

// startNode starts a machine in the groups of a worker, which asks the load balancer as a node does.
func (r networkPart) startNode(ctx context.Context, own, shared string) (state.Instance, error) {
	node := state.Instance{
		Name: "node-0", Type: machineType, DiskGiB: diskGiB, Labels: r.spec.Labels(),
		SecurityGroups: r.groups.ListIDs(state.RoleWorker),
	}
	template, err := r.cloud.FindPublicTemplate(ctx, machines.LoadBalancerTemplate)
	if err != nil {
		return node, err
	}
	node.TemplateID = template.ID
	link, err := r.storage.SignPutURL(ctx, r.spec.Bucket(bucketAnswers), keyNode, linkLifetime)
	if err != nil {
		return node, err
	}
	node.UserData, err = assets.RenderQuestions(assets.Questions{Answers: link, Questions: []assets.Question{
		{ID: askAddress, URL: formatHealthURL(own, "/address"), Retries: 3},
		{ID: askConfig, URL: formatURL(own, portMachineConfig)},
		{ID: askAddressByEIP, URL: formatHealthURL(shared, "/address"), Retries: 3},
		{ID: askConfigByEIP, URL: formatURL(shared, portMachineConfig)},
	}})
	if err != nil {
		return node, fault.New(fault.Internal, "write the machine's task", err)
	}
	made, action, err := r.cloud.EnsureInstance(ctx, node)
	r.options.Progress(fmt.Sprintf("%s %s %s", action, state.KindInstance, node.Name))
	return made, err
}

func formatHealthURL(address, path string) string {
	return "http://" + net.JoinHostPort(address, strconv.Itoa(portHealth)) + path
}

func formatURL(address string, port int) string {
	return "http://" + net.JoinHostPort(address, strconv.Itoa(port)) + "/"
}

func (r networkPart) waitHealthy(ctx context.Context, address string) error {
	client := &http.Client{Transport: r.options.Network.Observed(&http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			return r.options.Network.Connect(ctx, address)
		},
	})}
	return r.retry(ctx, readyLimit, readyPause, func() error {
		ctx, cancel := context.WithTimeout(ctx, max(r.options.Network.Clock.ToWall(pollTimeout), time.Second))
		defer cancel()
		op := "ask " + address + " whether it serves"
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, formatHealthURL(address, "/healthz"), http.NoBody)
		if err != nil {
			return fault.New(fault.Internal, op, err)
		}
		answer, err := client.Do(request)
		if err != nil {
			return fault.New(fault.Timeout, op, err).WithHint("check the instance's console in the Exoscale portal: does cloud-init install packages?")
		}
		defer func() { _ = answer.Body.Close() }()
		_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<10))
		if answer.StatusCode != http.StatusOK {
			return fault.Newf(fault.Transient, op, "it answers %s", answer.Status)
		}
		return nil
	})
}

// settleOutside connects from here. The port of the API, which is open to everybody, shows that a refusal means something.
func (r networkPart) settleOutside(ctx context.Context, own, shared string) {
	for _, address := range []string{own, shared} {
		way, err := r.findWay(ctx, address)
		if err != nil {
			r.ledger.settle(MachineConfigOut, false, "not proven: port %d of %s, which is open to the internet, is not reachable from here either (%s)",
				portAPI, address, describe(err))
			return
		}
		if r.try(ctx, way, address, portMachineConfig) == nil {
			r.ledger.settle(MachineConfigOut, false, "port %d of %s is reachable from here: anyone can fetch the node configuration",
				portMachineConfig, address)
			return
		}
	}
	r.ledger.settle(MachineConfigOut, true, "port %d is not reached from here, neither by the load balancer's own address nor by the elastic IP", portMachineConfig)
}

// way is how a machine is reached: through the proxy of this machine, or directly.
type way func(ctx context.Context, address string) (net.Conn, error)

// findWay returns the first way by which the port of the API is reached. Another way says nothing about the other ports.
func (r networkPart) findWay(ctx context.Context, address string) (way, error) {
	n := r.options.Network
	ways := []way{func(ctx context.Context, address string) (net.Conn, error) { return n.Dial(ctx, "tcp", address) }}
	if n.Proxy != nil {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+net.JoinHostPort(address, strconv.Itoa(portAPI)), http.NoBody)
		if err != nil {
			return nil, err
		}
		if proxy, err := n.Proxy(request); err == nil && proxy != nil {
			ways = slices.Insert(ways, 0, func(ctx context.Context, address string) (net.Conn, error) {
				return n.ConnectThrough(ctx, proxy, address)
			})
		}
	}
	var failures []error
	for _, one := range ways {
		err := r.try(ctx, one, address, portAPI)
		if err == nil {
			return one, nil
		}
		failures = append(failures, err)
	}
	return nil, errors.Join(failures...)
}

func (r networkPart) try(ctx context.Context, by way, address string, port int) error {
	ctx, cancel := context.WithTimeout(ctx, max(r.options.Network.Clock.ToWall(pollTimeout), time.Second))
	defer cancel()
	connection, err := by(ctx, net.JoinHostPort(address, strconv.Itoa(port)))
	if err != nil {
		return err
	}
	return connection.Close()
}

// answer is that to one question.
type answer struct {
	code int // curl's exit code
	text string
}

// Exit codes of curl for connections that never came to be.
const (
	curlConnect = 7
	curlTimeout = 28
)

func (a answer) connected() bool { return a.code != curlConnect && a.code != curlTimeout }

// settleInside waits for what the machines saw.
func (r networkPart) settleInside(ctx context.Context, node state.Instance) error {
	answers, err := r.awaitAnswers(ctx, keyNode)
	if err != nil {
		return err
	}
	r.settleNode(node, answers)
	if answers, err = r.awaitAnswers(ctx, keyBalancer); err != nil {
		return err
	}
	if got := answers[askHolder]; got.code == 0 {
		r.ledger.settle(ElasticIPHolder, false,
			"a load balancer reaches itself through its elastic IP, with the source address %s; no installation depends on it", got.text)
	} else {
		r.ledger.settle(ElasticIPHolder, true,
			"a load balancer does not reach itself through its elastic IP (curl exit code %d), so it must not depend on it", got.code)
	}
	return r.settleProtection(ctx, node)
}

func (r networkPart) settleNode(node state.Instance, answers map[string]answer) {
	direct, config := answers[askAddress], answers[askConfig]
	switch {
	case !config.connected():
		r.ledger.settle(MachineConfigInside, false,
			"port %d is not reachable from a machine of the cluster (curl exit code %d): no node gets its configuration", portMachineConfig, config.code)
	case direct.text != node.Address:
		r.ledger.settle(MachineConfigInside, false,
			"a load balancer sees %q as the source of a machine whose address is %s", direct.text, node.Address)
	default:
		r.ledger.settle(MachineConfigInside, true,
			"port %d is reached from a machine of the cluster by the load balancer's own address, and its source address is its own", portMachineConfig)
	}
	shared, config := answers[askAddressByEIP], answers[askConfigByEIP]
	if shared.text == node.Address && config.connected() {
		r.ledger.settle(ElasticIPSource, true,
			"a managed elastic IP keeps the source address, and security groups that name a group match through it: loadBalancer.internal may be elastic-ip")
		return
	}
	r.ledger.settle(ElasticIPSource, false,
		"through a managed elastic IP the source is %q instead of %s, and port %d is %s: leave loadBalancer.internal at addresses, which does not depend on it",
		shared.text, node.Address, portMachineConfig, map[bool]string{true: "reached", false: "not reached"}[config.connected()])
}

const maxAnswers = 8 << 10 // bytes

func (r networkPart) awaitAnswers(ctx context.Context, key string) (map[string]answer, error) {
	bucket := r.spec.Bucket(bucketAnswers)
	var content []byte
	err := r.retry(ctx, readyLimit, readyPause, func() (err error) {
		content, err = r.storage.GetObject(ctx, bucket, key, maxAnswers)
		return err
	})
	if fault.Is(err, fault.NotFound) {
		err = fault.Newf(fault.Timeout, "wait for what the machine "+key+" saw", "it has uploaded nothing to the object storage after %s", readyLimit).
			WithHint("check its console in the Exoscale portal: does it reach https://%s?", state.ObjectStorageHost(r.options.Zone))
	}
	if err != nil {
		return nil, err
	}
	return parseAnswers(string(content)), nil
}

func parseAnswers(content string) map[string]answer {
	answers := map[string]answer{}
	for line := range strings.Lines(content) {
		words := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(words) < 2 {
			continue
		}
		code, err := strconv.Atoi(words[1])
		if err != nil {
			continue
		}
		got := answer{code: code}
		if len(words) == 3 {
			got.text = text.Sanitize(strings.TrimSpace(words[2]), text.WithLimit(60))
		}
		if address, err := netip.ParseAddr(got.text); err == nil {
			got.text = address.Unmap().String()
		}
		answers[words[0]] = got
	}
	return answers
}

// settleProtection protects a machine twice, and tries to delete it.
func (r networkPart) settleProtection(ctx context.Context, node state.Instance) error {
	path := "/instance/" + node.ID
	for range 2 {
		if err := r.raw.Execute(ctx, "protect a machine", http.MethodPut, path+":add-protection", nil); err != nil {
			return err
		}
	}
	err := r.raw.Execute(ctx, "delete a protected machine", http.MethodDelete, path, nil)
	switch {
	case err == nil:
		r.ledger.settle(Protection, false, "a protected machine was deleted: exoscale.protectMasters protects nothing")
		return nil
	case !isRefused(err):
		return err
	}
	r.ledger.settle(Protection, true, "protection can be set twice, and a protected machine is not deleted: %v", err)
	return r.raw.Execute(ctx, "take off a machine's protection", http.MethodPut, path+":remove-protection", nil)
}
