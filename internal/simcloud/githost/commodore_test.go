package githost_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/simcloud/githost"
	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/simcloud/store"

	"github.com/goccy/go-yaml"
)

// configured is the configuration of a cluster before the cluster is generated.
const configured = `classes:
  - t-quiet-harbour-4711.common
  - .openshift4
  - global.distribution.openshift4.no-opsgenie
applications: [exoscale-cloud-controller-manager, cilium]
parameters:
  openshift:
    baseDomain: c-demo-1.example.net
    infraID: TO_BE_DEFINED
    clusterID: TO_BE_DEFINED
  cilium:
    olm:
      generate_olm_deployment: true
`

// compiler is a Git host in a bubble with one cluster.
type compiler struct {
	*githost.Host
	cluster githost.Cluster
	met     map[string]any
	token   string
}

func known() githost.Cluster {
	return githost.Cluster{
		Tenant: tenant, Catalog: catalog,
		Facts: map[string]string{"distribution": "openshift4", "cloud": "exoscale", "region": "ch-gva-2", "maintenance_window": "tuesday-1000"},
		DynamicFacts: map[string]any{"kubernetesVersion": map[string]any{"major": "1", "minor": "34"},
			"openshiftVersion": map[string]any{"Major": "4", "Minor": "21"}},
	}
}

func openCompiler(t *testing.T, faults scenario.Compilation) *compiler {
	t.Helper()
	c := &compiler{cluster: known()}
	made := compilerOf(t, githost.Config{
		DB: store.NewMemory(), HostKey: signer(t, 'h'), Host: "git.vshn.net", Faults: faults,
		Clusters: func(id string) (githost.Cluster, bool) { return c.cluster, id == "c-demo-1" },
		Compiled: func(_ string, meta map[string]any) { c.met = meta },
	})
	c.Host, c.token = made.Host, made.token
	return c
}

// compilerOf opens a Git host with the repositories of a tenant and a cluster.
func compilerOf(t *testing.T, config githost.Config) *compiler {
	t.Helper()
	host, err := githost.New(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{getProject, catalog} {
		if err := host.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	return &compiler{Host: host, token: host.CreateToken()}
}

func (c *compiler) push(t *testing.T, configuration string) string {
	t.Helper()
	commit, err := c.Commit(getProject, "Change", map[string][]byte{"common.yml": {}, "openshift4.yml": []byte("parameters: {}\n"), "c-demo-1.yml": []byte(configuration)})
	if err != nil {
		t.Fatal(err)
	}
	return commit
}

func (c *compiler) ask(path string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodGet, "/api/v4/"+path, nil)
	request.Header.Set("PRIVATE-TOKEN", c.token)
	recorder := httptest.NewRecorder()
	c.NewWebHandler().ServeHTTP(recorder, request)
	return recorder
}

func (c *compiler) get(t *testing.T, path string, into any) {
	t.Helper()
	recorder := c.ask(path)
	if err := json.Unmarshal(recorder.Body.Bytes(), into); err != nil || recorder.Code != http.StatusOK {
		t.Fatalf("%s: %d, %v, %s", path, recorder.Code, err, recorder.Body)
	}
}

type run struct {
	ID     int
	SHA    string `json:"sha"`
	Status string
	Name   string
}

func (c *compiler) pipelines(t *testing.T, commit string) []run {
	t.Helper()
	var found []run
	c.get(t, projectURL+"/pipelines?ref=master&sha="+commit, &found)
	return found
}

// projectURL is the tenant's project in the API.
const projectURL = "projects/syn%2Ftenants%2Ft-quiet-harbour-4711"

// job returns the one job of the pipeline below a pipeline.
func (c *compiler) job(t *testing.T, pipeline int) run {
	t.Helper()
	var bridges []struct {
		Below run `json:"downstream_pipeline"`
	}
	var jobs []run
	c.get(t, projectURL+"/pipelines/"+itoa(pipeline)+"/bridges", &bridges)
	c.get(t, projectURL+"/pipelines/"+itoa(bridges[0].Below.ID)+"/jobs", &jobs)
	if len(jobs) != 1 {
		t.Fatalf("jobs: %+v", jobs)
	}
	return jobs[0]
}

// compile pushes a configuration and returns the catalog and the job's trace after its pipeline.
func (c *compiler) compile(t *testing.T, configuration string) (files map[string][]byte, status, trace string) {
	t.Helper()
	commit := c.push(t, configuration)
	if got := c.pipelines(t, commit); len(got) != 1 || got[0].Status != "created" {
		t.Fatalf("pipelines of the commit: %+v", got)
	}
	time.Sleep(2 * time.Minute)
	ended := c.pipelines(t, commit)[0]
	job := c.job(t, ended.ID)
	if job.Name != "c-demo-1_deploy" || job.Status != ended.Status {
		t.Fatalf("the job is %+v, its pipeline %+v", job, ended)
	}
	files, _, err := c.ReadFiles(catalog)
	if err != nil {
		t.Fatal(err)
	}
	return files, ended.Status, c.ask(projectURL + "/jobs/" + itoa(job.ID) + "/trace").Body.String()
}

func itoa(number int) string { text, _ := json.Marshal(number); return string(text) }

func compiles(t *testing.T, faults scenario.Compilation, test func(*testing.T, *compiler)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, openCompiler(t, faults)) })
}

