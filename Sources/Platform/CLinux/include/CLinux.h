// System calls that Swift's Glibc module lacks or cannot import: epoll, eventfd, accept4, signalfd, socket options.
//
// Every function that can fail returns the error as a negative errno. So no other call can overwrite the error before the caller
// reads it. This header uses only plain C types: a GNU macro in it would change libc's types for other modules.
#ifndef CLINUX_H
#define CLINUX_H

#include <stddef.h>
#include <stdint.h>

// The system's message for an errno, or NULL for an unknown number.
const char *clinux_error_text(int code);

// Time, in nanoseconds.
int64_t clinux_monotonic_now(void);
int64_t clinux_wall_now(void);
// 1 if the kernel's wall clock is synchronised with a time server, 0 if it is not synchronised or if the state is unknown.
int clinux_wall_is_synchronised(void);

// The number of cores that the calling thread may run on.
int clinux_allowed_cores(void);

// Limits the number of memory pools (arenas) from which the threads of this process allocate. Has no effect on earlier arenas.
void clinux_limit_arenas(int count);

// epoll. Events are the three bits below. Every registration is for all three events, and is edge-triggered.
static const uint32_t clinux_readable = 1;
static const uint32_t clinux_writable = 2;
static const uint32_t clinux_hung_up = 4;

typedef struct {
  uint64_t token;
  uint32_t events;
} clinux_ready;

static const int clinux_ready_capacity = 1024;

int clinux_epoll_create(void);
int clinux_epoll_add(int epoll, int descriptor, uint64_t token);
int clinux_epoll_remove(int epoll, int descriptor);
// Waits at most `timeout` nanoseconds (negative: for ever) and fills in at most clinux_ready_capacity events.
int clinux_epoll_wait(int epoll, clinux_ready *ready, int64_t timeout);
// Waits for one descriptor. Returns 1 when it is ready for one of `events` or has failed, 0 after the timeout.
int clinux_poll(int descriptor, uint32_t events, int64_t timeout);

// eventfd. clinux_eventfd_signal never blocks; clinux_eventfd_wait blocks if the eventfd was created with `is_blocking`.
int clinux_eventfd_create(int is_blocking);
int clinux_eventfd_signal(int descriptor);
int clinux_eventfd_wait(int descriptor);

// Threads. `body` runs on a new thread, whose name is the first 15 bytes of `name`.
int clinux_thread_start(const char *name, void (*body)(void *), void *context, uintptr_t *thread);
int clinux_thread_join(uintptr_t thread);
int clinux_thread_detach(uintptr_t thread);
uintptr_t clinux_thread_current(void);
// These functions affect only the calling thread: its blocked signals, and its niceness (-20 to 19, default 0).
int clinux_thread_block_signals(const int *signals, size_t count);
int clinux_thread_set_niceness(int niceness);
int clinux_thread_niceness(void);

// Blocks the listed signals for this thread and the threads that it creates later, and opens a signalfd for them.
int clinux_signals_open(const int *signals, size_t count);
// Waits for the next signal and returns its number.
int clinux_signals_wait(int descriptor);
int clinux_signal_ignore(int signal);
// Receives the listed signals with handlers, even if some threads block the signals. Only one call per process. Returns the
// descriptor for clinux_signals_caught.
int clinux_signals_catch(const int *signals, size_t count);
int clinux_signals_caught(int descriptor);

// Addresses. A v4 address has its 32 bits in `low`; both halves and the port are in host order.
typedef struct {
  uint64_t high;
  uint64_t low;
  uint32_t scope;
  uint16_t port;
  uint8_t is_v6;
} clinux_address;

static const int clinux_address_text_capacity = 64;

// Writes the IP address as NUL-terminated text.
int clinux_address_text(const clinux_address *address, char *text);
// Fills in the addresses of a host name or numeric address, at most `capacity`, and returns their number. An error is
// an EAI_ code of getaddrinfo, which is negative.
int clinux_resolve(const char *host, int is_numeric, clinux_address *addresses, size_t capacity);
const char *clinux_resolve_error(int code);
// The addresses of the active interfaces of this machine.
int clinux_interface_addresses(clinux_address *addresses, size_t capacity);
int clinux_host_name(char *name, size_t capacity);

// Sockets; all are created non-blocking and close-on-exec.
int clinux_socket_stream(int is_v6);
int clinux_socket_bind(int socket, const clinux_address *address);
int clinux_socket_listen(int socket, int backlog);
int clinux_socket_connect(int socket, const clinux_address *address);
int clinux_socket_accept(int socket, clinux_address *peer);
int clinux_socket_name(int socket, clinux_address *address);
int clinux_socket_error(int socket);
int clinux_socket_queued(int socket);
int clinux_socket_shutdown_write(int socket);
int clinux_socket_reset_on_close(int socket);

int clinux_socket_set_reuse_address(int socket);
int clinux_socket_set_reuse_port(int socket);
int clinux_socket_set_dual_stack(int socket);
int clinux_socket_set_no_delay(int socket, int is_on);
int clinux_socket_set_not_sent_low_water(int socket, int bytes);
int clinux_socket_set_send_buffer(int socket, int bytes);
int clinux_socket_set_receive_buffer(int socket, int bytes);
int clinux_socket_no_delay(int socket);
int clinux_socket_not_sent_low_water(int socket);
int clinux_socket_send_buffer(int socket);

// Each function makes one attempt, which it repeats only after EINTR. It does not wait and does not raise SIGPIPE.
int64_t clinux_send(int socket, const void *bytes, size_t count);
int64_t clinux_send_two(int socket, const void *first, size_t first_count, const void *second, size_t second_count);
int64_t clinux_receive(int socket, void *bytes, size_t count);

