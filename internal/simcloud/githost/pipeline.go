package githost

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/githost/commodore"
	"exoshift/internal/simcloud/store"
)

const tenantsGroup = "syn/tenants/"

const firstPipeline = 41000

// Schedule of a pipeline: its own jobs check the configuration and trigger a child pipeline, with a job for each cluster.
const (
	createdUntil = 2 * time.Second
	pendingUntil = 6 * time.Second
	lintedAt     = 15 * time.Second
	plannedAt    = 22 * time.Second // and the child pipeline is started
	jobPending   = 4 * time.Second
	jobDuration  = 64 * time.Second
	jobStagger   = 5 * time.Second // between the starts of jobs
)

const (
	created = "created"
	pending = "pending"
	running = "running"
	success = "success"
	failed  = "failed"
)

// pipeline is one compilation of a tenant's configuration, with its child pipeline.
type pipeline struct {
	ID      int // the child pipeline's is one more
	Project string
	SHA     string
	Created time.Time
	Planned bool // the jobs are known
	Retries int
	Jobs    []job // of the child pipeline
}

type job struct {
	ID           int
	Cluster      string
	Begins, Ends time.Time
	Result       string // "" until it has ended
	Trace        []commodore.TraceLine
}

func (j job) computeStatus(now time.Time) string {
	switch {
	case j.Result != "":
		return j.Result
	case now.Before(j.Begins):
		return pending
	}
	return running
}

func (p pipeline) triggeredAt() time.Time { return p.Created.Add(plannedAt) }

func (p pipeline) computeChildStatus(now time.Time) string {
	all := map[string]bool{}
	for _, j := range p.Jobs {
		all[j.computeStatus(now)] = true
	}
	for _, status := range []string{running, pending, failed} {
		if all[status] {
			return status
		}
	}
	return success
}

func (p pipeline) computeStatus(now time.Time) string {
	switch age := now.Sub(p.Created); {
	case age < createdUntil:
		return created
	case age < pendingUntil:
		return pending
	}
	if below := p.computeChildStatus(now); below == failed || below == success {
		return below
	}
	return running
}

func (p pipeline) endedAt() time.Time {
	return slices.MaxFunc(p.Jobs, func(a, b job) int { return a.Ends.Compare(b.Ends) }).Ends
}

func (p pipeline) isDone() bool {
	return p.Planned && !slices.ContainsFunc(p.Jobs, func(j job) bool { return j.Result == "" })
}

func (p pipeline) key() string { return strconv.Itoa(p.ID) }

// pipelines compile the catalogs of tenants' clusters. There is no background goroutine: each request calls runDue first.
type pipelines struct {
	clock        network.Clock
	clusters     func(id string) (Cluster, bool)
	repositories *Repositories
	compiler     *compiler
	mu           sync.Mutex // guards numbers
	lock         sync.Mutex // one compilation at a time
	table        *store.Table[pipeline]
}

// create is called after a new commit on the default branch of a tenant's configuration.
func (s *pipelines) create(name string, commit plumbing.Hash) error {
	if !strings.HasPrefix(name, tenantsGroup) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	made := pipeline{ID: firstPipeline + 2*len(s.table.List()), Project: name, SHA: commit.String(), Created: s.clock.Now()}
	return s.table.Put(made.key(), made)
}

// runDue executes what the pipelines had to do by now.
func (s *pipelines) runDue(ctx context.Context) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, p := range s.table.List() {
		if p.isDone() || ctx.Err() != nil {
			continue
		}
		// What could not be stored is repeated at the next call.
		_ = s.run(p)
	}
}

func (s *pipelines) run(p pipeline) error {
	if !p.Planned {
		p.Jobs, p.Planned = s.createJobs(p), true
		if err := s.table.Put(p.key(), p); err != nil {
			return err
		}
	}
	p.Jobs = slices.Clone(p.Jobs)
	for i, j := range p.Jobs {
		if j.Result != "" || s.clock.Now().Before(j.Ends) {
			continue
		}
		p.Jobs[i] = s.runJob(p, j)
		if err := s.table.Put(p.key(), p); err != nil {
			return err
		}
	}
	return nil
}

// createJobs creates a job for each cluster of the tenant that has a file and is compiled by the pipeline.
func (s *pipelines) createJobs(p pipeline) []job {
	found, _ := s.repositories.find(p.Project)
	files, err := s.repositories.openStorage(found).readFiles(plumbing.NewHash(p.SHA))
	if err != nil {
		return nil
	}
	var jobs []job
	for _, name := range sortKeys(files) {
		id, ok := strings.CutSuffix(name, ".yml")
		if !ok || strings.Contains(id, "/") {
			continue
		}
		cluster, known := s.clusters(id)
		if !known || cluster.NoPipeline || tenantsGroup+cluster.Tenant != p.Project {
			continue
		}
		begins := p.triggeredAt().Add(jobPending + time.Duration(len(jobs))*jobStagger)
		jobs = append(jobs, job{ID: p.ID*1000 + len(jobs), Cluster: id, Begins: begins, Ends: begins.Add(jobDuration)})
	}
	return jobs
}

func (s *pipelines) runJob(p pipeline, j job) job {
	trace, err := s.compiler.compile(p, j)
	j.Trace, j.Result = trace.Lines, success
	if err != nil {
		j.Result = failed
	}
	return j
}

func (s *pipelines) retry(p pipeline) (pipeline, error) {
	p.Jobs = slices.Clone(p.Jobs)
	for i, j := range p.Jobs {
		if j.Result == failed {
			p.Retries++
			begins := s.clock.Now().Add(jobPending)
			p.Jobs[i] = job{ID: p.ID*1000 + len(p.Jobs) + p.Retries, Cluster: j.Cluster, Begins: begins, Ends: begins.Add(jobDuration)}
		}
	}
	return p, s.table.Put(p.key(), p)
}
