package foreign

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	v3 "github.com/exoscale/egoscale/v3"
	"github.com/exoscale/egoscale/v3/credentials"
)

// Limits of what an installation takes, relative to Terraform making the same objects in one go.
const (
	timeLimit  = 0.9 // until all machines run
	callsLimit = 0.8
)

const (
	ours, theirs = "c-bench", "c-terraform"
	baseDomain   = "example.net"
)

// BenchmarkTerraform lets Terraform and then exoshift make the machines of a default cluster, with all that they need, on one
// standing zone whose API takes 100 ms for each answer. The template is there, and the domain is delegated. Terraform makes the
// objects that an earlier installation has made, but for buckets, API keys and what they are allowed. Terraform starts nodes beside
// load balancers and does not ask whether these work; an installation starts no node before they answer, and the zone's machines
// take longer to boot and to install packages than Terraform takes for everything. So the limit holds for the time without that wait, and
// both ratios are printed.
func BenchmarkTerraform(b *testing.B) {
	if prepared.missing != "" {
		b.Skip(prepared.missing)
	}
	for b.Loop() {
		measureBoth(b)
	}
}

func measureBoth(b *testing.B) {
	dir := b.TempDir()
	check(b, os.WriteFile(filepath.Join(dir, "answers.yaml"), []byte(strings.ReplaceAll(answers, "c-foreign", ours)), 0o600))
	startMachines(b, dir, "model", 4, func(e event) bool { // with all that comes after a machine's start
		return e.Type == "step" && e.State == "done" && (e.Step == "load-balancers" || strings.HasSuffix(e.Step, "-machines") || e.Step == "bootstrap-machine")
	})
	configuration := describeObjects(b)
	check(b, os.RemoveAll(filepath.Join(dir, "model"))) // without its folder, the template is nobody's and stays
	destroyed := exec.CommandContext(b.Context(), opened.program, "destroy", "--answers", filepath.Join(dir, "answers.yaml"), "--confirm-destroy", ours, "--output", "plain")
	check(b, output(destroyed))

	calls := filepath.Join(dir, "calls")
	opened.crash()
	opened.speed, opened.more = os.Getenv("BENCH_SPEED"), []string{"--latency", "100ms", "--calls", calls}
	if opened.speed == "" {
		opened.speed = "1"
	}
	check(b, opened.start())
	delegate(b)

	began := time.Now()
	countCalls(b, calls) // forgets those so far
	applyTerraform(b, filepath.Join(dir, "terraform"), configuration)
	terraformTime, terraformCalls := time.Since(began), countCalls(b, calls)
	began = time.Now()
	waited := startMachines(b, dir, "cluster", 16, func(e event) bool { return e.Type == "object" && e.Kind == "instance" && e.Action == "created" })
	ourTime, ourCalls := time.Since(began), countCalls(b, calls)
	b.Logf("at speed %s: Terraform took %s and %d calls, exoshift %s and %d calls; %s of them it waited until the load balancers answered", opened.speed,
		terraformTime.Round(time.Second), terraformCalls, ourTime.Round(time.Second), ourCalls, waited.Round(time.Second))
	whole, alike := ourTime.Seconds()/terraformTime.Seconds(), (ourTime-waited).Seconds()/terraformTime.Seconds()
	b.ReportMetric(whole, "time-ratio")
	b.ReportMetric(alike, "time-ratio-without-gate")
	b.ReportMetric(float64(ourCalls)/float64(terraformCalls), "calls-ratio")
	if alike > timeLimit {
		b.Errorf("without the gate, an installation takes %.2f times as long as Terraform until all machines run, the limit is %g", alike, timeLimit)
	}
	if ratio := float64(ourCalls) / float64(terraformCalls); ratio > callsLimit {
		b.Errorf("an installation makes %.2f times as many calls as Terraform, the limit is %g", ratio, callsLimit)
	}
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// countCalls counts the calls since the last time, and forgets them.
func countCalls(b *testing.B, file string) int {
	b.Helper()
	content, err := os.ReadFile(file)
	check(b, err)
	check(b, os.Truncate(file, 0))
	return bytes.Count(content, []byte("\n"))
}

type event struct{ Type, Step, State, Text, Kind, Action string }

// startMachines begins an installation and kills it when a number of events have come. It returns how long nothing but the start of the
// load balancers was waited for.
func startMachines(b *testing.B, dir, folder string, number int, counts func(event) bool) (waited time.Duration) {
	b.Helper()
	ctx, kill := context.WithCancel(b.Context())
	defer kill()
	install := exec.CommandContext(ctx, opened.program, "install", "--yes", "--answers", filepath.Join(dir, "answers.yaml"),
		"--dir", filepath.Join(dir, folder), "--output", "json")
	events, err := install.StdoutPipe()
	check(b, err)
	install.Stderr = os.Stderr
	check(b, install.Start())
	seen := 0
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 1<<20)
	began, ended := time.Now(), map[string]time.Time{}
	for seen < number && lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		if counts(e) {
			seen++
		}
		if e.Type == "step" && (e.State == "done" || e.State == "failed") {
			b.Logf("%6.1fs %s %s %s", time.Since(began).Seconds(), e.State, e.Step, e.Text)
			ended[e.Step] = time.Now()
		}
	}
	kill()
	_ = install.Wait()
	if seen < number {
		b.Fatalf("the installation ended after %d of %d", seen, number)
	}
	return ended["load-balancers-ready"].Sub(latest(ended["load-balancers"], ended["image"], ended["bootstrap-ignition"]))
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }

