package openshift

import (
	"context"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
)

const (
	jobComplete = "Complete"
	jobFailed   = "Failed"
)

func isEnded(job kube.Object) bool {
	return job.Condition(jobComplete) != nil || job.Condition(jobFailed) != nil
}

func reportJob(job kube.Object, pods []kube.Object, now string) {
	for _, pod := range pods {
		if pod.GetString("status.phase") == "Succeeded" {
			job.Set("status.succeeded", 1)
			job.Set("status.active", 0)
			job.Set("status.completionTime", now)
			job.SetCondition(now, jobComplete, "True", "", "")
			return
		}
	}
	job.Set("status.active", len(pods))
}

// jobTime is how long a Job takes before it has its effect, if any.
const jobTime = 10 * time.Second

func (k *kubelet) runJob(ctx context.Context, p *pod, env map[string]string) error {
	if err := k.clusters.waitScaled(ctx, jobTime); err != nil {
		return err
	}
	switch {
	case strings.HasPrefix(p.name, acmeJob+"-"):
		return k.registerACME(ctx, p, env)
	case p.namespace == monitoring && strings.HasPrefix(p.name, silenceName):
		return k.cluster.applySilences()
	}
	return nil
}