func TestCommodore_PushCompilesCatalog(t *testing.T) {
	compiles(t, scenario.Compilation{}, func(t *testing.T, c *compiler) {
		files, status, trace := c.compile(t, configured)
		if status != "success" || !strings.Contains(trace, "Catalog compiled!") || !strings.Contains(trace, "section_start:") {
			t.Fatalf("the pipeline is %s: %s", status, trace)
		}
		for path, want := range map[string]string{
			"manifests/cilium/olm/cluster-network-07-cilium-ciliumconfig.yaml":   `"k8sServiceHost":"api-int.c-demo-1.example.net"`,
			"manifests/cilium/olm/cluster-network-06-cilium-olm-deployment.yaml": "cilium-olm",
			"manifests/exoscale-cloud-controller-manager/manager/01_secret.yaml": `api-zone: "ch-gva-2"`,
			"manifests/openshift4-nodes/10_machineconfigs.yaml":                  "99x-worker-inotify",
			"manifests/openshift4-api/00_certs.yaml":                             `dnsNames: ["api.c-demo-1.example.net"]`,
			"manifests/openshift-upgrade-controller/40_upgradeconfig.yaml":       `cron: "0 10 * * 2"`,
			"manifests/apps/cilium.yaml":                                         "path: manifests/cilium",
			"manifests/cert-manager/10_cert_manager/00_crds.yaml":                "certificates.cert-manager.io",
			"manifests/openshift4-terraform/main.tf.json":                        `"region":"ch-gva-2"`,
			"refs/t-quiet-harbour-4711/c-demo-1/exoscale/ccm/access_key":         "mount: clusters/kv",
			"manifests/openshift4-monitoring/20_alertmanager.yaml":               `opsgenie: "false"`,
			"manifests/openshift-upgrade-controller/30_clusterversion.yaml":      `channel: "stable-4.21"`,
		} {
			if !strings.Contains(string(files[path]), want) {
				t.Errorf("%s lacks %q: %s", path, want, files[path])
			}
		}
		if c.met["lastCompile"] == "" || c.met == nil {
			t.Errorf("Lieutenant heard %v", c.met)
		}
	})
}

// object is one document of a catalog.
type object struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name, Namespace string }
}

func TestCommodore_CompleteManifests(t *testing.T) {
	compiles(t, scenario.Compilation{SecretMissing: true}, func(t *testing.T, c *compiler) {
		files, _, trace := c.compile(t, configured)
		if len(files) < 50 {
			t.Fatalf("the catalog has %d files: %s", len(files), trace)
		}
		for name, content := range files {
			if !strings.HasSuffix(name, ".yaml") {
				continue
			}
			if strings.Contains(string(content), "<no value>") || strings.Contains(string(content), "%!") || strings.Contains(string(content), "${") {
				t.Errorf("%s: %s", name, content)
			}
			for document := range strings.SplitSeq(string(content), "\n---\n") {
				var o object
				if err := yaml.Unmarshal([]byte(document), &o); err != nil || o.APIVersion == "" || o.Kind == "" || o.Metadata.Name == "" {
					t.Errorf("%s: %v, %+v\n%s", name, err, o, document)
				}
			}
		}
	})
}

func TestCommodore_ReferencesMatchFiles(t *testing.T) {
	compiles(t, scenario.Compilation{SecretMissing: true}, func(t *testing.T, c *compiler) {
		files, _, _ := c.compile(t, strings.Replace(configured, "exoscale-cloud-controller-manager, ", "", 1))
		var refs []string
		for name := range files {
			if path, ok := strings.CutPrefix(name, "refs/t-quiet-harbour-4711/c-demo-1/"); ok {
				refs = append(refs, path)
			}
		}
		slices.Sort(refs)
		want := []string{"cluster-backup/password", "exoscale/csi_driver/access_key", "exoscale/csi_driver/secret_key", "exoscale/storage_iam/s3_access_key",
			"exoscale/storage_iam/s3_secret_key", "global-backup/password", "oidc-client/clientSecret", "registry/httpSecret", "steward/token"}
		if !slices.Equal(refs, want) {
			t.Errorf("refs are %v", refs)
		}
		for name, content := range files {
			for _, part := range strings.Split(string(content), "?{vaultkv:")[1:] {
				path, _, _ := strings.Cut(part, ":")
				if _, ok := files["refs/"+path]; !ok {
					t.Errorf("%s refers to %s, which has no file", name, path)
				}
			}
		}
	})
}

