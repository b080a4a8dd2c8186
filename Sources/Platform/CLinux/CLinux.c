#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

static const int64_t nanoseconds_per_second = 1000000000;

static int result(int value) { return value < 0 ? -errno : value; }

const char *clinux_error_text(int code) { return strerrordesc_np(code); }

// Time

static int64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * nanoseconds_per_second + time.tv_nsec;
}

int64_t clinux_monotonic_now(void) { return now(CLOCK_MONOTONIC); }

int64_t clinux_wall_now(void) { return now(CLOCK_REALTIME); }

int clinux_wall_is_synchronised(void) {
  // With the field `modes` zero, adjtimex changes nothing and needs no privilege. A system call filter may still refuse the
  // call.
  struct timex clock = {0};
  return adjtimex(&clock) >= 0 && (clock.status & STA_UNSYNC) == 0;
}

// Cores

int clinux_allowed_cores(void) {
  // The kernel refuses a CPU set that is smaller than its own set, and does not report the size of its own set. So the size is
  // doubled until the kernel accepts it.
  for (size_t cores = 1024; cores <= 1 << 20; cores *= 2) {
    cpu_set_t *set = CPU_ALLOC(cores);
    if (set == NULL) return -ENOMEM;
    size_t size = CPU_ALLOC_SIZE(cores);
    int status = sched_getaffinity(0, size, set) < 0 ? -errno : CPU_COUNT_S(size, set);
    CPU_FREE(set);
    if (status != -EINVAL) return status;
  }
  return -EINVAL;
}

// Memory

void clinux_limit_arenas(int count) { mallopt(M_ARENA_MAX, count); }

// epoll

int clinux_epoll_create(void) { return result(epoll_create1(EPOLL_CLOEXEC)); }

int clinux_epoll_add(int epoll, int descriptor, uint64_t token) {
  struct epoll_event event = {
      .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
      .data = {.u64 = token},
  };
  return result(epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event));
}

int clinux_epoll_remove(int epoll, int descriptor) {
  struct epoll_event unused = {0};
  return result(epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &unused));
}

static struct timespec timespec_of(int64_t nanoseconds) {
  struct timespec time = {
      .tv_sec = nanoseconds / nanoseconds_per_second,
      .tv_nsec = nanoseconds % nanoseconds_per_second,
  };
  return time;
}

// Rounds up: if a wait ended before its deadline, the event loop would have nothing to do and would wait again immediately.
static int milliseconds_of(int64_t nanoseconds) {
  if (nanoseconds < 0) return -1;
  int64_t milliseconds = nanoseconds / 1000000 + (nanoseconds % 1000000 != 0);
  return milliseconds > INT_MAX ? INT_MAX : (int)milliseconds;
}

int clinux_epoll_wait(int epoll, clinux_ready *ready, int64_t timeout) {
  struct epoll_event events[1024];
  int count;
  struct timespec time = timespec_of(timeout < 0 ? 0 : timeout);
  count = epoll_pwait2(epoll, events, clinux_ready_capacity, timeout < 0 ? NULL : &time, NULL);
  // Older kernels and some sandboxes only support epoll_wait, whose timeout is in milliseconds.
  if (count < 0 && (errno == ENOSYS || errno == EPERM))
    count = epoll_wait(epoll, events, clinux_ready_capacity, milliseconds_of(timeout));
  if (count < 0) return errno == EINTR ? 0 : -errno;
  for (int i = 0; i < count; i++) {
    uint32_t raw = events[i].events;
    ready[i].token = events[i].data.u64;
    ready[i].events = (raw & EPOLLIN ? clinux_readable : 0) | (raw & EPOLLOUT ? clinux_writable : 0) |
                      (raw & (EPOLLRDHUP | EPOLLHUP | EPOLLERR) ? clinux_hung_up : 0);
  }
  return count;
}

int clinux_poll(int descriptor, uint32_t events, int64_t timeout) {
  struct pollfd entry = {
      .fd = descriptor,
      .events = (events & clinux_readable ? POLLIN : 0) | (events & clinux_writable ? POLLOUT : 0),
  };
  int64_t end = timeout < 0 ? -1 : now(CLOCK_MONOTONIC) + timeout;
  for (;;) {
    int count = poll(&entry, 1, milliseconds_of(timeout));
    if (count >= 0 || errno != EINTR) return result(count);
    if (end >= 0) {
      timeout = end - now(CLOCK_MONOTONIC);
      if (timeout < 0) timeout = 0;
    }
  }
}

