// OpenSSL, and as functions what of it is macros, which Swift's importer does not see.
#ifndef COPENSSL_H
#define COPENSSL_H

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// A context with the rules that hold for both roles, or NULL: versions from `minimum` to `maximum`
// (TLS1_2_VERSION, TLS1_3_VERSION), AEAD suites with forward secrecy, X25519 before P-256 and P-384, no
// renegotiation, no compression, buffers released while a connection is idle.
SSL_CTX *copenssl_context_new(int is_server, int minimum, int maximum);

// ALPN (RFC 7301) with http/1.1 alone. A server proceeds without when the client offers nothing, and answers
// the alert no_application_protocol when it offers only others.
int copenssl_context_use_http_alpn(SSL_CTX *context, int is_server);

int copenssl_set_server_name(SSL *ssl, const char *name);

// Has a server's session tickets sealed by keys that can be changed while it runs; 0 without memory or randomness.
int copenssl_context_use_ticket_keys(SSL_CTX *context);

// New tickets get a new key. Those that the last two keys sealed can still be opened; the key before is erased. Any
// thread may call it, beside handshakes.
int copenssl_context_rotate_ticket_keys(SSL_CTX *context);

// Takes the private key of a PEM file; 0 with an error in OpenSSL's queue. `is_encrypted` says that only a passphrase
// would open it: none is asked for.
int copenssl_context_use_key(SSL_CTX *context, const char *path, int *is_encrypted);

// The SHA-256 of the context's certificate and those that lead up from it, in their order; 0 when that failed.
int copenssl_context_digest_chain(SSL_CTX *context, unsigned char sha256[32]);

// A method for BIOs whose two ends are the callbacks. They are given what BIO_set_data was; `read` answers
// the bytes it had, 0 for none at present.
BIO_METHOD *copenssl_bio_method_new(
    size_t (*read)(void *data, unsigned char *bytes, size_t capacity),
    void (*write)(void *data, const unsigned char *bytes, size_t count));

// Makes an ECDSA P-256 key and a certificate signed by it, and writes both as PEM to open descriptors.
// `alternative_names` is in OpenSSL's notation (DNS:localhost,IP:127.0.0.1); times are seconds since 1970.
// 1 when done, 0 with an error in OpenSSL's queue.
int copenssl_write_self_signed(
    const char *common_name, const char *alternative_names, int64_t not_before, int64_t not_after,
    int certificate_descriptor, int key_descriptor);

// From when to when it is valid, in seconds since 1970; 0 when a time in it cannot be read.
int copenssl_certificate_times(const X509 *certificate, int64_t *not_before, int64_t *not_after);

// Its subject as RFC 2253 writes it, and its alternative names, between commas: UTF-8, cut to the capacity and without a
// zero at the end. They answer how many bytes they wrote.
size_t copenssl_certificate_subject(const X509 *certificate, char *text, size_t capacity);
size_t copenssl_certificate_names(const X509 *certificate, char *text, size_t capacity);

typedef enum {
  copenssl_pair_usable,
  copenssl_pair_missing,
  copenssl_pair_unreadable,
  copenssl_pair_mismatched,
  copenssl_pair_not_yet_valid,
  copenssl_pair_expired,
} copenssl_pair_state;

// Whether the two PEM files hold a certificate and its key, and it is valid from `now` to `until`.
copenssl_pair_state copenssl_check_pair(
    const char *certificate_path, const char *key_path, int64_t now, int64_t until);

#endif
