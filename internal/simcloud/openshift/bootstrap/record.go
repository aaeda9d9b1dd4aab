package bootstrap

import (
	"encoding/json"
	"sync"

	"exoshift/internal/simcloud/openshift/journal"
)

// recorder writes, like bootstrap-service-record.sh, a list of entries per service of the bootstrap machine, in a file each.
type recorder struct {
	machine *journal.Machine
	mu      sync.Mutex
}

type recordEntry struct {
	Timestamp    string `json:"timestamp"`
	Phase        string `json:"phase"`
	Stage        string `json:"stage,omitempty"`
	Result       string `json:"result,omitempty"`
	ErrorLine    string `json:"errorLine,omitempty"`
	ErrorMessage string `json:"errorMessage,omitempty"`
}

const (
	serviceStart = "service start"
	serviceEnd   = "service end"
	stageStart   = "stage start"
	stageEnd     = "stage end"
	success      = "success"
	failed       = "failure"
)

// stageMapping maps one of our stages to the real services, whose own stages are finer.
type stageMapping struct {
	service       string
	startsService bool     // starts with it
	skippedStages []string // stages that end immediately, before
	stage         string   // entered, unless the service is in it already
	endedStage    string   // ended by it
	endsService   bool     // ends with it
}

// findStage finds a stage of ours. The stages of services other than bootkube are from the installer's scripts.
func findStage(stage string) (m stageMapping, known bool) {
	const bootkube = "bootkube"
	switch stage {
	case "release-image":
		m = stageMapping{service: "release-image", startsService: true, stage: "pull-release-image", endedStage: "pull-release-image", endsService: true}
	case "node-image-pull", "node-image-overlay": // their records are not known
		m = stageMapping{service: stage, startsService: true, endsService: true}
	case "mco-render":
		m = stageMapping{service: bootkube, startsService: true, stage: "mco-bootstrap", skippedStages: []string{
			"openshift-manifests", "api-bootstrap", "auth-api-bootstrap", "config-bootstrap", "cvo-bootstrap", "etcd-bootstrap",
			"kube-apiserver-bootstrap", "kube-controller-manager-bootstrap", "kube-scheduler-bootstrap",
			"ingress-operator-bootstrap", "node-tuning-bootstrap"}}
	case "mco-bootstrap", "wait-for-etcd", "cb-bootstrap", "cvo-overrides", "wait-for-ceo", "check-api-url", "check-api-int-url":
		m = stageMapping{service: bootkube, stage: stage, endedStage: stage}
	case "etcd-bootstrap":
		m = stageMapping{service: bootkube, skippedStages: []string{"resolve-api-url", "resolve-api-int-url", "cco-bootstrap"}, stage: "wait-for-etcd"}
	case "kube-apiserver-bootstrap":
		m = stageMapping{service: bootkube, stage: "cb-bootstrap"}
	case ".bootkube":
		m = stageMapping{service: bootkube, endsService: true}
	case "approve-csr":
		m = stageMapping{service: "approve-csr", startsService: true, endsService: true}
	case "progress":
		m = stageMapping{service: "progress", startsService: true, skippedStages: []string{"wait-for-bootstrap-complete"},
			stage: "report-bootstrap-complete", endedStage: "report-bootstrap-complete", endsService: true}
	default:
		return m, false
	}
	return m, true
}

func findService(stage string) string {
	if m, known := findStage(stage); known {
		return m.service
	}
	return "bootkube"
}

// resume records the restart of services that had not ended.
func (r *recorder) resume() {
	for _, service := range journal.ListRecordedServices() {
		r.updateEntries(service, func(entries []recordEntry) []recordEntry {
			if len(entries) == 0 || entries[len(entries)-1].Phase == serviceEnd {
				return nil
			}
			return []recordEntry{{Phase: serviceStart}}
		})
	}
}

func (r *recorder) begin(stage string) {
	m, known := findStage(stage)
	if !known {
		return
	}
	r.updateEntries(m.service, func(entries []recordEntry) (more []recordEntry) {
		if m.startsService && !isServiceRunning(entries) {
			more = append(more, recordEntry{Phase: serviceStart})
		}
		for _, passed := range m.skippedStages {
			more = append(more, recordEntry{Phase: stageStart, Stage: passed}, recordEntry{Phase: stageEnd, Stage: passed, Result: success})
		}
		if m.stage != "" && findCurrentStage(entries) != m.stage {
			more = append(more, recordEntry{Phase: stageStart, Stage: m.stage})
		}
		return more
	})
}

func (r *recorder) end(stage string) {
	m, known := findStage(stage)
	if !known {
		return
	}
	r.updateEntries(m.service, func([]recordEntry) (more []recordEntry) {
		if m.endedStage != "" {
			more = append(more, recordEntry{Phase: stageEnd, Stage: m.endedStage, Result: success})
		}
		if m.endsService {
			more = append(more, recordEntry{Phase: serviceEnd, Result: success})
		}
		return more
	})
}

func (r *recorder) recordFailure(stage, message string) {
	m, known := findStage(stage)
	if !known || m.stage == "" {
		return
	}
	r.updateEntries(m.service, func([]recordEntry) []recordEntry {
		return []recordEntry{{Phase: stageEnd, Stage: m.stage, Result: failed, ErrorMessage: message}, {Phase: stageStart, Stage: m.stage}}
	})
}

func (r *recorder) updateEntries(service string, more func([]recordEntry) []recordEntry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	file := journal.RecordsDir + service + ".json"
	var entries []recordEntry
	if content, ok := r.machine.ReadFile(file); ok && json.Unmarshal(content, &entries) != nil {
		return
	}
	added := more(entries)
	if len(added) == 0 {
		return
	}
	for i := range added {
		added[i].Timestamp = r.machine.FormatTimestamp()
	}
	content, err := json.MarshalIndent(append(entries, added...), "", "  ")
	if err == nil {
		err = r.machine.WriteFile(file, append(content, '\n'))
	}
	if err != nil {
		r.machine.Console("%s.service: %v", service, err)
	}
}

func isServiceRunning(entries []recordEntry) bool {
	return len(entries) > 0 && entries[len(entries)-1].Phase != serviceEnd
}

func findCurrentStage(entries []recordEntry) string {
	if len(entries) > 0 && entries[len(entries)-1].Phase == stageStart {
		return entries[len(entries)-1].Stage
	}
	return ""
}
