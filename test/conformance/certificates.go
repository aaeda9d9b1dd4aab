package conformance

import "fmt"

const signing = "/apis/certificates.k8s.io/v1/certificatesigningrequests"

// signingRequest is a request for the certificate of a node, with more fields in its spec: `"usages":[]`.
func signingRequest(name, content, fields string) string {
	return named("certificates.k8s.io/v1", "CertificateSigningRequest", name, fmt.Sprintf(`"spec":{"request":%q,%s}`, content, fields))
}

// certificateRequest stands for a real request, which is too long to be written down each time.
const certificateRequest = "${request}"

// pkcs10 is a real request, base64 of PEM: CN=system:node:worker-0, O=system:nodes.
const pkcs10 = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIeE1JR1lBZ0VBTURZeEZUQVRCZ05WQkFvVERITjVjM1JsYlRw" +
	"dWIyUmxjekVkTUJzR0ExVUVBeE1VYzNsegpkR1Z0T201dlpHVTZkMjl5YTJWeUxUQXdXVEFUQmdjcWhrak9QUUlCQmdncWhrak9Q" +
	"UU1CQndOQ0FBUUJIdTllCndVcHhrNnAyVEdkazViN1k0WHd2UUliUGpNL2NNTklzQlBwRGFnMlhzU2JsYnFyRGJxRjlFOUtMRTha" +
	"SlZzTTcKZGU0dTRrMVprZzZoQmVaWW9BQXdDZ1lJS29aSXpqMEVBd0lEU0FBd1JRSWdTQnJ1MFVacElNZW5sbFc4UFh0egpZdDlT" +
	"K0hxUTlOV2JWOEJRT2UwNFM4TUNJUUNPeThhZXBBOXgvdCt6OXBUT05nZFQ2ZmEybktYY3FlRnM3YlBRClc4aHljZz09Ci0tLS0t" +
	"RU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo="

// tampered is that request with a signature which is not its own.
const tampered = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIeE1JR1lBZ0VBTURZeEZUQVRCZ05WQkFvVERITjVjM1JsYlRw" +
	"dWIyUmxjekVkTUJzR0ExVUVBeE1VYzNsegpkR1Z0T201dlpHVTZkMjl5YTJWeUxUQXdXVEFUQmdjcWhrak9QUUlCQmdncWhrak9Q" +
	"UU1CQndOQ0FBUUJIdTllCndVcHhrNnAyVEdkazViN1k0WHd2UUliUGpNL2NNTklzQlBwRGFnMlhzU2JsYnFyRGJxRjlFOUtMRTha" +
	"SlZzTTcKZGU0dTRrMVprZzZoQmVaWW9BQXdDZ1lJS29aSXpqMEVBd0lEU0FBd1JRSWdTQnJ1MFVacElNZW5sbFc4UFh0egpZdDlT" +
	"K0hxUTlOV2JWOEJRT2UwNFM4TUNJUUNPeThhZXBBOXgvdCt6OXBUT05nZFQ2ZmEybktYY3FlRnM3YlBRClc4aHljdz09Ci0tLS0t" +
	"RU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo="

const (
	clientSigner = `"signerName":"kubernetes.io/kube-apiserver-client-kubelet"`
	clientUsages = `"usages":["digital signature","client auth"]`
)

