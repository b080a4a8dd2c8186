#include "COpenSSL.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <string.h>

// The keys that encrypt session tickets (RFC 5077 §4). OpenSSL itself would create one key per context and never replace it.
// Anyone with this key could decrypt every resumed TLS 1.2 connection since the start of the gateway.

enum { key_count = 3 };

struct ticket_key {
  unsigned char name[16];
  unsigned char cipher[32];
  unsigned char mac[32];
};

struct ticket_keys {
  CRYPTO_RWLOCK *lock;
  // The first key encrypts new tickets. All keys decrypt tickets.
  struct ticket_key keys[key_count];
};

static void ticket_keys_free(void *parent, void *pointer, CRYPTO_EX_DATA *data, int index, long number,
                             void *argument) {
  (void)parent, (void)data, (void)index, (void)number, (void)argument;
  struct ticket_keys *all = pointer;
  if (all == NULL) return;
  CRYPTO_THREAD_lock_free(all->lock);
  OPENSSL_clear_free(all, sizeof *all);
}

static CRYPTO_ONCE index_once = CRYPTO_ONCE_STATIC_INIT;
static int keys_index = -1;

static void make_index(void) { keys_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, ticket_keys_free); }

static int make_key(struct ticket_key *key) {
  return RAND_bytes(key->name, sizeof key->name) == 1 && RAND_priv_bytes(key->cipher, sizeof key->cipher) == 1 &&
         RAND_priv_bytes(key->mac, sizeof key->mac) == 1;
}

// Finds the key of a ticket by its name. If `name` is NULL, finds the key with which new tickets are encrypted. Returns the index
// of the key, or -1.
static int find(struct ticket_keys *all, const unsigned char *name, struct ticket_key *found) {
  int index = -1;
  if (!CRYPTO_THREAD_read_lock(all->lock)) return -1;
  for (int number = 0; number < key_count && index < 0; number++)
    if (name == NULL || memcmp(all->keys[number].name, name, sizeof found->name) == 0) index = number;
  if (index >= 0) *found = all->keys[index];
  CRYPTO_THREAD_unlock(all->lock);
  return index;
}

static int prepare(const struct ticket_key *key, unsigned char *iv, EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac,
                   int encrypts) {
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void *)key->mac, sizeof key->mac),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, "SHA256", 0),
      OSSL_PARAM_construct_end(),
  };
  return EVP_MAC_CTX_set_params(mac, parameters) &&
         EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, key->cipher, iv, encrypts);
}

// SSL_CTX_set_tlsext_ticket_key_evp_cb(3) returns 1 for success, 2 for success with a new ticket for the client, 0 for an
// unknown key.
static int use_key(SSL *ssl, unsigned char name[16], unsigned char *iv, EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac,
                   int encrypts) {
  struct ticket_keys *all = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), keys_index);
  struct ticket_key key;
  if (all == NULL) return -1;
  int index = find(all, encrypts ? NULL : name, &key);
  int done = 0;
  if (index >= 0) {
    if (encrypts) memcpy(name, key.name, sizeof key.name);
    done = (!encrypts || RAND_bytes(iv, EVP_MAX_IV_LENGTH) == 1) && prepare(&key, iv, cipher, mac, encrypts)
               ? (index == 0 ? 1 : 2)
               : -1;
  }
  OPENSSL_cleanse(&key, sizeof key);
  return done;
}

int copenssl_context_use_ticket_keys(SSL_CTX *context) {
  if (!CRYPTO_THREAD_run_once(&index_once, make_index) || keys_index < 0) return 0;
  struct ticket_keys *all = OPENSSL_zalloc(sizeof *all);
  if (all == NULL) return 0;
  all->lock = CRYPTO_THREAD_lock_new();
  int done = all->lock != NULL;
  for (int number = 0; number < key_count; number++) done = done && make_key(&all->keys[number]);
  if (done && SSL_CTX_set_ex_data(context, keys_index, all) &&
      SSL_CTX_set_tlsext_ticket_key_evp_cb(context, use_key))
    return 1;
  // The context frees the keys only if they were stored in it.
  if (SSL_CTX_get_ex_data(context, keys_index) == NULL) ticket_keys_free(NULL, all, NULL, 0, 0, NULL);
  return 0;
}

int copenssl_context_rotate_ticket_keys(SSL_CTX *context) {
  struct ticket_keys *all = SSL_CTX_get_ex_data(context, keys_index);
  struct ticket_key key;
  if (all == NULL) return 0;
  int done = make_key(&key) && CRYPTO_THREAD_write_lock(all->lock);
  if (done) {
    memmove(&all->keys[1], &all->keys[0], sizeof all->keys - sizeof all->keys[0]);
    all->keys[0] = key;
    CRYPTO_THREAD_unlock(all->lock);
  }
  OPENSSL_cleanse(&key, sizeof key);
  return done;
}
