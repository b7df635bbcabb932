//! TLS of both ends: one Ed25519 certificate, whose signatures all have one length, and a client that believes it and checks it.
//!
//! tquic reads certificates from files and has no choice of signatures: it is given a context of its own BoringSSL, made here by the C interface.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use endpoint::{Fault, Role};
use tquic::TlsConfig;

static CERTIFICATE: &[u8] = include_bytes!("../../common/certificate.der");
static KEY: &[u8] = include_bytes!("../../common/key.der");

/// `SSL_SIGN_ED25519`, `EVP_PKEY_ED25519` (its NID) and `SSL_VERIFY_PEER` of BoringSSL.
const SIGN_ED25519: u16 = 0x0807;
const PKEY_ED25519: c_int = 949;
const VERIFY_PEER: c_int = 1;
/// TLS 1.3, the only one of QUIC.
const TLS13: u16 = 0x0304;

extern "C" {
    fn TLS_method() -> *const c_void;
    fn SSL_CTX_new(method: *const c_void) -> *mut c_void;
    fn SSL_CTX_set_min_proto_version(context: *mut c_void, version: u16) -> c_int;
    fn SSL_CTX_use_certificate_ASN1(context: *mut c_void, length: usize, der: *const u8) -> c_int;
    fn SSL_CTX_use_PrivateKey_ASN1(kind: c_int, context: *mut c_void, der: *const u8, length: usize) -> c_int;
    fn SSL_CTX_set_verify_algorithm_prefs(context: *mut c_void, prefs: *const u16, count: usize) -> c_int;
    fn SSL_CTX_set_verify(context: *mut c_void, mode: c_int, callback: *const c_void);
    fn SSL_CTX_get_cert_store(context: *const c_void) -> *mut c_void;
    fn X509_STORE_add_cert(store: *mut c_void, certificate: *mut c_void) -> c_int;
    fn d2i_X509(to: *mut *mut c_void, der: *mut *const u8, length: std::ffi::c_long) -> *mut c_void;
    fn X509_free(certificate: *mut c_void);
}

/// The configuration of one end. Its context stays for as long as the process, as tquic wants it of one from outside.
pub(crate) fn config(role: Role) -> Result<TlsConfig, Fault> {
    // SAFETY: the functions are BoringSSL's, linked into this library with these types; all pointers are valid during the calls.
    let context = unsafe {
        let context = SSL_CTX_new(TLS_method());
        if context.is_null() || SSL_CTX_set_min_proto_version(context, TLS13) != 1 || built(context, role) != Some(()) {
            return Err("its TLS takes no Ed25519 certificate".into());
        }
        context
    };
    let mut config = TlsConfig::new_with_ssl_ctx(context.cast());
    config.set_application_protos(vec![b"tunnel".to_vec()]).map_err(|error| error.to_string())?;
    Ok(config)
}

unsafe fn built(context: *mut c_void, role: Role) -> Option<()> {
    let done = |answer: c_int| (answer == 1).then_some(());
    // SAFETY: as the caller's.
    unsafe {
        if role == Role::Server {
            done(SSL_CTX_use_certificate_ASN1(context, CERTIFICATE.len(), CERTIFICATE.as_ptr()))?;
            // The key without its PKCS #8 envelope is what this kind of function takes of other kinds: it reads the envelope too.
            return done(SSL_CTX_use_PrivateKey_ASN1(PKEY_ED25519, context, KEY.as_ptr(), KEY.len()));
        }
        let mut der = CERTIFICATE.as_ptr();
        let certificate = d2i_X509(null_mut(), &mut der, CERTIFICATE.len() as std::ffi::c_long);
        if certificate.is_null() {
            return None;
        }
        let added = X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate);
        X509_free(certificate);
        done(added)?;
        // Ed25519 is not among what BoringSSL accepts unasked.
        done(SSL_CTX_set_verify_algorithm_prefs(context, &SIGN_ED25519, 1))?;
        SSL_CTX_set_verify(context, VERIFY_PEER, std::ptr::null());
    }
    Some(())
}