// applyTerraform returns when Terraform has made everything.
func applyTerraform(b *testing.B, dir string, configuration map[string]any) {
	b.Helper()
	content, err := json.MarshalIndent(configuration, "", "  ")
	check(b, err)
	check(b, os.MkdirAll(dir, 0o700))
	check(b, os.WriteFile(filepath.Join(dir, "main.tf.json"), content, 0o600))
	check(b, os.WriteFile(filepath.Join(dir, "terraform.rc"), prepared.settings(), 0o600))
	b.Setenv("TF_CLI_CONFIG_FILE", filepath.Join(dir, "terraform.rc"))
	b.Setenv("CHECKPOINT_DISABLE", "1")
	check(b, output(exec.CommandContext(b.Context(), prepared.program, "-chdir="+dir, "apply", "-auto-approve", "-no-color")))
}

// newCloud is open for benchmarks.
func newCloud(b *testing.B) *v3.Client {
	b.Helper()
	client, err := v3.NewClient(credentials.NewEnvCredentials())
	check(b, err)
	endpoint, err := client.GetZoneAPIEndpoint(b.Context(), "ch-gva-2")
	check(b, err)
	return client.WithEndpoint(endpoint)
}

// delegate holds the domain above the cluster's, which delegates it: nobody has to be waited for.
func delegate(b *testing.B) {
	b.Helper()
	c, ctx := newCloud(b), b.Context()
	wait := func(operation *v3.Operation, err error) v3.UUID {
		check(b, err)
		done, err := c.Wait(ctx, operation, v3.OperationStateSuccess)
		check(b, err)
		return done.Reference.ID
	}
	zone := wait(c.CreateDNSDomain(ctx, v3.CreateDNSDomainRequest{UnicodeName: baseDomain}))
	for _, suffix := range []string{"com", "ch", "io", "net"} {
		wait(c.CreateDNSDomainRecord(ctx, zone, v3.CreateDNSDomainRecordRequest{
			Name: ours, Type: v3.CreateDNSDomainRecordRequestTypeNS, Content: "ns1.exoscale." + suffix, Ttl: 3600,
		}))
	}
}

// objects is a Terraform configuration in JSON.
type objects map[string]map[string]any

func (o objects) add(kind, name string, attributes map[string]any) string {
	if o[kind] == nil {
		o[kind] = map[string]any{}
	}
	name = "r_" + regexp.MustCompile(`[^a-z0-9_]`).ReplaceAllString(strings.ToLower(name), "_")
	o[kind][name] = attributes
	return "${" + kind + "." + name
}

