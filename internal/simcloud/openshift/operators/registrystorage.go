package operators

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

type registryStorage struct{ endpoint, region, bucket, key, secret string }

// checkRegistry accesses the storage as the registry's operator does: by its configuration and with the key in the user's
// secret.
func (k *prober) checkRegistry(ctx context.Context) {
	config, _ := k.Objects.Get(registryResource, "", "cluster")
	if config.Map("spec.storage.s3") == nil {
		return
	}
	found := ""
	storage, err := k.loadRegistryStorage(kube.Object(config.Map("spec.storage.s3")))
	if err == nil {
		err = k.openStorage(ctx, storage)
	}
	if err != nil {
		found = "unable to sync storage configuration: " + err.Error()
	}
	k.set(func(r *probeResult) { r.registry = found })
}

func (k *prober) loadRegistryStorage(config kube.Object) (registryStorage, error) {
	const name = "image-registry-private-configuration-user"
	secret, exists := k.Objects.Get(cluster.SecretResource, registryNamespace, name)
	if !exists {
		return registryStorage{}, fmt.Errorf("secret %q not found", name)
	}
	storage := registryStorage{region: config.GetString("region"), bucket: config.GetString("bucket"),
		endpoint: cmp.Or(config.GetString("regionEndpoint"), "https://s3."+config.GetString("region")+".amazonaws.com")}
	for field, value := range map[string]*string{"REGISTRY_STORAGE_S3_ACCESSKEY": &storage.key, "REGISTRY_STORAGE_S3_SECRETKEY": &storage.secret} {
		plain, err := base64.StdEncoding.DecodeString(secret.GetString("data." + field))
		if err != nil || len(plain) == 0 {
			return storage, fmt.Errorf("secret %q has no %s", name, field)
		}
		*value = string(plain)
	}
	if storage.bucket == "" || storage.region == "" {
		return storage, errors.New("the configuration names no bucket and region")
	}
	return storage, nil
}

func (k *prober) openStorage(ctx context.Context, storage registryStorage) error {
	ctx, cancel := context.WithTimeout(ctx, k.Timeout())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, storage.endpoint+"/"+storage.bucket, nil)
	if err != nil {
		return err
	}
	storage.sign(request, time.Now())
	transport := k.machine.Network().NewTransport()
	transport.DisableKeepAlives = true
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("HEAD %s: %s", request.URL, response.Status)
	}
	return nil
}

// sign adds a signature, version 4, to a request without body and query. Signatures expire by the wall clock.
func (s registryStorage) sign(request *http.Request, now time.Time) {
	const signed = "host;x-amz-content-sha256;x-amz-date"
	date, body := now.UTC().Format("20060102T150405Z"), hashHex(nil)
	scope := date[:8] + "/" + s.region + "/s3/aws4_request"
	request.Header.Set("X-Amz-Date", date)
	request.Header.Set("X-Amz-Content-Sha256", body)
	canonical := request.Method + "\n" + request.URL.EscapedPath() + "\n\nhost:" + request.URL.Host + "\nx-amz-content-sha256:" + body +
		"\nx-amz-date:" + date + "\n\n" + signed + "\n" + body
	key := []byte("AWS4" + s.secret)
	for _, part := range []string{date[:8], s.region, "s3", "aws4_request"} {
		key = computeHMAC(key, part)
	}
	text := "AWS4-HMAC-SHA256\n" + date + "\n" + scope + "\n" + hashHex([]byte(canonical))
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+s.key+"/"+scope+", SignedHeaders="+signed+
		", Signature="+hex.EncodeToString(computeHMAC(key, text)))
}

func hashHex(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func computeHMAC(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
