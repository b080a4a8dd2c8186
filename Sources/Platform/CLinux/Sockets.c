#define _GNU_SOURCE
#include "CLinux.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static int result(int value) { return value < 0 ? -errno : value; }

// Addresses

static uint64_t big_endian_half(const uint8_t *bytes) {
  uint64_t value = 0;
  for (int i = 0; i < 8; i++) value = value << 8 | bytes[i];
  return value;
}

static void store_big_endian(uint64_t value, uint8_t *bytes) {
  for (int i = 7; i >= 0; i--, value >>= 8) bytes[i] = (uint8_t)value;
}

// Returns 1, or 0 if the address family is neither IPv4 nor IPv6.
static int address_from(const struct sockaddr *source, clinux_address *address) {
  memset(address, 0, sizeof *address);
  if (source->sa_family == AF_INET) {
    struct sockaddr_in v4;
    memcpy(&v4, source, sizeof v4);
    address->low = ntohl(v4.sin_addr.s_addr);
    address->port = ntohs(v4.sin_port);
    return 1;
  }
  if (source->sa_family == AF_INET6) {
    struct sockaddr_in6 v6;
    memcpy(&v6, source, sizeof v6);
    address->is_v6 = 1;
    address->high = big_endian_half(v6.sin6_addr.s6_addr);
    address->low = big_endian_half(v6.sin6_addr.s6_addr + 8);
    address->scope = v6.sin6_scope_id;
    address->port = ntohs(v6.sin6_port);
    return 1;
  }
  return 0;
}

static socklen_t address_into(const clinux_address *address, struct sockaddr_storage *storage) {
  memset(storage, 0, sizeof *storage);
  if (!address->is_v6) {
    struct sockaddr_in *v4 = (struct sockaddr_in *)storage;
    v4->sin_family = AF_INET;
    v4->sin_port = htons(address->port);
    v4->sin_addr.s_addr = htonl((uint32_t)address->low);
    return sizeof *v4;
  }
  struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)storage;
  v6->sin6_family = AF_INET6;
  v6->sin6_port = htons(address->port);
  v6->sin6_scope_id = address->scope;
  store_big_endian(address->high, v6->sin6_addr.s6_addr);
  store_big_endian(address->low, v6->sin6_addr.s6_addr + 8);
  return sizeof *v6;
}

int clinux_address_text(const clinux_address *address, char *text) {
  struct sockaddr_storage storage;
  address_into(address, &storage);
  const void *bytes = address->is_v6 ? (const void *)&((struct sockaddr_in6 *)&storage)->sin6_addr
                                     : (const void *)&((struct sockaddr_in *)&storage)->sin_addr;
  return inet_ntop(storage.ss_family, bytes, text, clinux_address_text_capacity) == NULL ? -errno : 0;
}

int clinux_resolve(const char *host, int is_numeric, clinux_address *addresses, size_t capacity) {
  struct addrinfo hints = {
      .ai_family = AF_UNSPEC,
      .ai_socktype = SOCK_STREAM,
      .ai_flags = is_numeric ? AI_NUMERICHOST : 0,
  };
  struct addrinfo *list = NULL;
  int error = getaddrinfo(host, NULL, &hints, &list);
  if (error != 0) return error;
  size_t count = 0;
  for (struct addrinfo *entry = list; entry != NULL && count < capacity; entry = entry->ai_next)
    count += (size_t)address_from(entry->ai_addr, &addresses[count]);
  freeaddrinfo(list);
  return (int)count;
}

const char *clinux_resolve_error(int code) { return gai_strerror(code); }

int clinux_interface_addresses(clinux_address *addresses, size_t capacity) {
  struct ifaddrs *list = NULL;
  if (getifaddrs(&list) < 0) return -errno;
  size_t count = 0;
  for (struct ifaddrs *entry = list; entry != NULL && count < capacity; entry = entry->ifa_next)
    if (entry->ifa_addr != NULL && (entry->ifa_flags & IFF_UP))
      count += (size_t)address_from(entry->ifa_addr, &addresses[count]);
  freeifaddrs(list);
  return (int)count;
}

