#define _GNU_SOURCE
#include "CLinux.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Since Linux 6.2, the size of the folder /proc/self/fd is the number of open descriptors. On older kernels, its entries are
// counted.
static int64_t open_descriptors(void) {
  struct stat found;
  if (stat("/proc/self/fd", &found) == 0 && found.st_size > 0) return found.st_size;
  DIR *folder = opendir("/proc/self/fd");
  if (!folder) return -1;
  int64_t count = 0;
  for (struct dirent *entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
  closedir(folder);
  // The folder also contains the descriptor with which this function reads the folder. That descriptor is not counted.
  return count - 1;
}

// Reads the number of threads and the memory from fields 20, 23 and 24 of proc_pid_stat(5). Field 2, a name in parentheses, may
// contain any character, so the fields are counted from the last parenthesis.
static void read_stat(clinux_process_figures *figures) {
  char text[1024];
  int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return;
  text[length] = 0;
  char *rest = strrchr(text, ')');
  if (!rest) return;
  rest++;
  for (int field = 3; field <= 24 && *rest; field++) {
    while (*rest == ' ') rest++;
    int64_t value = strtoll(rest, NULL, 10);
    if (field == 20) figures->threads = value;
    if (field == 23) figures->virtual_bytes = value;
    if (field == 24) figures->resident_bytes = value * sysconf(_SC_PAGESIZE);
    while (*rest && *rest != ' ') rest++;
  }
}

void clinux_process_look(clinux_process_figures *figures) {
  memset(figures, -1, sizeof *figures);
  struct timespec time;
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0) {
    figures->cpu_nanoseconds = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
  }
  read_stat(figures);
  figures->open_descriptors = open_descriptors();
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    figures->descriptor_limit = (int64_t)limit.rlim_cur;
  }
}

int clinux_socket_traffic(int descriptor, uint64_t *received, uint64_t *acknowledged) {
  struct tcp_info information;
  memset(&information, 0, sizeof information);
  socklen_t length = sizeof information;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &information, &length) != 0) return 0;
  // Older kernels do not report the numbers of received and acknowledged bytes.
  if (length < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof information.tcpi_bytes_received) return 0;
  *received = information.tcpi_bytes_received;
  *acknowledged = information.tcpi_bytes_acked;
  return 1;
}
