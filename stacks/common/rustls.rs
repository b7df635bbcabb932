//! TLS of both ends, where a stack has rustls: one Ed25519 certificate, whose signatures all have one length, and a client that believes it.

use std::sync::Arc;

use endpoint::Fault;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{ring, verify_tls13_signature, CryptoProvider};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, ServerConfig, SignatureScheme};

static CERTIFICATE: &[u8] = include_bytes!("certificate.der");
static KEY: &[u8] = include_bytes!("key.der");

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

/// The client's side.
pub(crate) fn client() -> Result<ClientConfig, Fault> {
    Ok(ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(OneServer(provider())))
        .with_no_client_auth())
}

/// The server's side.
pub(crate) fn server() -> Result<ServerConfig, Fault> {
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(KEY));
    ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(vec![CertificateDer::from(CERTIFICATE)], key))
        .map_err(|error| error.to_string())
}

/// Believes one certificate, and checks what is signed with it.
#[derive(Debug)]
struct OneServer(Arc<CryptoProvider>);

impl ServerCertVerifier for OneServer {
    fn verify_server_cert(
        &self,
        given: &CertificateDer<'_>,
        _others: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if given.as_ref() == CERTIFICATE {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(Error::General("another certificate than the tunnel's".into()))
        }
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _given: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(Error::General("TLS 1.2 is not QUIC's".into()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        given: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, given, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
