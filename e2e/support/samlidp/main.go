// Command samlidp is a SAML 2.0 identity provider to sign in against, on this machine.
//
// It prints its address as one line. A service registers with its metadata (POST /services). Any login is signed in:
// mira@corp.example; with the prefix "stale:", the sign-in was an hour ago, whatever the request asks for. A login
// in the query is taken without asking.
package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/crewjam/saml"
	"github.com/crewjam/saml/samlsp"
)

const maxMetadataBytes = 1 << 20

var form = template.Must(template.New("form").Parse(`<!doctype html><html lang="en"><title>Corp</title><h1>Corp</h1>
<form>{{range $name, $values := .}}{{range $values}}<input type="hidden" name="{{$name}}" value="{{.}}">{{end}}{{end}}
<label>Email <input name="login" autofocus></label> <button>Continue</button></form></html>`))

// services are those that registered, by entity ID.
type services struct {
	mutex sync.Mutex
	known map[string]*saml.EntityDescriptor
}

// GetServiceProvider returns the metadata of a service.
func (s *services) GetServiceProvider(_ *http.Request, id string) (*saml.EntityDescriptor, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if found, ok := s.known[id]; ok {
		return found, nil
	}
	return nil, os.ErrNotExist
}

// ServeHTTP registers a service.
func (s *services) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMetadataBytes))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	metadata, err := samlsp.ParseMetadata(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.known[metadata.EntityID] = metadata
}

// signIns signs in every user that names a login.
type signIns struct{}

// GetSession returns the session of the login in the query, or asks for one.
func (signIns) GetSession(w http.ResponseWriter, r *http.Request, _ *saml.IdpAuthnRequest) *saml.Session {
	login := r.URL.Query().Get("login")
	if login == "" {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if err := form.Execute(w, r.URL.Query()); err != nil {
			log.Print(err)
		}
		return nil
	}
	signedIn := time.Now().UTC()
	email, isStale := strings.CutPrefix(login, "stale:")
	if isStale {
		signedIn = signedIn.Add(-time.Hour)
	}
	name, _, _ := strings.Cut(email, "@")
	return &saml.Session{
		ID:             hex.EncodeToString([]byte(login)),
		CreateTime:     signedIn,
		ExpireTime:     time.Now().Add(time.Hour),
		Index:          "1",
		NameID:         "id-" + hex.EncodeToString([]byte(email)),
		NameIDFormat:   string(saml.PersistentNameIDFormat),
		UserEmail:      email,
		UserCommonName: strings.ToUpper(name[:1]) + name[1:],
		Groups:         []string{"Engineering", "On call"},
	}
}

func newCertificate() (*rsa.PrivateKey, *x509.Certificate, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, nil, err
	}
	made := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "corp"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
	}
	raw, err := x509.CreateCertificate(rand.Reader, made, made, key.Public(), key)
	if err != nil {
		return nil, nil, err
	}
	certificate, err := x509.ParseCertificate(raw)
	return key, certificate, err
}

func run() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	key, certificate, err := newCertificate()
	if err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return err
	}
	// To a browser, localhost is another site than 127.0.0.1, as a real provider is another site than Slowpath.
	at := func(path string) url.URL {
		return url.URL{Scheme: "http", Host: "localhost:" + port, Path: path}
	}
	address := at("")
	known := &services{known: map[string]*saml.EntityDescriptor{}}
	provider := &saml.IdentityProvider{
		Key:                     key,
		Certificate:             certificate,
		Logger:                  log.Default(),
		MetadataURL:             at("/metadata"),
		SSOURL:                  at("/sso"),
		ServiceProviderProvider: known,
		SessionProvider:         signIns{},
		NameIDFormats:           []saml.NameIDFormat{saml.PersistentNameIDFormat},
		EnforceNameIDPolicy:     true,
		StrictACSBinding:        true,
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metadata", provider.ServeMetadata)
	mux.HandleFunc("GET /sso", provider.ServeSSO)
	mux.Handle("POST /services", known)
	fmt.Println(address.String())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	return server.Serve(listener)
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