// Sends one datagram to a Unix socket, without waiting. `path` is a path, or '@' followed by a name in the abstract namespace.
int clinux_unix_send(const char *path, const void *bytes, size_t count);

// Fills in the number of bytes received over a TCP socket, and the number of sent bytes that the peer has acknowledged. Returns
// 0, and fills in nothing, if the kernel does not report them.
int clinux_socket_traffic(int socket, uint64_t *received, uint64_t *acknowledged);

// Unix stream sockets with a name in an open folder, for the folder's owner only. clinux_local_listen replaces a file of that
// name.
int clinux_local_listen(int folder, const char *name);
// Waits for the next connection; returns -EINVAL after clinux_local_stop.
int clinux_local_accept(int socket);
// Connects to the socket with this name, and returns the descriptor of the connection. Waits while the listener's queue is full.
int clinux_local_connect(int folder, const char *name);
// Fills in the user id that the peer process had when it connected.
int clinux_local_peer_user(int socket, uint32_t *user);
// Makes clinux_local_accept return.
int clinux_local_stop(int socket);

// Measurements of this process; negative if unknown.
typedef struct {
  int64_t cpu_nanoseconds;
  int64_t resident_bytes;
  int64_t virtual_bytes;
  int64_t open_descriptors;
  int64_t descriptor_limit;
  int64_t threads;
} clinux_process_figures;

// Measures this process. Takes up to several milliseconds if the process has many open descriptors.
void clinux_process_look(clinux_process_figures *figures);

// The number of bytes of the heap that are in use.
uint64_t clinux_heap_in_use(void);

// Files. No function fails with EINTR, and every descriptor is close-on-exec.
int clinux_open_nothing(void);
int clinux_descriptor_duplicate(int descriptor);
int clinux_create_private(const char *path, uint32_t mode);
int clinux_sync_directory(const char *path);

// Functions for the names in an open folder. A name is a single path component. Symbolic links are not followed.
int clinux_folder_open(const char *path);
int clinux_folder_open_in(int folder, const char *name);
int clinux_folder_make_in(int folder, const char *name);
int clinux_file_create_in(int folder, const char *name);
int clinux_file_open_in(int folder, const char *name, int is_writing);
int clinux_file_open_or_create_in(int folder, const char *name);
int clinux_rename_in(int folder, const char *name, int new_folder, const char *new_name);
// Fills in all names in a folder except "." and "..", each followed by a NUL, in memory that the caller must free. Returns the
// total number of bytes.
int64_t clinux_folder_names(int folder, char **names);
int clinux_unlink_in(int folder, const char *name);
// Removes a file, or a folder with its contents.
int clinux_remove_tree_in(int folder, const char *name);
// Changes the owner of an open file or folder that this process created; EPERM if it belongs to another user.
int clinux_give(int descriptor, uint32_t owner, uint32_t group);

// Locks the file for this descriptor until the descriptor is closed; EWOULDBLOCK if the file is locked already.
int clinux_lock_exclusively(int descriptor);
int clinux_unlock(int descriptor);
// The status of a file or folder. Times are nanoseconds since 1970. No program can set `changed`.
typedef struct {
  uint64_t inode;
  uint64_t device;
  int64_t length;
  int64_t modified;
  int64_t changed;
  // The time of creation, which no program can set; 0 if the file system does not record it.
  int64_t born;
  uint32_t owner;
  uint32_t group;
  int is_regular;
  int is_folder;
} clinux_file_information;

int clinux_information(int descriptor, clinux_file_information *information);
// Does the same as clinux_information for a name in a folder. Does not follow a symbolic link.
int clinux_information_in(int folder, const char *name, clinux_file_information *information);
// Returns the length of an open file; -EINVAL if it is not a regular file.
int64_t clinux_file_length(int descriptor);
// Reads `count` bytes, fewer only at the end of the file.
int64_t clinux_file_read(int descriptor, void *bytes, size_t count, int64_t offset);
// Writes all bytes. After an error some of them may have been written.
int clinux_file_write(int descriptor, const void *bytes, size_t count, int64_t offset);
// Makes the kernel copy at most `count` bytes to the same offset of another file; both files then share blocks if the file system
// supports it. Returns the number of copied bytes, which may be smaller than `count`; 0 at the end of the file. Fails with EXDEV,
// ENOSYS, EOPNOTSUPP, EINVAL, EPERM and others if the kernel cannot copy.
int64_t clinux_file_copy(int from, int to, int64_t offset, size_t count);
int clinux_file_truncate(int descriptor, int64_t length);
int clinux_file_sync(int descriptor);
// Like clinux_file_sync, but omits metadata that is not needed to read the file.
int clinux_file_sync_data(int descriptor);
// Syncs the whole file system of an open file or folder to the disk. Also returns an error that occurred since the descriptor was
// opened, or since the previous call with the same descriptor. Each error is returned once.
int clinux_sync_file_system(int descriptor);
int clinux_file_expect_sequential(int descriptor);
// Drops the clean pages of the file from the kernel's page cache.
int clinux_file_forget(int descriptor);
// Creates an unnamed file in a folder, for its owner only. The file is removed when its last descriptor and mapping are closed.
int clinux_file_create_unnamed(const char *folder);
// Sends at most `count` bytes of the file in one attempt; 0 at the end of the file. A closed socket raises SIGPIPE.
int64_t clinux_file_send(int socket, int descriptor, int64_t offset, size_t count);
// The number of bytes that an unprivileged user may still write to the file system of an open file or folder.
int clinux_free_bytes(int descriptor, uint64_t *bytes);

#endif