// describeObjects is a configuration of what the zone holds of a cluster, with a name of its own.
func describeObjects(b *testing.B) map[string]any {
	b.Helper()
	c, ctx := newCloud(b), b.Context()
	resources := objects{}
	addresses := map[string]string{} // what has them, by address
	rename := func(name string) string { return strings.ReplaceAll(name, ours, theirs) }
	groups, apart := map[v3.UUID]string{}, map[v3.UUID]string{}

	listed, err := c.ListSecurityGroups(ctx)
	check(b, err)
	for _, g := range listed.SecurityGroups {
		if strings.HasPrefix(g.Name, ours) {
			groups[g.ID] = resources.add("exoscale_security_group", g.Name, map[string]any{"name": rename(g.Name), "description": rename(g.Description)}) + ".id}"
		}
	}
	for _, g := range listed.SecurityGroups {
		if groups[g.ID] == "" {
			continue
		}
		for i, r := range g.Rules {
			rule := map[string]any{"security_group_id": groups[g.ID], "type": "INGRESS", "protocol": strings.ToUpper(string(r.Protocol)), "description": r.Description}
			if r.ICMP != nil {
				rule["icmp_type"], rule["icmp_code"] = r.ICMP.Type, r.ICMP.Code
			} else {
				rule["start_port"], rule["end_port"] = r.StartPort, r.EndPort
			}
			if r.SecurityGroup != nil {
				rule["user_security_group_id"] = groups[r.SecurityGroup.ID]
			} else {
				rule["cidr"] = r.Network
			}
			resources.add("exoscale_security_group_rule", fmt.Sprint(g.Name, i), rule)
		}
	}
	affinity, err := c.ListAntiAffinityGroups(ctx)
	check(b, err)
	for _, g := range affinity.AntiAffinityGroups {
		if strings.HasPrefix(g.Name, ours) {
			apart[g.ID] = resources.add("exoscale_anti_affinity_group", g.Name, map[string]any{"name": rename(g.Name), "description": rename(g.Description)}) + ".id}"
		}
	}
	elastic, err := c.ListElasticIPS(ctx)
	check(b, err)
	ips := map[v3.UUID]string{}
	for _, ip := range elastic.ElasticIPS {
		if !strings.HasPrefix(ip.Description, ours) {
			continue
		}
		name := resources.add("exoscale_elastic_ip", ip.Description, map[string]any{
			"zone": "ch-gva-2", "description": rename(ip.Description), "reverse_dns": "api." + theirs + "." + baseDomain,
			"labels": map[string]string{"exoshift-name": rename(ip.Description)},
			"healthcheck": map[string]any{
				"mode": "http", "port": 8404, "uri": "/healthz", "interval": 10, "timeout": 2, "strikes_ok": 2, "strikes_fail": 3,
			},
		})
		addresses[ip.IP], ips[ip.ID] = name+".ip_address}", name+".id}"
	}
	types, err := c.ListInstanceTypes(ctx)
	check(b, err)
	instances, err := c.ListInstances(ctx)
	check(b, err)
	for _, listed := range instances.Instances {
		if listed.Labels["exoshift-cluster"] != ours {
			continue
		}
		i, err := c.GetInstance(ctx, listed.ID)
		check(b, err)
		kind, err := types.FindInstanceTypeByIdOrFamilyAndSize(string(i.InstanceType.ID))
		check(b, err)
		machine := map[string]any{
			"zone": "ch-gva-2", "name": i.Name, "type": string(kind.Family) + "." + string(kind.Size), "template_id": string(i.Template.ID),
			"disk_size": i.DiskSize, "labels": map[string]string{"role": i.Labels["exoshift-role"]}, "user_data": "#cloud-config\n",
		}
		add := func(attribute, id string) { machine[attribute] = append(asList(machine[attribute]), id) }
		for _, g := range i.SecurityGroups {
			add("security_group_ids", groups[g.ID])
		}
		for _, g := range i.AntiAffinityGroups {
			add("anti_affinity_group_ids", apart[g.ID])
		}
		for _, ip := range i.ElasticIPS {
			add("elastic_ip_ids", ips[ip.ID])
		}
		addresses[i.PublicIP.String()] = resources.add("exoscale_compute_instance", i.Name, machine) + ".public_ip_address}"
	}
	domains, err := c.ListDNSDomains(ctx)
	check(b, err)
	for _, d := range domains.DNSDomains {
		if d.UnicodeName != ours+"."+baseDomain {
			continue
		}
		domain := resources.add("exoscale_domain", d.UnicodeName, map[string]any{"name": rename(d.UnicodeName)}) + ".id}"
		records, err := c.ListDNSDomainRecords(ctx, d.ID)
		check(b, err)
		for i, r := range records.DNSDomainRecords {
			if r.Name == "" {
				continue
			}
			content := rename(r.Content)
			if known := addresses[r.Content]; known != "" {
				content = known
			}
			resources.add("exoscale_domain_record", fmt.Sprint(r.Name, i), map[string]any{
				"domain": domain, "name": r.Name, "record_type": string(r.Type), "content": content, "ttl": r.Ttl,
			})
		}
	}
	counts := map[string]int{}
	for kind := range maps.Keys(resources) {
		counts[kind] = len(resources[kind])
	}
	b.Logf("the configuration has %v", counts)
	return map[string]any{
		"terraform": map[string]any{"required_providers": map[string]any{"exoscale": map[string]any{"source": "exoscale/exoscale"}}},
		"resource":  resources,
	}
}

func asList(value any) []string {
	list, _ := value.([]string)
	return list
}