func TestCommodore_FailureReason(t *testing.T) {
	replaced := func(old, with string) string { return strings.Replace(configured, old, with, 1) }
	for name, test := range map[string]struct {
		configuration, want string
		faults              scenario.Compilation
		change              func(*githost.Cluster)
	}{
		"no dynamic facts":  {configured, "Cannot resolve ${dynamic_facts:", scenario.Compilation{}, func(c *githost.Cluster) { c.DynamicFacts = nil }},
		"no region":         {configured, "Cannot resolve ${facts:region}, at ", scenario.Compilation{}, func(c *githost.Cluster) { delete(c.Facts, "region") }},
		"no distribution":   {configured, "Cannot resolve ${facts:distribution}, at ", scenario.Compilation{}, func(c *githost.Cluster) { delete(c.Facts, "distribution") }},
		"another cloud":     {configured, "Class global.cloud.aws not found", scenario.Compilation{}, func(c *githost.Cluster) { c.Facts["cloud"] = "aws" }},
		"fact missing":      {configured, "Cannot resolve ${facts:service_level}, at openshift4_monitoring:responders", scenario.Compilation{FactMissing: true}, nil},
		"does not compile":  {configured, "Jsonnet error: failed to compile", scenario.Compilation{CompileFailure: true}, nil},
		"no base domain":    {replaced("baseDomain", "basedomain"), "Cannot resolve ${openshift:baseDomain}, at ", scenario.Compilation{}, nil},
		"no cluster ID":     {replaced("clusterID", "other"), "Field does not exist: clusterID", scenario.Compilation{}, nil},
		"unknown class":     {replaced("- .openshift4", "- .openshift5"), "Class t-quiet-harbour-4711.openshift5 not found", scenario.Compilation{}, nil},
		"not YAML":          {"parameters: [", "Failed to parse class t-quiet-harbour-4711.c-demo-1", scenario.Compilation{}, nil},
		"wrong type":        {"parameters:\n  openshift: yes please\n", "Can't merge a literal over a mapping, at openshift", scenario.Compilation{}, nil},
		"a list as domain":  {replaced("c-demo-1.example.net", "[a, b]"), "Can't put a sequence, ${openshift:baseDomain}, into a string", scenario.Compilation{}, nil},
		"unknown component": {replaced("cilium]", "cilum]"), "Unknown component 'cilum'", scenario.Compilation{}, nil},
		"refers to itself":  {replaced("c-demo-1.example.net", "${openshift:baseDomain}"), "Cannot resolve ${openshift:baseDomain}", scenario.Compilation{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			compiles(t, test.faults, func(t *testing.T, c *compiler) {
				if test.change != nil {
					test.change(&c.cluster)
				}
				files, status, trace := c.compile(t, test.configuration)
				if status != "failed" || !strings.Contains(trace, test.want) || !strings.Contains(trace, "ERROR: Job failed") {
					t.Errorf("the pipeline is %s: %s", status, trace)
				}
				if len(files) > 0 || c.met != nil {
					t.Errorf("there is a catalog of %d files, and Lieutenant heard %v", len(files), c.met)
				}
			})
		})
	}
}

func TestPipeline_RetryRunsAgain(t *testing.T) {
	compiles(t, scenario.Compilation{}, func(t *testing.T, c *compiler) {
		c.cluster.DynamicFacts = nil
		if _, status, _ := c.compile(t, configured); status != "failed" {
			t.Fatalf("the pipeline is %s", status)
		}
		_, commit, _ := c.ReadFiles(getProject)
		c.cluster.DynamicFacts = known().DynamicFacts
		again := c.pipelines(t, commit)[0]
		before := c.job(t, again.ID)
		request := httptest.NewRequest(http.MethodPost, "/api/v4/"+projectURL+"/pipelines/"+itoa(again.ID)+"/retry", nil)
		request.Header.Set("PRIVATE-TOKEN", c.token)
		recorder := httptest.NewRecorder()
		if c.NewWebHandler().ServeHTTP(recorder, request); recorder.Code != http.StatusCreated {
			t.Fatalf("retry: %d %s", recorder.Code, recorder.Body)
		}
		if now := c.job(t, again.ID); now.ID <= before.ID || now.Status != "pending" {
			t.Errorf("the job is %+v after %+v", now, before)
		}
		time.Sleep(2 * time.Minute)
		if now := c.pipelines(t, commit)[0]; now.Status != "success" {
			t.Errorf("the pipeline is %s", now.Status)
		}
	})
}

func TestCommodore_CommitsChangesOnly(t *testing.T) {
	compiles(t, scenario.Compilation{}, func(t *testing.T, c *compiler) {
		c.compile(t, configured)
		_, first, _ := c.ReadFiles(catalog)
		_, _, trace := c.compile(t, "# a remark\n"+configured)
		if _, second, _ := c.ReadFiles(catalog); second != first || !strings.Contains(trace, "No changes.") {
			t.Errorf("the catalog went from %s to %s: %s", first, second, trace)
		}
		files, _, _ := c.compile(t, strings.Replace(configured, "      generate_olm_deployment: true", "      generate_olm_deployment: false", 1))
		if _, third, _ := c.ReadFiles(catalog); third == first || files["manifests/cilium/olm/cluster-network-06-cilium-olm-deployment.yaml"] != nil {
			t.Errorf("the deployment is still there in %s", third)
		}
	})
}