// requests: the server itself says who asks, and what was asked for never changes.
func requests() []Step {
	const asker = `,"username":"system:admin","groups":["system:masters"],"uid":"root"`
	const wording = "it cites the rule"
	return []Step{
		create(signing, signingRequest("asked", certificateRequest, clientSigner+","+clientUsages+asker)).as(Viewer).keep("first", "metadata.resourceVersion").
			show("spec.username", "spec.groups", "spec.signerName", "spec.usages", "status"),
		create(signing, signingRequest("asked", certificateRequest, clientSigner+","+clientUsages)).as(Viewer),
		create(signing, signingRequest("garbage", "Z2FyYmFnZQ==", clientSigner+","+clientUsages)).vague(wording),
		create(signing, signingRequest("text", "garbage!", clientSigner+","+clientUsages)).vague("it tells what its decoder makes of it"),
		create(signing, signingRequest("empty", "", clientSigner+","+clientUsages)).vague(wording),
		create(signing, signingRequest("hollow", "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KQUFBQQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K", clientSigner+","+clientUsages)).vague(wording),
		create(signing, signingRequest("tampered", "${tampered}", clientSigner+","+clientUsages)).vague(wording),
		create(signing, signingRequest("unsigned", certificateRequest, clientUsages)).vague(wording),
		create(signing, signingRequest("useless", certificateRequest, clientSigner)).vague(wording),
		create(signing, signingRequest("odd", certificateRequest, clientSigner+`,"usages":["anything"]`)).vague(wording),
		create(signing, signingRequest("twice", certificateRequest, clientSigner+`,"usages":["client auth","client auth"]`)).vague(wording),
		create(signing, signingRequest("signer", certificateRequest, `"signerName":"nobody",`+clientUsages)).vague(wording),
		create(signing, signingRequest("own", certificateRequest, `"signerName":"example.net/mine",`+clientUsages)).show("spec.signerName"),
		create(signing, named("certificates.k8s.io/v1", "CertificateSigningRequest", "settled", fmt.Sprintf(
			`"spec":{"request":%q,%s,%s},"status":{"conditions":[{"type":"Approved","status":"True"}],"certificate":"Z2FyYmFnZQ=="}`,
			certificateRequest, clientSigner, clientUsages))).show("status"),
		merge(signing+"/asked", `{"spec":{"username":"system:admin","usages":["server auth"]}}`).show("spec.username", "spec.usages"),
		get(signing + "/asked").as(Viewer).vague(""),
		get(signing).as(Viewer).show("items[].metadata.name"),
		get(signing + "?fieldSelector=spec.signerName%3Dexample.net/mine").show("items[].metadata.name"),
	}
}

// approvals: the decision has a subresource of its own, holds for one version, and is never taken back.
func approvals() []Step {
	const version = "certificates.k8s.io/v1"
	decide := func(resourceVersion, conditions string) string {
		return versioned(version, "CertificateSigningRequest", "decided", resourceVersion, fmt.Sprintf(
			`"spec":{"request":%q,%s,%s},"status":{"conditions":[%s]}`, certificateRequest, `"signerName":"example.net/mine"`, clientUsages, conditions))
	}
	const approved = `{"type":"Approved","status":"True","reason":"Test","message":"all is well"}`
	const denied = `{"type":"Denied","status":"True","reason":"Test","message":"no"}`
	const conditions, at = "status.conditions[].type", signing + "/decided"
	return []Step{
		create(signing, signingRequest("decided", certificateRequest, `"signerName":"example.net/mine",`+clientUsages)).as(Viewer).
			keep("first", "metadata.resourceVersion").show("status"),
		replace(at+"/approval", decide("${first}", approved)).as(Viewer),
		replace(at, decide("${first}", approved)).show(conditions),
		merge(at+"/status", `{"status":{"conditions":[`+approved+`]}}`).vague("it cites the rule"),
		merge(at, `{"metadata":{"labels":{"a":"b"}}}`).keep("second", "metadata.resourceVersion").show("metadata.labels"),
		replace(at+"/approval", decide("${first}", approved)),
		replace(at+"/approval", decide("${second}", `{"type":"Approved"}`)).vague("it cites the rule"),
		replace(at+"/approval", decide("${second}", `{"type":"Approved","status":"False"}`)).vague("it cites the rule"),
		replace(at+"/approval", decide("${second}", approved+","+denied)).vague("it cites the rule"),
		replace(at+"/approval", decide("${second}", approved)).keep("third", "metadata.resourceVersion").
			show(conditions, "status.conditions[].reason", "metadata.resourceVersion"),
		replace(at+"/approval", decide("${third}", approved+","+denied)).vague("it cites the rule"),
		replace(at+"/approval", decide("${third}", "")).vague("it cites the rule"),
		replace(at+"/approval", decide("${third}", approved)).show(conditions, "metadata.resourceVersion"),
		get(at + "/approval").show(conditions),
		replace(signing+"/nothing/approval", versioned(version, "CertificateSigningRequest", "nothing", "1", `"status":{}`)),
	}
}
