#include "COpenSSL.h"

#include <errno.h>
#include <string.h>

// OpenSSL would free its memory when the process exits, although event loops may still perform handshakes and generate masking
// keys. One of six runs of a program that only called exit() crashed for this reason. This function must run before any other
// call of OpenSSL.
__attribute__((constructor)) static void keep_until_the_end(void) {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

// Without a callback OpenSSL would prompt for the passphrase of a key on the terminal, and wait.
static int no_passphrase(char *buffer, int size, int is_writing, void *unused) {
  (void)buffer;
  (void)size;
  (void)is_writing;
  (void)unused;
  return 0;
}

// Contexts

SSL_CTX *copenssl_context_new(int is_server, int minimum, int maximum) {
  SSL_CTX *context = SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method());
  if (context == NULL) return NULL;
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                   SSL_OP_NO_SESSION_RESUMPTION_ON_RENEGOTIATION |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // TLS sessions are stored in tickets, which every connection of the context can decrypt. So OpenSSL's session cache is off.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_default_passwd_cb(context, no_passphrase);
  static const unsigned char identity[] = "drawtogether";
  if (SSL_CTX_set_min_proto_version(context, minimum) && SSL_CTX_set_max_proto_version(context, maximum) &&
      SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") &&
      // P-384 is for certificates with a P-384 key, which TLS 1.2 supports only if this group is in the list.
      SSL_CTX_set1_groups_list(context, "X25519:P-256:P-384") &&
      SSL_CTX_set_session_id_context(context, identity, sizeof identity - 1))
    return context;
  SSL_CTX_free(context);
  return NULL;
}

static const unsigned char http_alpn[] = "\x08http/1.1";
static const unsigned int http_alpn_length = sizeof http_alpn - 1;

static int select_alpn(SSL *ssl, const unsigned char **selected, unsigned char *length,
                       const unsigned char *offered, unsigned int offered_length, void *unused) {
  (void)ssl;
  (void)unused;
  // RFC 7301 §3.2: without a common protocol, the server sends a fatal alert.
  return SSL_select_next_proto((unsigned char **)selected, length, http_alpn, http_alpn_length, offered,
                               offered_length) == OPENSSL_NPN_NEGOTIATED
             ? SSL_TLSEXT_ERR_OK
             : SSL_TLSEXT_ERR_ALERT_FATAL;
}

int copenssl_context_use_http_alpn(SSL_CTX *context, int is_server) {
  if (!is_server) return SSL_CTX_set_alpn_protos(context, http_alpn, http_alpn_length) == 0;
  SSL_CTX_set_alpn_select_cb(context, select_alpn, NULL);
  return 1;
}

int copenssl_set_server_name(SSL *ssl, const char *name) { return (int)SSL_set_tlsext_host_name(ssl, name); }

// BIO

struct ends {
  size_t (*read)(void *data, unsigned char *bytes, size_t capacity);
  void (*write)(void *data, const unsigned char *bytes, size_t count);
};

// The functions that read and write ciphertext. They are the same for all BIOs, because the process has only one BIO method.
static struct ends ends;

static int bio_create(BIO *bio) {
  BIO_set_init(bio, 1);
  return 1;
}

static int bio_read(BIO *bio, char *bytes, size_t capacity, size_t *count) {
  BIO_clear_retry_flags(bio);
  *count = ends.read(BIO_get_data(bio), (unsigned char *)bytes, capacity);
  if (*count > 0) return 1;
  BIO_set_retry_read(bio);
  return 0;
}

static int bio_write(BIO *bio, const char *bytes, size_t length, size_t *count) {
  BIO_clear_retry_flags(bio);
  ends.write(BIO_get_data(bio), (const unsigned char *)bytes, length);
  *count = length;
  return 1;
}

static long bio_control(BIO *bio, int command, long number, void *pointer) {
  (void)bio;
  (void)number;
  (void)pointer;
  return command == BIO_CTRL_FLUSH;
}

BIO_METHOD *copenssl_bio_method_new(
    size_t (*read)(void *data, unsigned char *bytes, size_t capacity),
    void (*write)(void *data, const unsigned char *bytes, size_t count)) {
  ends.read = read;
  ends.write = write;
  BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "buffers of the caller");
  if (method == NULL) return NULL;
  BIO_meth_set_create(method, bio_create);
  BIO_meth_set_read_ex(method, bio_read);
  BIO_meth_set_write_ex(method, bio_write);
  BIO_meth_set_ctrl(method, bio_control);
  return method;
}

