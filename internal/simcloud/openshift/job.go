package openshift

import "exoshift/internal/simcloud/kube"

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
