//! TLS with a self-signed loopback certificate, generated for each server.

use std::io;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

pub(super) type Acceptor = TlsAcceptor;

/// Returns a TLS acceptor and its certificate in PEM format.
pub(super) fn acceptor() -> io::Result<(Acceptor, String)> {
    let (config, certificate) = certified()?;
    Ok((config.into(), certificate))
}

/// Returns the configuration of a TLS server and its certificate in PEM format.
pub(crate) fn certified() -> io::Result<(Arc<ServerConfig>, String)> {
    let names = ["127.0.0.1".to_owned(), "localhost".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).map_err(io::Error::other)?;
    let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .map_err(io::Error::other)?;
    Ok((Arc::new(config), made.cert.pem()))
}
