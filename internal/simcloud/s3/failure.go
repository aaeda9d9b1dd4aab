package s3

import (
	"encoding/xml"
	"errors"
	"net/http"
)

// apiError is an error with S3's codes.
type apiError struct {
	XMLName  xml.Name `xml:"Error"`
	Status   int      `xml:"-"`
	Code     string   `xml:"Code"`
	Message  string   `xml:"Message"`
	Region   string   `xml:"Region,omitempty"` // the expected region of the signature
	Resource string   `xml:"Resource"`
}

func (f *apiError) Error() string { return f.Code + ": " + f.Message }

func newFailure(status int, code, message string) *apiError {
	return &apiError{Status: status, Code: code, Message: message}
}

var (
	errAccessDenied      = newFailure(403, "AccessDenied", "Access Denied")
	errExpired           = newFailure(403, "AccessDenied", "Request has expired")
	errUnsigned          = newFailure(403, "AccessDenied", "There were headers present in the request which were not signed")
	errKey               = newFailure(403, "InvalidAccessKeyId", "The access key ID you provided does not exist in our records")
	errSignature         = newFailure(403, "SignatureDoesNotMatch", "The request signature we calculated does not match the signature you provided")
	errSkewed            = newFailure(403, "RequestTimeTooSkewed", "The difference between the request time and the current time is too large")
	errMalformed         = newFailure(400, "AuthorizationHeaderMalformed", "The authorization header is malformed")
	errMalformedLink     = newFailure(400, "AuthorizationQueryParametersError", "The signature's query parameters are malformed")
	errDigest            = newFailure(400, "BadDigest", "The checksum you specified did not match what we received")
	errContentHash       = newFailure(400, "XAmzContentSHA256Mismatch", "The provided 'x-amz-content-sha256' header does not match what was computed")
	errIncomplete        = newFailure(400, "IncompleteBody", "The body does not have the announced length, or is not chunked as announced")
	errMalformedXML      = newFailure(400, "MalformedXML", "The XML you provided was not well-formed")
	errMalformedDocument = newFailure(400, "MalformedPolicy", "The document is not valid for this bucket")
	errCopyToItself      = newFailure(400, "InvalidRequest", "An object can not be copied to itself without changing its metadata")
	errInvalidPart       = newFailure(400, "InvalidPart", "One or more of the specified parts could not be found")
	errPartOrder         = newFailure(400, "InvalidPartOrder", "The list of parts was not in ascending order")
	errArgument          = newFailure(400, "InvalidArgument", "Invalid argument")
	errBucketName        = newFailure(400, "InvalidBucketName", "The specified bucket is not valid")
	errTooMany           = newFailure(400, "TooManyBuckets", "You have attempted to create more buckets than allowed")
	errNoBucket          = newFailure(404, "NoSuchBucket", "The specified bucket does not exist")
	errNoKey             = newFailure(404, "NoSuchKey", "The specified key does not exist")
	errNoUpload          = newFailure(404, "NoSuchUpload", "The specified upload does not exist")
	errNoPolicy          = newFailure(404, "NoSuchBucketPolicy", "The bucket policy does not exist")
	errNoCORS            = newFailure(404, "NoSuchCORSConfiguration", "The CORS configuration does not exist")
	errNoVersion         = newFailure(404, "NoSuchVersion", "The specified version does not exist")
	errNoLock            = newFailure(404, "ObjectLockConfigurationNotFoundError", "Object Lock configuration does not exist for this bucket")
	errNoOwnership       = newFailure(404, "OwnershipControlsNotFoundError", "The bucket ownership controls were not found")
	errMethod            = newFailure(405, "MethodNotAllowed", "The specified method is not allowed against this resource")
	errTaken             = newFailure(409, "BucketAlreadyExists", "The requested bucket name is not available: all users share the names")
	errOwned             = newFailure(409, "BucketAlreadyOwnedByYou", "Your previous request to create the named bucket succeeded and you already own it")
	errNotEmpty          = newFailure(409, "BucketNotEmpty", "The bucket you tried to delete is not empty")
	errPrecondition      = newFailure(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
	errConditions        = newFailure(501, "NotImplemented", "A header you provided implies functionality that is not implemented")
	errNotImplemented    = newFailure(501, "NotImplemented", "The simulated object storage does not implement this part of S3")
)

func writeError(w http.ResponseWriter, r *http.Request, err error) {
	f := newFailure(http.StatusInternalServerError, "InternalError", err.Error())
	errors.As(err, &f)
	apiError := *f
	apiError.Resource = r.URL.Path
	writeXML(w, apiError.Status, apiError)
}

// writeXML also serves HEAD: net/http omits the body.
func writeXML(w http.ResponseWriter, status int, document any) {
	body, err := xml.Marshal(document)
	if err != nil {
		status, body = http.StatusInternalServerError, nil
	}
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = w.Write(append([]byte(xml.Header), body...)) // the client closed the connection
}
