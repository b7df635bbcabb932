//! A null cipher, where a stack takes its user's own cryptography: packets after the handshake leave as they are written.
//!
//! The handshake is TLS's own, with its certificate. A packet keeps the length that it has with a tag, and with a header's sample, so that sizes and times are
//! those of the encrypted connection. What the two stacks' interfaces call differently is what the macro is given.

/// The types of a null cipher: `Client` and `Server` in the place of the stack's configurations of TLS.
macro_rules! null_cipher {
    (id: $id:ty, configured: $configured:ty, path: [$($path:ty)?]) => {
        use std::any::Any;
        use std::sync::Arc;

        use bytes::BytesMut;

        use crate::proto::crypto::{
            ClientConfig, CryptoError, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey, ServerConfig, Session,
            UnsupportedVersion,
        };
        use crate::proto::transport_parameters::TransportParameters;
        use crate::proto::{ConnectError, ConnectionId, Side, TransportError};

        /// Bytes of a tag, and of a sample of a header's protection (RFC 9001 5.3, 5.4.2).
        const TAG_BYTES: usize = 16;

        /// Neither encrypts nor checks.
        struct Null;

        impl PacketKey for Null {
            fn encrypt(&self, $(_path: $path,)? _packet: u64, _buffer: &mut [u8], _header: usize) {}

            fn decrypt(&self, $(_path: $path,)? _packet: u64, _header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
                let length = payload.len().checked_sub(TAG_BYTES).ok_or(CryptoError)?;
                payload.truncate(length);
                Ok(())
            }

            fn tag_len(&self) -> usize {
                TAG_BYTES
            }

            fn confidentiality_limit(&self) -> u64 {
                u64::MAX
            }

            fn integrity_limit(&self) -> u64 {
                u64::MAX
            }
        }

        impl HeaderKey for Null {
            fn decrypt(&self, _offset: usize, _packet: &mut [u8]) {}

            fn encrypt(&self, _offset: usize, _packet: &mut [u8]) {}

            fn sample_size(&self) -> usize {
                TAG_BYTES
            }
        }

        fn null_packets() -> KeyPair<Box<dyn PacketKey>> {
            KeyPair { local: Box::new(Null), remote: Box::new(Null) }
        }

        /// A session of TLS whose keys after the handshake's are null.
        struct Plain {
            session: Box<dyn Session>,
            /// Sets of keys so far: the handshake's is the first.
            sets: u32,
        }

        impl Session for Plain {
            fn initial_keys(&self, id: $id, side: Side) -> Keys {
                self.session.initial_keys(id, side)
            }

            fn handshake_data(&self) -> Option<Box<dyn Any>> {
                self.session.handshake_data()
            }

            fn peer_identity(&self) -> Option<Box<dyn Any>> {
                self.session.peer_identity()
            }

            fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
                self.session.early_crypto()
            }

            fn early_data_accepted(&self) -> Option<bool> {
                self.session.early_data_accepted()
            }

            fn is_handshaking(&self) -> bool {
                self.session.is_handshaking()
            }

            fn read_handshake(&mut self, read: &[u8]) -> Result<bool, TransportError> {
                self.session.read_handshake(read)
            }

            fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
                self.session.transport_parameters()
            }

            fn write_handshake(&mut self, written: &mut Vec<u8>) -> Option<Keys> {
                let keys = self.session.write_handshake(written)?;
                self.sets += 1;
                let header = KeyPair { local: Box::new(Null) as Box<dyn HeaderKey>, remote: Box::new(Null) as Box<dyn HeaderKey> };
                Some(if self.sets == 1 { keys } else { Keys { header, packet: null_packets() } })
            }

            fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
                self.session.next_1rtt_keys().map(|_| null_packets())
            }

            fn is_valid_retry(&self, id: $id, header: &[u8], payload: &[u8]) -> bool {
                self.session.is_valid_retry(id, header, payload)
            }

            fn export_keying_material(&self, output: &mut [u8], label: &[u8], context: &[u8]) -> Result<(), ExportKeyingMaterialError> {
                self.session.export_keying_material(output, label, context)
            }
        }

        fn plain(session: Box<dyn Session>) -> Box<dyn Session> {
            Box::new(Plain { session, sets: 0 })
        }

        /// A client's configuration of TLS, with null keys after the handshake.
        pub(crate) struct Client(pub(crate) Arc<dyn ClientConfig>);

        impl ClientConfig for Client {
            fn start_session(
                self: $configured,
                version: u32,
                server: &str,
                parameters: &TransportParameters,
            ) -> Result<Box<dyn Session>, ConnectError> {
                Arc::clone(&self.0).start_session(version, server, parameters).map(plain)
            }
        }

        /// A server's.
        pub(crate) struct Server(pub(crate) Arc<dyn ServerConfig>);

        impl ServerConfig for Server {
            fn initial_keys(&self, version: u32, id: $id) -> Result<Keys, UnsupportedVersion> {
                self.0.initial_keys(version, id)
            }

            fn retry_tag(&self, version: u32, id: $id, packet: &[u8]) -> [u8; 16] {
                self.0.retry_tag(version, id, packet)
            }

            fn start_session(self: $configured, version: u32, parameters: &TransportParameters) -> Box<dyn Session> {
                plain(Arc::clone(&self.0).start_session(version, parameters))
            }
        }
    };
}