int clinux_host_name(char *name, size_t capacity) {
  int status = gethostname(name, capacity);
  if (capacity > 0) name[capacity - 1] = 0;
  return result(status);
}

// Sockets

int clinux_socket_stream(int is_v6) {
  return result(socket(is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

int clinux_socket_bind(int socket, const clinux_address *address) {
  struct sockaddr_storage storage;
  socklen_t length = address_into(address, &storage);
  return result(bind(socket, (struct sockaddr *)&storage, length));
}

int clinux_socket_listen(int socket, int backlog) { return result(listen(socket, backlog)); }

int clinux_socket_connect(int socket, const clinux_address *address) {
  struct sockaddr_storage storage;
  socklen_t length = address_into(address, &storage);
  return result(connect(socket, (struct sockaddr *)&storage, length));
}

int clinux_socket_accept(int socket, clinux_address *peer) {
  struct sockaddr_storage storage;
  socklen_t length = sizeof storage;
  int accepted;
  do accepted = accept4(socket, (struct sockaddr *)&storage, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
  while (accepted < 0 && errno == EINTR);
  if (accepted < 0) return -errno;
  address_from((struct sockaddr *)&storage, peer);
  return accepted;
}

int clinux_socket_name(int socket, clinux_address *address) {
  struct sockaddr_storage storage;
  socklen_t length = sizeof storage;
  if (getsockname(socket, (struct sockaddr *)&storage, &length) < 0) return -errno;
  return address_from((struct sockaddr *)&storage, address) ? 0 : -EAFNOSUPPORT;
}

static int get_option(int socket, int level, int name) {
  int value = 0;
  socklen_t length = sizeof value;
  return getsockopt(socket, level, name, &value, &length) < 0 ? -errno : value;
}

static int set_option(int socket, int level, int name, int value) {
  return result(setsockopt(socket, level, name, &value, sizeof value));
}

// The pending error of the socket is returned as a negative number, like an error of this call.
int clinux_socket_error(int socket) {
  int error = get_option(socket, SOL_SOCKET, SO_ERROR);
  return error > 0 ? -error : error;
}

int clinux_socket_queued(int socket) {
  int count = 0;
  return ioctl(socket, SIOCOUTQ, &count) < 0 ? -errno : count;
}

int clinux_socket_shutdown_write(int socket) { return result(shutdown(socket, SHUT_WR)); }

int clinux_socket_reset_on_close(int socket) {
  struct linger linger = {.l_onoff = 1, .l_linger = 0};
  return result(setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, sizeof linger));
}

int clinux_socket_set_reuse_address(int socket) { return set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1); }

int clinux_socket_set_reuse_port(int socket) { return set_option(socket, SOL_SOCKET, SO_REUSEPORT, 1); }

int clinux_socket_set_dual_stack(int socket) { return set_option(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0); }

int clinux_socket_set_no_delay(int socket, int is_on) {
  return set_option(socket, IPPROTO_TCP, TCP_NODELAY, is_on);
}

int clinux_socket_set_not_sent_low_water(int socket, int bytes) {
  return set_option(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, bytes);
}

int clinux_socket_set_send_buffer(int socket, int bytes) {
  return set_option(socket, SOL_SOCKET, SO_SNDBUF, bytes);
}

int clinux_socket_set_receive_buffer(int socket, int bytes) {
  return set_option(socket, SOL_SOCKET, SO_RCVBUF, bytes);
}

int clinux_socket_no_delay(int socket) { return get_option(socket, IPPROTO_TCP, TCP_NODELAY); }

int clinux_socket_not_sent_low_water(int socket) { return get_option(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT); }

int clinux_socket_send_buffer(int socket) { return get_option(socket, SOL_SOCKET, SO_SNDBUF); }

// clinux_send and clinux_receive make their system calls directly. The C library's send and recv are cancellation points
// (pthread_cancel), which costs 42 of the 76 instructions of a call, and no thread of this program is ever cancelled. Only builds
// with a sanitizer call send and recv, because sanitizers cannot observe direct system calls.
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
static long send_now(int socket, const void *bytes, size_t count, int flags) { return send(socket, bytes, count, flags); }
static long receive_now(int socket, void *bytes, size_t count, int flags) { return recv(socket, bytes, count, flags); }
#else
static long send_now(int socket, const void *bytes, size_t count, int flags) {
  return syscall(SYS_sendto, (long)socket, bytes, count, (long)flags, NULL, 0L);
}
static long receive_now(int socket, void *bytes, size_t count, int flags) {
  return syscall(SYS_recvfrom, (long)socket, bytes, count, (long)flags, NULL, NULL);
}
#endif

int64_t clinux_send(int socket, const void *bytes, size_t count) {
  long sent;
  do sent = send_now(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : sent;
}

int64_t clinux_send_two(int socket, const void *first, size_t first_count, const void *second, size_t second_count) {
  struct iovec parts[2] = {
      {.iov_base = (void *)first, .iov_len = first_count},
      {.iov_base = (void *)second, .iov_len = second_count},
  };
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  ssize_t sent;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : sent;
}

int64_t clinux_receive(int socket, void *bytes, size_t count) {
  long received;
  do received = receive_now(socket, bytes, count, MSG_DONTWAIT);
  while (received < 0 && errno == EINTR);
  return received < 0 ? -errno : received;
}

int clinux_unix_send(const char *path, const void *bytes, size_t count) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length == 0 || length >= sizeof address.sun_path) return -EINVAL;
  memcpy(address.sun_path, path, length);
  // An abstract name begins with a zero byte and has no zero byte at its end.
  if (path[0] == '@') address.sun_path[0] = 0;
  int socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return -errno;
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
  ssize_t sent;
  do {
    sent = sendto(socket_, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&address, size);
  } while (sent < 0 && errno == EINTR);
  int status = sent < 0 ? -errno : 0;
  close(socket_);
  return status;
}

// Local sockets

// Creates the address of a socket in an open folder. The path begins with /proc/self/fd, because a long path would not fit.
static int local_address(int folder, const char *name, struct sockaddr_un *address) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  int length = snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s", folder, name);
  return length > 0 && (size_t)length < sizeof address->sun_path ? 0 : -ENAMETOOLONG;
}

int clinux_local_listen(int folder, const char *name) {
  struct sockaddr_un address;
  int status = local_address(folder, name, &address);
  if (status < 0) return status;
  if (unlinkat(folder, name, 0) < 0 && errno != ENOENT) return -errno;
  int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) return -errno;
  // bind creates the file with the mode of the socket.
  if (fchmod(made, 0600) < 0 || bind(made, (struct sockaddr *)&address, sizeof address) < 0 || listen(made, 16) < 0) {
    status = -errno;
    close(made);
    return status;
  }
  return made;
}

int clinux_local_accept(int socket) {
  int accepted;
  do accepted = accept4(socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  while (accepted < 0 && errno == EINTR);
  return result(accepted);
}

int clinux_local_connect(int folder, const char *name) {
  struct sockaddr_un address;
  int status = local_address(folder, name, &address);
  if (status < 0) return status;
  int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) return -errno;
  if (connect(made, (struct sockaddr *)&address, sizeof address) < 0) {
    status = -errno;
    close(made);
    return status;
  }
  return made;
}

int clinux_local_peer_user(int socket, uint32_t *user) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) return -errno;
  *user = peer.uid;
  return 0;
}

int clinux_local_stop(int socket) { return result(shutdown(socket, SHUT_RDWR)); }