// Certificates

static int add_extension(X509 *certificate, int nid, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
  if (extension == NULL) return 0;
  int added = X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  return added;
}

// RFC 5280 §4.1.2.2: positive, at most 20 octets.
static int set_random_serial(X509 *certificate) {
  BIGNUM *number = BN_new();
  int done = number != NULL && BN_rand(number, 159, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) &&
             BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != NULL;
  BN_free(number);
  return done;
}

static int set_names(X509 *certificate, const char *common_name) {
  X509_NAME *name = X509_get_subject_name(certificate);
  return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, (const unsigned char *)common_name, -1, -1, 0) &&
         X509_set_issuer_name(certificate, name);
}

static int fill_in(X509 *certificate, EVP_PKEY *key, const char *common_name, const char *alternative_names,
                   int64_t not_before, int64_t not_after) {
  return X509_set_version(certificate, X509_VERSION_3) && set_random_serial(certificate) &&
         ASN1_TIME_set(X509_getm_notBefore(certificate), (time_t)not_before) != NULL &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), (time_t)not_after) != NULL &&
         X509_set_pubkey(certificate, key) && set_names(certificate, common_name) &&
         add_extension(certificate, NID_basic_constraints, "critical,CA:FALSE") &&
         add_extension(certificate, NID_key_usage, "critical,digitalSignature") &&
         add_extension(certificate, NID_ext_key_usage, "serverAuth") &&
         add_extension(certificate, NID_subject_key_identifier, "hash") &&
         add_extension(certificate, NID_subject_alt_name, alternative_names) &&
         X509_sign(certificate, key, EVP_sha256()) > 0;
}

int copenssl_write_self_signed(
    const char *common_name, const char *alternative_names, int64_t not_before, int64_t not_after,
    int certificate_descriptor, int key_descriptor) {
  EVP_PKEY *key = EVP_EC_gen("P-256");
  X509 *certificate = X509_new();
  BIO *certificate_file = BIO_new_fd(certificate_descriptor, BIO_NOCLOSE);
  BIO *key_file = BIO_new_fd(key_descriptor, BIO_NOCLOSE);
  int done = key != NULL && certificate != NULL && certificate_file != NULL && key_file != NULL &&
             fill_in(certificate, key, common_name, alternative_names, not_before, not_after) &&
             PEM_write_bio_X509(certificate_file, certificate) &&
             PEM_write_bio_PrivateKey(key_file, key, NULL, NULL, 0, NULL, NULL);
  BIO_free(key_file);
  BIO_free(certificate_file);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return done;
}

static copenssl_pair_state compare(X509 *certificate, EVP_PKEY *key, int64_t now, int64_t until) {
  if (!X509_check_private_key(certificate, key)) return copenssl_pair_mismatched;
  time_t first = (time_t)now, last = (time_t)until;
  int starts = X509_cmp_time(X509_get0_notBefore(certificate), &first);
  int ends_after = X509_cmp_time(X509_get0_notAfter(certificate), &last);
  if (starts == 0 || ends_after == 0) return copenssl_pair_unreadable;
  if (starts > 0) return copenssl_pair_not_yet_valid;
  return ends_after < 0 ? copenssl_pair_expired : copenssl_pair_usable;
}

copenssl_pair_state copenssl_check_pair(
    const char *certificate_path, const char *key_path, int64_t now, int64_t until) {
  errno = 0;
  BIO *certificate_file = BIO_new_file(certificate_path, "r");
  int is_missing = certificate_file == NULL && errno == ENOENT;
  errno = 0;
  BIO *key_file = BIO_new_file(key_path, "r");
  is_missing = is_missing || (key_file == NULL && errno == ENOENT);
  X509 *certificate =
      certificate_file == NULL ? NULL : PEM_read_bio_X509(certificate_file, NULL, no_passphrase, NULL);
  EVP_PKEY *key = key_file == NULL ? NULL : PEM_read_bio_PrivateKey(key_file, NULL, no_passphrase, NULL);
  copenssl_pair_state state = is_missing                           ? copenssl_pair_missing
                              : certificate == NULL || key == NULL ? copenssl_pair_unreadable
                                                                   : compare(certificate, key, now, until);
  EVP_PKEY_free(key);
  X509_free(certificate);
  BIO_free(key_file);
  BIO_free(certificate_file);
  ERR_clear_error();
  return state;
}
