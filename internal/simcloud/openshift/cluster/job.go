package cluster

import "exoshift/internal/simcloud/kube"

const (
	JobComplete = "Complete"
	JobFailed   = "Failed"
)

func IsEnded(job kube.Object) bool {
	return job.Condition(JobComplete) != nil || job.Condition(JobFailed) != nil
}

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
