package kube

import "encoding/base64"

// EncodeSecret moves stringData to data.
func EncodeSecret(kind Kind, object Object) {
	if kind.GroupResource() != "secrets" {
		return
	}
	for key, value := range object.Map("stringData") {
		text, _ := value.(string)
		data := object.Map("data")
		if data == nil {
			data = map[string]any{}
			object["data"] = data
		}
		data[key] = base64.StdEncoding.EncodeToString([]byte(text))
	}
	delete(object, "stringData")
}
