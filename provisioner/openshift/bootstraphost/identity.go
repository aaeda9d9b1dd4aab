package bootstraphost

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"

	"golang.org/x/crypto/ssh"

	"exoshift/internal/fault"
	"exoshift/state"
)

// stateFile is the state of openshift-install. It holds all private keys of the cluster: no error quotes it.
const stateFile = ".openshift_install_state.json"

type identity struct {
	hostKey ssh.PublicKey   // of its SSH server
	name    string          // subject of its gateway's certificate
	server  *x509.CertPool  // only that certificate
	client  tls.Certificate // ours; openshift-install created it for reading the journal

	checksums [2][sha256.Size]byte // of the two files
}

// readIdentity returns last while the files are those that it was read from: openshift-install's state has megabytes.
func readIdentity(file func(name string) ([]byte, error), last *identity) (*identity, error) {
	const op = "read the identity of the bootstrap machine"
	who := &identity{}
	keys, err := file(state.IdentityFile)
	if err == nil {
		err = who.readServer(keys)
	}
	if err != nil {
		return nil, fault.New(fault.NotFound, op, err)
	}
	content, err := file(stateFile)
	if err == nil {
		who.checksums = [2][sha256.Size]byte{sha256.Sum256(keys), sha256.Sum256(content)}
		if last != nil && last.checksums == who.checksums {
			return last, nil
		}
		err = who.readClient(content)
	}
	if err != nil {
		return nil, fault.New(fault.NotFound, op, err)
	}
	return who, nil
}

func (who *identity) readServer(keys []byte) error {
	who.server = x509.NewCertPool()
	for block, rest := pem.Decode(keys); block != nil; block, rest = pem.Decode(rest) {
		switch block.Type {
		case "OPENSSH PRIVATE KEY":
			signer, err := ssh.ParsePrivateKey(pem.EncodeToMemory(block))
			if err != nil {
				return err
			}
			who.hostKey = signer.PublicKey()
		case "CERTIFICATE":
			certificate, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				return err
			}
			if len(certificate.DNSNames) > 0 {
				who.name = certificate.DNSNames[0]
			}
			who.server.AddCert(certificate)
		}
	}
	if who.hostKey == nil || who.name == "" {
		return errors.New(state.IdentityFile + " is incomplete")
	}
	return nil
}

func (who *identity) readClient(content []byte) error {
	var kept struct {
		Journal struct{ CertRaw, KeyRaw []byte } `json:"*tls.JournalCertKey"`
	}
	if json.Unmarshal(content, &kept) != nil || kept.Journal.CertRaw == nil {
		return errors.New(stateFile + " holds no *tls.JournalCertKey")
	}
	pair, err := tls.X509KeyPair(kept.Journal.CertRaw, kept.Journal.KeyRaw)
	who.client = pair
	return err
}
