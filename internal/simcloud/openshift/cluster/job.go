package cluster

import "exoshift/internal/simcloud/kube"

// Conditions of a Job that has ended.
const (
	JobComplete = "Complete"
	JobFailed   = "Failed"
)

// IsEnded reports whether a Job is complete or has failed.
func IsEnded(job kube.Object) bool {
	return job.Condition(JobComplete) != nil || job.Condition(JobFailed) != nil
}

// ReportJob sets a Job's status from its pods.
func ReportJob(job kube.Object, pods []kube.Object, now string) {
	for _, pod := range pods {
		if pod.GetString("status.phase") == "Succeeded" {
			job.Set("status.succeeded", 1)
			job.Set("status.active", 0)
			job.Set("status.completionTime", now)
			job.SetCondition(now, JobComplete, "True", "", "")
			return
		}
	}
	job.Set("status.active", len(pods))
}
