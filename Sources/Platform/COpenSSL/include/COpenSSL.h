// OpenSSL for Swift. Swift's importer does not see OpenSSL's macros, so this header declares functions in their place.
#ifndef COPENSSL_H
#define COPENSSL_H

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// Return the digest algorithms of FIPS 180-4; NULL if no provider has the algorithm. OpenSSL's EVP_sha1() and EVP_sha256() make
// OpenSSL search its providers each time a digest begins. These two functions search only once. Any thread may call them.
const EVP_MD *copenssl_sha1(void);
const EVP_MD *copenssl_sha256(void);

// Creates a context for a server or a client; NULL on failure. The settings are: versions from `minimum` to `maximum`
// (TLS1_2_VERSION, TLS1_3_VERSION), AEAD suites with forward secrecy, X25519 before P-256 and P-384, no renegotiation, no
// compression, buffers released while a connection is idle.
SSL_CTX *copenssl_context_new(int is_server, int minimum, int maximum);

// ALPN (RFC 7301) with http/1.1 only. A server continues without ALPN if the client does not use ALPN, and sends the
// alert no_application_protocol if the client offers protocols without http/1.1.
int copenssl_context_use_http_alpn(SSL_CTX *context, int is_server);

int copenssl_set_server_name(SSL *ssl, const char *name);

// Encrypts a server's session tickets with keys that can be rotated. Returns 0 if memory or random bytes are not available.
int copenssl_context_use_ticket_keys(SSL_CTX *context);

// Encrypts new tickets with a new key. Tickets of the previous two keys can still be decrypted; the key before those two is
// erased. Any thread may call this function, also during handshakes.
int copenssl_context_rotate_ticket_keys(SSL_CTX *context);

// Uses the private key of a PEM file. Returns 0 on failure, with the error in OpenSSL's queue. Sets `is_encrypted` if the key
// has a passphrase, and never prompts for the passphrase.
int copenssl_context_use_key(SSL_CTX *context, const char *path, int *is_encrypted);

// The SHA-256 of the context's certificate and its intermediate certificates, in order; 0 on failure.
int copenssl_context_digest_chain(SSL_CTX *context, unsigned char sha256[32]);

// A method for BIOs that read and write by callbacks. The first argument of both callbacks is the pointer from BIO_set_data.
// `read` returns the number of bytes that it has read; 0 if no bytes are available at present.
BIO_METHOD *copenssl_bio_method_new(
    size_t (*read)(void *data, unsigned char *bytes, size_t capacity),
    void (*write)(void *data, const unsigned char *bytes, size_t count));

// Creates an ECDSA P-256 key and a certificate signed by it, and writes both as PEM to open descriptors.
// `alternative_names` is in OpenSSL's notation (DNS:localhost,IP:127.0.0.1); times are seconds since 1970.
// Returns 1 on success, 0 with an error in OpenSSL's queue.
int copenssl_write_self_signed(
    const char *common_name, const char *alternative_names, int64_t not_before, int64_t not_after,
    int certificate_descriptor, int key_descriptor);

// Fills in the start and the end of a certificate's validity, in seconds since 1970. Returns 1 on success, 0 if one of the two
// times cannot be read.
int copenssl_certificate_times(const X509 *certificate, int64_t *not_before, int64_t *not_after);

// The subject of a certificate as in RFC 2253, and its alternative names, separated by commas: UTF-8, truncated to the
// capacity, without a terminating zero. Both functions return the number of bytes written.
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

// Checks that the two PEM files contain a certificate and its key, and that the certificate is valid from `now` to `until`.
copenssl_pair_state copenssl_check_pair(
    const char *certificate_path, const char *key_path, int64_t now, int64_t until);

#endif
