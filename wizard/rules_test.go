package wizard_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/local"
)

func TestCheck_Rules(t *testing.T) {
	group := state.GroupSpec{Name: "gpu", MachineSpec: state.MachineSpec{Type: "standard.huge", Count: 1, RootDisk: 100}}
	for name, c := range map[string]struct {
		change func(*state.Spec)
		want   []string // prefixes of the problems
	}{
		"nothing wrong":     {func(*state.Spec) {}, nil},
		"pods over service": {func(s *state.Spec) { s.Network.ServiceCIDR = "10.128.0.0/16" }, []string{"network.serviceCIDR  10.128.0.0/16 overlaps network.podCIDR (10.128.0.0/14)"}},
		"customer over all": {func(s *state.Spec) { s.Network.CustomerNetworks = []string{"192.168.0.0/16", "0.0.0.0/0"} }, []string{
			"network.customerNetworks[1]  0.0.0.0/0 overlaps network.podCIDR", "network.customerNetworks[1]  0.0.0.0/0 overlaps network.serviceCIDR",
			"network.customerNetworks[1]  0.0.0.0/0 overlaps network.nodeCIDR", "network.customerNetworks[1]  0.0.0.0/0 overlaps network.customerNetworks[0]",
			"network.customerNetworks[1]  0.0.0.0/0 overlaps the join", "network.customerNetworks[1]  0.0.0.0/0 overlaps the transit",
			"network.customerNetworks[1]  0.0.0.0/0 overlaps the masquerade"}},
		"a customer with IPv6":   {func(s *state.Spec) { s.Network.CustomerNetworks = []string{"2001:db8::/32"} }, nil},
		"pods with IPv6":         {func(s *state.Spec) { s.Network.PodCIDR = "2001:db8::/32" }, []string{`network.podCIDR  "2001:db8::/32" is not an IPv4 range`}},
		"the join network":       {func(s *state.Spec) { s.Network.NodeCIDR = "100.64.4.0/24" }, []string{"network.nodeCIDR  100.64.4.0/24 overlaps the join network of OVN-Kubernetes (100.64.0.0/16)"}},
		"the transit network":    {func(s *state.Spec) { s.Network.ServiceCIDR = "100.88.0.0/16" }, []string{"network.serviceCIDR  100.88.0.0/16 overlaps the transit"}},
		"the masquerade network": {func(s *state.Spec) { s.Network.NodeCIDR = "169.254.0.0/16" }, []string{"network.nodeCIDR  169.254.0.0/16 overlaps the masquerade"}},
		"no OVN, no such networks": {func(s *state.Spec) {
			s.Network.NodeCIDR, s.Network.CNI, s.Syn.CatalogDir = "100.64.4.0/24", "Cilium", "c"
		}, nil},
		"services of /11": {func(s *state.Spec) { s.Network.ServiceCIDR = "172.0.0.0/11" }, []string{`network.serviceCIDR  "172.0.0.0/11" is too large`}},
		"services of /12": {func(s *state.Spec) { s.Network.ServiceCIDR = "172.16.0.0/12" }, nil},
		"a private network among the pods": {func(s *state.Spec) { s.Network.PrivateNetwork = "10.130.0.0/24" },
			[]string{"network.privateNetwork  10.130.0.0/24 overlaps network.podCIDR (10.128.0.0/14)"}},
		"a private network of the machine network": {func(s *state.Spec) { s.Network.PrivateNetwork = "10.0.7.0/24" },
			[]string{"network.privateNetwork  10.0.7.0/24 overlaps network.nodeCIDR (10.0.0.0/16)"}},
		"a private network of the customer": {func(s *state.Spec) {
			s.Network.PrivateNetwork, s.Network.CustomerNetworks = "192.168.7.0/24", []string{"192.168.0.0/16"}
		}, []string{"network.customerNetworks[0]  192.168.0.0/16 overlaps network.privateNetwork (192.168.7.0/24)  allowed: another network.privateNetwork"}},
		"a large private network": {func(s *state.Spec) { s.Network.PrivateNetwork = "172.16.0.0/15" }, []string{`network.privateNetwork  "172.16.0.0/15" is too large`}},
		"a tiny private network":  {func(s *state.Spec) { s.Network.PrivateNetwork = "172.18.0.0/29" }, []string{`network.privateNetwork  "172.18.0.0/29" is too small`}},
		"a full private network": {func(s *state.Spec) { s.Network.PrivateNetwork, s.Sizing.Workers.Count = "172.18.0.0/28", 4 },
			[]string{"network.privateNetwork  172.18.0.0/28 gives out 11 addresses; 11 nodes and one that replaces another need one each"}},
		"a wide host prefix":    {func(s *state.Spec) { s.Network.HostPrefix = 13 }, []string{"network.hostPrefix  a /13 per node does not fit into 10.128.0.0/14"}},
		"no room for all nodes": {func(s *state.Spec) { s.Network.HostPrefix = 17 }, []string{"network.hostPrefix  10.128.0.0/14 has room for 8 nodes with a /17 each; 13 are required"}},
		"room for all nodes":    {func(s *state.Spec) { s.Network.HostPrefix = 18 }, nil},
		"labels": {func(s *state.Spec) {
			s.Cluster.Labels = map[string]string{"stage": "prod", "example.net/Region_1.x": "West-1"}
		}, nil},
		"labels that are none": {func(s *state.Spec) {
			s.Cluster.Labels = map[string]string{"-stage": "prod", "a/b/c": "x", "empty": "", "long": strings.Repeat("a", 64), "Under_/x": "y"}
		}, []string{"cluster.labels.-stage  the name of a label is not valid", "cluster.labels.Under_/x  before the slash of a label is no domain",
			"cluster.labels.a/b/c  the name of a label is not valid", "cluster.labels.empty  the value of a label is not valid", "cluster.labels.long  the value of a label is not valid (64 characters)"}},
		"an ID of 49":          {func(s *state.Spec) { s.Cluster.ID = strings.Repeat("a", 49) }, []string{`cluster.id  "` + strings.Repeat("a", 49) + `" is not a valid DNS label (49 characters)`}},
		"an ID of 48":          {func(s *state.Spec) { s.Cluster.ID = strings.Repeat("a", 48) }, nil},
		"a long domain":        {func(s *state.Spec) { s.Cluster.BaseDomain = strings.Repeat("abcdefg.", 31) + "net" }, []string{"cluster.baseDomain  the cluster domain <id>.<baseDomain> has 260 characters"}},
		"a long apps domain":   {func(s *state.Spec) { s.DNS.AppsDomain = strings.Repeat("abcdefg.", 32) + "net" }, []string{"dns.appsDomain  the value is not a valid domain"}},
		"a domain with a dot":  {func(s *state.Spec) { s.Cluster.BaseDomain = "Example.net." }, []string{`cluster.baseDomain  "Example.net." is not a valid domain`}},
		"five masters":         {func(s *state.Spec) { s.Sizing.ControlPlane.Count = 5 }, []string{"sizing.controlPlane.count  5 is out of range  allowed: exactly 3"}},
		"two workers":          {func(s *state.Spec) { s.Sizing.Workers.Count = 2 }, []string{"sizing.workers.count  2 is out of range  allowed: 3 or more"}},
		"two bootstraps":       {func(s *state.Spec) { s.Sizing.Bootstrap.Count = 2 }, []string{"sizing.bootstrap.count"}},
		"small masters":        {func(s *state.Spec) { s.Sizing.ControlPlane.Type = "standard.large" }, []string{"sizing.controlPlane.type  standard.large (4 CPUs, 8 GiB) is too small"}},
		"storage as workers":   {func(s *state.Spec) { s.Sizing.Storage.Type = "standard.extra-large" }, []string{"sizing.storage.type  standard.extra-large (4 CPUs, 16 GiB) is too small"}},
		"larger storage":       {func(s *state.Spec) { s.Sizing.Storage.Type = "standard.mega" }, nil},
		"a disk too large":     {func(s *state.Spec) { s.Sizing.Storage.DataDisk = 701 }, []string{"sizing.storage.rootDisk  root and data disk are 801 GiB together  allowed: at most 800 GiB for cpu.extra-large"}},
		"a small storage disk": {func(s *state.Spec) { s.Sizing.Storage.DataDisk = 179 }, []string{"sizing.storage.dataDisk  179 is out of range  allowed: 180 or more"}},
		"a small root disk":    {func(s *state.Spec) { s.Sizing.Infra.RootDisk = 99 }, []string{"sizing.infra.rootDisk  99 is out of range"}},
		"TopoLVM":              {func(s *state.Spec) { s.Sizing.Workers.TopoLVM, s.Sizing.Workers.DataDisk = true, 50 }, nil},
		"TopoLVM on nothing":   {func(s *state.Spec) { s.Sizing.Infra.TopoLVM = true }, []string{"sizing.infra.topolvm  TopoLVM requires a data disk  allowed: false, or a dataDisk above 0"}},
		"TopoLVM of a group": {func(s *state.Spec) {
			s.Sizing.ExtraGroups = []state.GroupSpec{group}
			s.Sizing.ExtraGroups[0].TopoLVM = true
		}, []string{"sizing.extraGroups[0].topolvm  TopoLVM requires a data disk"}},
		"TopoLVM elsewhere": {func(s *state.Spec) {
			s.Sizing.Bootstrap.TopoLVM, s.Sizing.LoadBalancers.TopoLVM, s.Sizing.ControlPlane.TopoLVM, s.Sizing.Storage.TopoLVM = true, true, true, true
		}, []string{"sizing.bootstrap.topolvm  TopoLVM is not available for this role", "sizing.loadBalancers.topolvm", "sizing.controlPlane.topolvm", "sizing.storage.topolvm"}},
		"a deploy target": {func(s *state.Spec) { s.Exoscale.DeployTarget, s.Exoscale.ProtectMasters = "our hosts", true }, nil},
		"a group":         {func(s *state.Spec) { s.Sizing.ExtraGroups = []state.GroupSpec{group} }, nil},
		"a group twice":   {func(s *state.Spec) { s.Sizing.ExtraGroups = []state.GroupSpec{group, group} }, []string{`sizing.extraGroups[1].name  "gpu" is taken`}},
		"a group without a type": {func(s *state.Spec) {
			s.Sizing.ExtraGroups = []state.GroupSpec{{Name: "x", MachineSpec: state.MachineSpec{RootDisk: 100}}}
		},
			[]string{"sizing.extraGroups[0].type  is missing"}},
		"two SSH keys":           {func(s *state.Spec) { s.OpenShift.SSHKey = key + "\n" + key }, []string{"openshift.sshKey  the value is more than one line"}},
		"no SSH key":             {func(s *state.Spec) { s.OpenShift.SSHKey = "ssh-rsa s3cret" }, []string{"openshift.sshKey  the value is not an SSH public key"}},
		"key options":            {func(s *state.Spec) { s.OpenShift.SSHKey = `command="x" ` + key }, []string{"openshift.sshKey  the line has authorized_keys options"}},
		"both references":        {func(s *state.Spec) { s.OpenShift.PullSecret.File = "x" }, []string{"openshift.pullSecret  sets both env and file"}},
		"a key as a name":        {func(s *state.Spec) { s.Exoscale.APIKey.Env = "EXO0123456789abcdef01234567" }, []string{"exoscale.apiKey  this looks like an API key itself"}},
		"a secret as a name":     {func(s *state.Spec) { s.Exoscale.APISecret.Env = strings.Repeat("aB3_", 11) }, []string{"exoscale.apiSecret  this looks like a secret itself"}},
		"a secret as a file":     {func(s *state.Spec) { s.Exoscale.APISecret = state.SecretRef{File: strings.Repeat("aB3-", 11)} }, []string{"exoscale.apiSecret  this looks like a secret itself"}},
		"a secret as an account": {func(s *state.Spec) { s.Exoscale.APISecret = state.SecretRef{Exo: strings.Repeat("aB3-", 11)} }, []string{"exoscale.apiSecret  this looks like a secret itself"}},
		"a long name":            {func(s *state.Spec) { s.Exoscale.APISecret.Env = "EXOSCALE_API_SECRET_OF_THE_2ND_ORGANIZATION_OF_OURS" }, nil},
		"a proxy inside":         {func(s *state.Spec) { s.OpenShift.Proxy.HTTP = "http://172.30.0.9:3128" }, []string{"openshift.proxy.http  172.30.0.9 is inside network.serviceCIDR"}},
		"a proxy": {func(s *state.Spec) {
			s.OpenShift.Proxy = state.ProxySpec{HTTPS: "http://p:1", NoProxy: ".a.net,10.0.0.0/8,::1,b"}
		}, nil},
		"no proxy at all": {func(s *state.Spec) { s.OpenShift.Proxy.NoProxy = "*" }, []string{"openshift.proxy.noProxy  no proxy is set"}},
		"a lonely tenant": {func(s *state.Spec) { s.Syn.LieutenantURL, s.DNS.ACME = "https://l", true }, []string{"syn.tenant  is missing"}},
		"Cilium from nowhere": {func(s *state.Spec) { s.Network.CNI = "Cilium" }, []string{
			"network.cni  Cilium requires manifests from a catalog or a directory  allowed: Cilium with syn.lieutenantURL, syn.catalogDir or openshift.manifestsDir, or OVNKubernetes"}},
		"Cilium from Project Syn": {connected(func(s *state.Spec) { s.Network.CNI = "Cilium" }), nil},
		"a connected cluster":     {connected(func(*state.Spec) {}), nil},
		"a cluster without c-":    {connected(func(s *state.Spec) { s.Cluster.ID = "demo" }), []string{`cluster.id  "demo" does not start with c-, as required for the ID of a clusters in Lieutenant  allowed: e.g. c-demo  did you mean c-demo?`}},
		"nothing but c-":          {connected(func(s *state.Spec) { s.Cluster.ID = "c" }), []string{`cluster.id  "c" does not start with c-`}},
		"a long one without c-": {connected(func(s *state.Spec) { s.Cluster.ID = strings.Repeat("a", 47) }), []string{
			`cluster.id  "` + strings.Repeat("a", 47) + `" does not start with c-, as required for the ID of a clusters in Lieutenant  allowed: e.g. c-demo`}},
		"no label, told once": {connected(func(s *state.Spec) { s.Cluster.ID = "Demo" }), []string{`cluster.id  "Demo" is not a valid DNS label`}},
		"an ID without Syn":   {func(s *state.Spec) { s.Cluster.ID = "demo" }, nil},
		"a tenant without t-": {connected(func(s *state.Spec) { s.Syn.Tenant = "demo" }), []string{`syn.tenant  "demo" does not start with t-, as required for the ID of a tenants in Lieutenant  allowed: e.g. t-demo  did you mean t-demo?`}},
		"a Lieutenant with a slash": {connected(func(s *state.Spec) { s.Syn.LieutenantURL += "/" }), []string{
			`syn.lieutenantURL  the URL has a trailing slash  allowed: https://host, without a path  did you mean https://api.syn.example.net?`}},
		"a mount with a slash":     {connected(func(s *state.Spec) { s.Syn.VaultMount = "/other/kv/" }), []string{`syn.vaultMount  "/other/kv/" is not the path of a store in Vault`}},
		"a Vault with a query":     {connected(func(s *state.Spec) { s.Syn.VaultAddress = "https://v.example.net?a" }), []string{`syn.vaultAddress  the URL contains more than an address`}},
		"a Lieutenant without TLS": {connected(func(s *state.Spec) { s.Syn.LieutenantURL = "http://l.example.net" }), []string{`syn.lieutenantURL  the value is not an https URL`}},
		"facts that agree":         {connected(func(s *state.Spec) { s.Syn.Facts = map[string]string{"cloud": "exoscale", "region": s.Exoscale.Zone} }), nil},
		"facts that contradict": {connected(func(s *state.Spec) {
			s.Syn.Facts = map[string]string{"cloud": "cloudscale", "distribution": "oke", "region": "de-fra-1", "service_level": "any"}
		}), []string{
			`syn.facts.cloud  "cloudscale" contradicts the other answers, which determine this fact  allowed: exoscale, or omit the fact`,
			`syn.facts.distribution  "oke" contradicts`, `syn.facts.region  "de-fra-1" contradicts`}},
		"a token's account":       {connected(func(s *state.Spec) { s.Syn.GitToken = state.SecretRef{Exo: "a"} }), []string{"syn.gitToken  the exo CLI stores only API keys"}},
		"Cilium from a catalog":   {func(s *state.Spec) { s.Network.CNI, s.Syn.CatalogDir = "Cilium", "catalog" }, nil},
		"Cilium from a directory": {func(s *state.Spec) { s.Network.CNI, s.OpenShift.ManifestsDir = "Cilium", "manifests" }, nil},
		"round robin":             {func(s *state.Spec) { s.LoadBalancer.Strategy = "dns-round-robin" }, nil},
		"a catalog without Syn":   {func(s *state.Spec) { s.Syn.CatalogDir = "catalog" }, nil},
		"a cloud controller":      {func(s *state.Spec) { s.OpenShift.CloudControllerManager = "External" }, nil},
		"another cloud controller": {func(s *state.Spec) { s.OpenShift.CloudControllerManager = "external" }, []string{
			`openshift.cloudControllerManager  "external" is not known  allowed: External  did you mean External?`}},
	} {
		t.Run(name, func(t *testing.T) {
			spec := valid()
			c.change(&spec)
			faults := wizard.Check(spec)
			for i, f := range faults {
				if len(faults) != len(c.want) || !strings.HasPrefix(f.String(), c.want[i]) {
					t.Errorf("want %q\ngot:\n%s", c.want, lines(faults))
					return
				}
			}
			if len(faults) != len(c.want) {
				t.Errorf("want %q, got nothing", c.want)
			}
		})
	}
}

