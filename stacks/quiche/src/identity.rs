//! TLS of both ends: one Ed25519 certificate, whose signatures all have one length, and a client that believes it and checks it.

use boring::pkey::PKey;
use boring::ssl::{SslContextBuilder, SslMethod, SslSignatureAlgorithm, SslVerifyMode};
use boring::x509::store::X509StoreBuilder;
use boring::x509::X509;
use endpoint::{Fault, Role};

static CERTIFICATE: &[u8] = include_bytes!("../../common/certificate.der");
static KEY: &[u8] = include_bytes!("../../common/key.der");

/// The context of one end.
pub(crate) fn context(role: Role) -> Result<SslContextBuilder, Fault> {
    built(role).map_err(|error| error.to_string())
}

fn built(role: Role) -> Result<SslContextBuilder, boring::error::ErrorStack> {
    let mut context = SslContextBuilder::new(SslMethod::tls())?;
    let certificate = X509::from_der(CERTIFICATE)?;
    match role {
        Role::Server => {
            context.set_certificate(&certificate)?;
            context.set_private_key(PKey::private_key_from_der(KEY)?.as_ref())?;
        }
        Role::Client => {
            let mut store = X509StoreBuilder::new()?;
            store.add_cert(certificate)?;
            context.set_cert_store_builder(store);
            // Ed25519 is not among what BoringSSL accepts unasked.
            context.set_verify_algorithm_prefs(&[SslSignatureAlgorithm::ED25519])?;
            context.set_verify(SslVerifyMode::PEER);
        }
    }
    Ok(context)
}
