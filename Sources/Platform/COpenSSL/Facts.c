#include "COpenSSL.h"

#include <string.h>

static EVP_MD *sha1, *sha256;

static void fetch_digests(void) {
  sha1 = EVP_MD_fetch(NULL, "SHA1", NULL);
  sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
}

static void fetch_digests_once(void) {
  static CRYPTO_ONCE once = CRYPTO_ONCE_STATIC_INIT;
  CRYPTO_THREAD_run_once(&once, fetch_digests);
}

const EVP_MD *copenssl_sha1(void) {
  fetch_digests_once();
  return sha1;
}

const EVP_MD *copenssl_sha256(void) {
  fetch_digests_once();
  return sha256;
}

int copenssl_certificate_times(const X509 *certificate, int64_t *not_before, int64_t *not_after) {
  ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
  const ASN1_TIME *times[] = {X509_get0_notBefore(certificate), X509_get0_notAfter(certificate)};
  int64_t *results[] = {not_before, not_after};
  int done = epoch != NULL;
  for (int number = 0; number < 2 && done; number++) {
    int days = 0, seconds = 0;
    done = ASN1_TIME_diff(&days, &seconds, epoch, times[number]);
    *results[number] = (int64_t)days * 86400 + seconds;
  }
  ASN1_TIME_free(epoch);
  return done;
}

// Moves the printed text to `text`, truncated to the capacity.
static size_t move_text(BIO *printed, char *text, size_t capacity) {
  char *bytes = NULL;
  long count = printed == NULL ? 0 : BIO_get_mem_data(printed, &bytes);
  size_t taken = count < 0 ? 0 : (size_t)count < capacity ? (size_t)count : capacity;
  if (taken > 0) memcpy(text, bytes, taken);
  BIO_free(printed);
  return taken;
}

size_t copenssl_certificate_subject(const X509 *certificate, char *text, size_t capacity) {
  BIO *printed = BIO_new(BIO_s_mem());
  if (printed != NULL)
    X509_NAME_print_ex(printed, X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
  return move_text(printed, text, capacity);
}

size_t copenssl_certificate_names(const X509 *certificate, char *text, size_t capacity) {
  GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
  BIO *printed = BIO_new(BIO_s_mem());
  int count = names == NULL || printed == NULL ? 0 : sk_GENERAL_NAME_num(names);
  for (int number = 0; number < count; number++) {
    if (number > 0) BIO_puts(printed, ", ");
    GENERAL_NAME_print(printed, sk_GENERAL_NAME_value(names, number));
  }
  GENERAL_NAMES_free(names);
  return move_text(printed, text, capacity);
}

static int add(EVP_MD_CTX *digest, const X509 *certificate) {
  unsigned char *bytes = NULL;
  int count = i2d_X509(certificate, &bytes);
  int done = count > 0 && EVP_DigestUpdate(digest, bytes, (size_t)count);
  OPENSSL_free(bytes);
  return done;
}

int copenssl_context_digest_chain(SSL_CTX *context, unsigned char sha256[32]) {
  EVP_MD_CTX *digest = EVP_MD_CTX_new();
  STACK_OF(X509) *chain = NULL;
  int done = digest != NULL && EVP_DigestInit_ex(digest, EVP_sha256(), NULL) &&
             SSL_CTX_get0_chain_certs(context, &chain) && add(digest, SSL_CTX_get0_certificate(context));
  for (int number = 0; done && chain != NULL && number < sk_X509_num(chain); number++)
    done = add(digest, sk_X509_value(chain, number));
  done = done && EVP_DigestFinal_ex(digest, sha256, NULL);
  EVP_MD_CTX_free(digest);
  return done;
}

// Records that OpenSSL asked for a passphrase, and returns none.
static int record_passphrase_request(char *buffer, int size, int is_writing, void *was_asked) {
  (void)buffer, (void)size, (void)is_writing;
  if (was_asked != NULL) *(int *)was_asked = 1;
  return 0;
}

int copenssl_context_use_key(SSL_CTX *context, const char *path, int *is_encrypted) {
  *is_encrypted = 0;
  SSL_CTX_set_default_passwd_cb(context, record_passphrase_request);
  SSL_CTX_set_default_passwd_cb_userdata(context, is_encrypted);
  int done = SSL_CTX_use_PrivateKey_file(context, path, SSL_FILETYPE_PEM);
  SSL_CTX_set_default_passwd_cb_userdata(context, NULL);
  return done == 1;
}