func connected(change func(*state.Spec)) func(*state.Spec) {
	return func(s *state.Spec) {
		s.Syn.LieutenantURL, s.Syn.Tenant, s.DNS.ACME = "https://api.syn.example.net", "t-demo", true
		change(s)
	}
}

func TestFacts_UnknownIsWarning(t *testing.T) {
	spec := valid()
	connected(func(s *state.Spec) { s.DNS.ACME = true })(&spec)
	spec.Syn.Facts = map[string]string{
		"service_level": "guaranteed-availability", "access_policy": "regular", "release_channel": "stabel", "maintenance_window": "tuesday-1000",
		"cilium_addons": "tetragon,networking", "sales_order": "10000", "servce_level": "any", "jumphost": "any",
	}
	if faults := wizard.Check(spec); len(faults) > 0 {
		t.Errorf("refused:\n%s", lines(faults))
	}
	want := strings.Join([]string{
		`syn.facts.cilium_addons  "networking" is not one of the usual values; the cluster's configuration must support it  allowed: one of NONE, advanced_networking, tetragon`,
		`syn.facts.release_channel  "stabel" is not one of the usual values; the cluster's configuration must support it  allowed: stable  did you mean stable?`,
		`syn.facts.sales_order  "10000" does not look like one  allowed: e.g. S10000`,
		`syn.facts.servce_level  no known configuration uses a fact with this name  allowed: the name service_level, if intended`,
		"",
	}, "\n")
	if diff := cmp.Diff(want, lines(local.CheckWarnings(spec, wizard.Secrets{}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFacts_SeparateAnswers(t *testing.T) {
	answers := wizard.NewAnswers()
	answers.Spec.Syn.LieutenantURL = "https://l.example.net"
	before := answers.Copy()
	for _, key := range []string{"syn.facts.service_level", "syn.facts.release_channel"} {
		if err := answers.Set(key, "stable", wizard.Typed); err != nil {
			t.Fatal(err)
		}
	}
	if err := answers.Clear("syn.facts.service_level"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"release_channel": "stable"}, answers.Spec.Syn.Facts); diff != "" || len(before.Spec.Syn.Facts) > 0 {
		t.Errorf("(-want +got):\n%s\nthe copy has %v", diff, before.Spec.Syn.Facts)
	}
	if err := answers.Set("syn.facts.service_level", "a\x1bb", wizard.Typed); err == nil {
		t.Error("a control character is accepted")
	}
}

func TestCheck_DockerBridgeWarning(t *testing.T) {
	spec := valid()
	spec.Network.NodeCIDR = "172.17.0.0/16"
	if faults := wizard.Check(spec); len(faults) > 0 {
		t.Errorf("faults:\n%s", lines(faults))
	}
	want := "network.nodeCIDR  172.17.0.0/16 overlaps the default Docker bridge network (172.17.0.0/16)  allowed: a range that does not overlap it  did you mean 10.0.0.0/16?\n"
	if diff := cmp.Diff(want, lines(local.CheckWarnings(spec, wizard.Secrets{}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if warnings := local.CheckWarnings(valid(), wizard.Secrets{}); len(warnings) > 0 {
		t.Errorf("warnings without a reason:\n%s", lines(warnings))
	}
}

func TestCheckWarnings_UnusedAnswers(t *testing.T) {
	spec := valid()
	spec.Syn.Tenant, spec.DNS.ACME = "t-demo", true
	spec.LoadBalancer, spec.DNS.AppsDomain = state.LoadBalancerSpec{Strategy: "dns-round-robin", ProxyProtocol: true}, "apps.example.com"
	if got := local.CheckWarnings(spec, wizard.Secrets{}); len(got) != 3 {
		t.Errorf("want three warnings, got:\n%s", lines(got))
	}
	spec.LoadBalancer.Strategy, spec.DNS.AppsDomain = "haproxy-pair", "apps."+spec.Domain()
	if got := local.CheckWarnings(spec, wizard.Secrets{}); len(got) != 2 {
		t.Errorf("want two warnings, got:\n%s", lines(got))
	}
	spec.Syn.LieutenantURL = "https://lieutenant.example.net"
	if got := local.CheckWarnings(spec, wizard.Secrets{}); len(got) != 0 {
		t.Errorf("with Project Syn nothing of it is idle, got:\n%s", lines(got))
	}
}

func TestCheckWarnings_ACMEIsNeeded(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*state.Spec)
		wrong  bool
	}{
		"a Lieutenant":                        {func(*state.Spec) {}, true},
		"a Lieutenant, and no profile's":      {func(s *state.Spec) { s.Cluster.Profile = state.ProfilePlain }, true},
		"a Lieutenant, and certificates":      {func(s *state.Spec) { s.DNS.ACME = true }, false},
		"a catalog that can be looked into":   {func(s *state.Spec) { s.Syn.CatalogDir = "catalog" }, false},
		"without Project Syn nothing does it": {func(s *state.Spec) { s.Syn.LieutenantURL = "" }, false},
	} {
		spec := valid()
		spec.Syn.LieutenantURL, spec.Syn.Tenant = "https://lieutenant.example.net", "t-demo"
		c.change(&spec)
		got := slices.DeleteFunc(local.CheckWarnings(spec, wizard.Secrets{}), func(p wizard.Problem) bool { return p.Field != "dns.acme" })
		if (len(got) == 1) != c.wrong || c.wrong && got[0].Suggestion != "true" {
			t.Errorf("%s: %s", name, lines(got))
		}
	}
}

func TestWarnings_AreLocated(t *testing.T) {
	content := []byte(after("syn: {lieutenantURL: https://l, facts: {sales_order: x}, tenant: t-1}\ndns: {acme: true}\nnetwork:\n  nodeCIDR: 172.17.0.0/16\nfoo: 1\n"))
	layer := answersfile.ReadAnswers("f", content)
	all := answersfile.MergeLayers(layer.Given, layer)
	var places []string
	for line := range strings.Lines(lines(all.WithPositions(local.CheckWarnings(all.Answers.Spec, wizard.Secrets{})))) {
		places = append(places, strings.Join(strings.Fields(line)[:2], " "))
	}
	if diff := cmp.Diff([]string{"f:9:54 syn.facts.sales_order", "f:12:13 network.nodeCIDR"}, places); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCheckWarnings_IncompleteBaseDomain(t *testing.T) {
	spec := valid()
	for base, want := range map[string]int{"example": 1, "example.net": 0, "": 0, "no domain": 0} {
		spec.Cluster.BaseDomain = base
		if got := local.CheckWarnings(spec, wizard.Secrets{}); len(got) != want || want == 1 && got[0].Field != "cluster.baseDomain" {
			t.Errorf("of %q is said:\n%s", base, lines(got))
		}
	}
}