// eventfd

int clinux_eventfd_create(int is_blocking) {
  return result(eventfd(0, EFD_CLOEXEC | (is_blocking ? 0 : EFD_NONBLOCK)));
}

int clinux_eventfd_signal(int descriptor) {
  uint64_t one = 1;
  while (write(descriptor, &one, sizeof one) < 0)
    if (errno != EINTR) return -errno;
  return 0;
}

int clinux_eventfd_wait(int descriptor) {
  uint64_t count;
  while (read(descriptor, &count, sizeof count) < 0)
    if (errno != EINTR) return -errno;
  return 0;
}

// Threads

struct start {
  char name[16];
  void (*body)(void *);
  void *context;
};

static void *run(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  pthread_setname_np(pthread_self(), start.name);
  start.body(start.context);
  return NULL;
}

int clinux_thread_start(const char *name, void (*body)(void *), void *context, uintptr_t *thread) {
  struct start *start = calloc(1, sizeof *start);
  if (start == NULL) return -ENOMEM;
  strncpy(start->name, name, sizeof start->name - 1);
  start->body = body;
  start->context = context;
  pthread_t id;
  int error = pthread_create(&id, NULL, run, start);
  if (error != 0) {
    free(start);
    return -error;
  }
  *thread = (uintptr_t)id;
  return 0;
}

int clinux_thread_join(uintptr_t thread) { return -pthread_join((pthread_t)thread, NULL); }

int clinux_thread_detach(uintptr_t thread) { return -pthread_detach((pthread_t)thread); }

uintptr_t clinux_thread_current(void) { return (uintptr_t)pthread_self(); }

int clinux_thread_block_signals(const int *signals, size_t count) {
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < count; i++) sigaddset(&set, signals[i]);
  return -pthread_sigmask(SIG_BLOCK, &set, NULL);
}

// On Linux a niceness belongs to a thread, not to the process as in POSIX.
int clinux_thread_set_niceness(int niceness) { return result(setpriority(PRIO_PROCESS, (id_t)gettid(), niceness)); }

int clinux_thread_niceness(void) { return getpriority(PRIO_PROCESS, (id_t)gettid()); }

// Signals

int clinux_signals_open(const int *signals, size_t count) {
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < count; i++) sigaddset(&set, signals[i]);
  int error = pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (error != 0) return -error;
  return result(signalfd(-1, &set, SFD_CLOEXEC));
}

int clinux_signals_wait(int descriptor) {
  struct signalfd_siginfo info;
  while (read(descriptor, &info, sizeof info) < 0)
    if (errno != EINTR) return -errno;
  return (int)info.ssi_signo;
}

// The pipe to which the signal handler `caught` writes. It is a global variable, because a handler receives only the signal's
// number.
static int caught_signals = -1;

static void caught(int number) {
  int before = errno;
  unsigned char byte = (unsigned char)number;
  // A signal for which the pipe has no room is dropped. A full pipe contains thousands of signals that the program has not read
  // yet, so one more would change nothing.
  ssize_t ignored = write(caught_signals, &byte, 1);
  (void)ignored;
  errno = before;
}

int clinux_signals_catch(const int *signals, size_t count) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
  if (fcntl(ends[1], F_SETFL, O_NONBLOCK) < 0) return -errno;
  caught_signals = ends[1];
  for (size_t i = 0; i < count; i++) {
    struct sigaction action = {.sa_handler = caught, .sa_flags = SA_RESTART};
    if (sigaction(signals[i], &action, NULL) < 0) return -errno;
  }
  return ends[0];
}

int clinux_signals_caught(int descriptor) {
  unsigned char number;
  while (read(descriptor, &number, 1) < 0)
    if (errno != EINTR) return -errno;
  return number;
}

int clinux_signal_ignore(int signal_number) {
  struct sigaction action = {.sa_handler = SIG_IGN};
  return result(sigaction(signal_number, &action, NULL));
}

uint64_t clinux_heap_in_use(void) { return mallinfo2().uordblks; }
