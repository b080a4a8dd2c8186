#define _GNU_SOURCE
#include "CLinux.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static int result(int value) { return value < 0 ? -errno : value; }

int clinux_open_nothing(void) { return result(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

int clinux_descriptor_duplicate(int descriptor) { return result(fcntl(descriptor, F_DUPFD_CLOEXEC, 0)); }

int clinux_create_private(const char *path, uint32_t mode) {
  unlink(path);
  int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (descriptor < 0) return -errno;
  // The umask has cleared bits of the requested mode.
  if (fchmod(descriptor, mode) == 0) return descriptor;
  int error = errno;
  close(descriptor);
  return -error;
}

int clinux_sync_directory(const char *path) {
  int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return -errno;
  int status = result(fsync(descriptor));
  close(descriptor);
  return status;
}

// Functions that open folders, and functions on the names in an open folder

int clinux_folder_open(const char *path) { return result(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }

int clinux_folder_open_in(int folder, const char *name) {
  return result(openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

int clinux_folder_make_in(int folder, const char *name) { return result(mkdirat(folder, name, 0700)); }

int clinux_file_create_in(int folder, const char *name) {
  return result(openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
}

// O_NONBLOCK: if the file is a named pipe, `openat` would otherwise wait for the other end of the pipe.
int clinux_file_open_in(int folder, const char *name, int is_writing) {
  return result(openat(folder, name, (is_writing ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

int clinux_file_create_unnamed(const char *folder) {
  int descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  // EOPNOTSUPP: the file system has no unnamed files. EISDIR and ENOENT: the kernel is too old for them.
  if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return result(descriptor);
  char *path = NULL;
  if (asprintf(&path, "%s/drawtogether-XXXXXX", folder) < 0) return -ENOMEM;
  descriptor = mkostemp(path, O_CLOEXEC);
  int status = result(descriptor);
  if (descriptor >= 0) unlink(path);
  free(path);
  return status;
}

int clinux_file_open_or_create_in(int folder, const char *name) {
  return result(openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
}

int64_t clinux_folder_names(int folder, char **names) {
  *names = NULL;
  // This descriptor is separate from `folder`, because reading moves its position and closedir closes it.
  int descriptor = clinux_folder_open_in(folder, ".");
  if (descriptor < 0) return descriptor;
  DIR *directory = fdopendir(descriptor);
  if (directory == NULL) {
    int error = errno;
    close(descriptor);
    return -error;
  }
  size_t length = 0, capacity = 0;
  int error = 0;
  for (;;) {
    errno = 0;
    struct dirent *entry = readdir(directory);
    if (entry == NULL) {
      error = errno;
      break;
    }
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    size_t size = strlen(entry->d_name) + 1;
    if (capacity - length < size) {
      size_t larger = 2 * capacity + 4096;
      char *grown = realloc(*names, larger);
      if (grown == NULL) {
        error = ENOMEM;
        break;
      }
      *names = grown;
      capacity = larger;
    }
    memcpy(*names + length, entry->d_name, size);
    length += size;
  }
  closedir(directory);
  if (error == 0) return (int64_t)length;
  free(*names);
  *names = NULL;
  return -error;
}

int clinux_rename_in(int folder, const char *name, int new_folder, const char *new_name) {
  return result(renameat(folder, name, new_folder, new_name));
}

int clinux_unlink_in(int folder, const char *name) { return result(unlinkat(folder, name, 0)); }

static int remove_tree(int folder, const char *name, int depth);

static int remove_contents(DIR *directory, int depth) {
  // Some file systems skip names of a folder while other names are removed from it. So the folder is read again until no name
  // is left.
  for (int removed = 1; removed;) {
    removed = 0;
    rewinddir(directory);
    for (;;) {
      errno = 0;
      struct dirent *entry = readdir(directory);
      if (entry == NULL && errno != 0) return -errno;
      if (entry == NULL) break;
      if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
      int status = remove_tree(dirfd(directory), entry->d_name, depth);
      if (status < 0) return status;
      removed = 1;
    }
  }
  return 0;
}

static int remove_tree(int folder, const char *name, int depth) {
  // This call removes anything that is not a folder. It removes a link itself, and never the target of the link.
  if (unlinkat(folder, name, 0) == 0) return 0;
  int refusal = errno;
  // For a folder, `unlinkat` fails with EISDIR on Linux. POSIX specifies EPERM, which some file systems use on Linux, too. EPERM
  // can also mean that a permission is missing.
  if (refusal != EISDIR && refusal != EPERM) return -refusal;
  if (depth == 0) return -ELOOP;
  int descriptor = clinux_folder_open_in(folder, name);
  if (descriptor < 0) return descriptor == -ENOTDIR ? -refusal : descriptor;
  DIR *directory = fdopendir(descriptor);
  if (directory == NULL) {
    int error = errno;
    close(descriptor);
    return -error;
  }
  int status = remove_contents(directory, depth - 1);
  closedir(directory);
  return status < 0 ? status : result(unlinkat(folder, name, AT_REMOVEDIR));
}

int clinux_remove_tree_in(int folder, const char *name) {
  // Each level uses a descriptor, so the depth is limited.
  static const int maximum_depth = 32;
  return remove_tree(folder, name, maximum_depth);
}

// Functions on open files

int clinux_unlock(int descriptor) {
  return result(flock(descriptor, LOCK_UN));
}

int clinux_give(int descriptor, uint32_t owner, uint32_t group) {
  struct stat found;
  if (fstat(descriptor, &found) < 0) return -errno;
  // On some file systems, all files have the same owner, and `fchown` always fails, even if it would change nothing. So `fchown`
  // is called only if the owner or the group must change.
  if (found.st_uid == owner && found.st_gid == group) return 0;
  if (found.st_uid != geteuid()) return -EPERM;
  return result(fchown(descriptor, owner, group));
}

int clinux_lock_exclusively(int descriptor) {
  int status;
  do status = flock(descriptor, LOCK_EX | LOCK_NB);
  while (status < 0 && errno == EINTR);
  return result(status);
}

int64_t clinux_file_length(int descriptor) {
  struct stat information;
  if (fstat(descriptor, &information) < 0) return -errno;
  return S_ISREG(information.st_mode) ? information.st_size : -EINVAL;
}

static int64_t born(int folder, const char *name, int flags) {
  struct statx found;
  if (statx(folder, name, flags, STATX_BTIME, &found) < 0 || !(found.stx_mask & STATX_BTIME)) return 0;
  return (int64_t)found.stx_btime.tv_sec * 1000000000 + found.stx_btime.tv_nsec;
}

static void describe(const struct stat *found, clinux_file_information *information) {
  information->inode = found->st_ino;
  information->device = found->st_dev;
  information->length = found->st_size;
  information->modified = (int64_t)found->st_mtim.tv_sec * 1000000000 + found->st_mtim.tv_nsec;
  information->changed = (int64_t)found->st_ctim.tv_sec * 1000000000 + found->st_ctim.tv_nsec;
  information->owner = found->st_uid;
  information->group = found->st_gid;
  information->is_regular = S_ISREG(found->st_mode) ? 1 : 0;
  information->is_folder = S_ISDIR(found->st_mode) ? 1 : 0;
}

int clinux_information(int descriptor, clinux_file_information *information) {
  struct stat found;
  if (fstat(descriptor, &found) < 0) return -errno;
  describe(&found, information);
  information->born = born(descriptor, "", AT_EMPTY_PATH);
  return 0;
}

int clinux_information_in(int folder, const char *name, clinux_file_information *information) {
  struct stat found;
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) < 0) return -errno;
  describe(&found, information);
  information->born = born(folder, name, AT_SYMLINK_NOFOLLOW);
  return 0;
}

int64_t clinux_file_read(int descriptor, void *bytes, size_t count, int64_t offset) {
  size_t done = 0;
  while (done < count) {
    ssize_t read = pread(descriptor, (char *)bytes + done, count - done, offset + (int64_t)done);
    if (read == 0) break;
    if (read > 0)
      done += (size_t)read;
    else if (errno != EINTR)
      return -errno;
  }
  return (int64_t)done;
}

int clinux_file_write(int descriptor, const void *bytes, size_t count, int64_t offset) {
  size_t done = 0;
  while (done < count) {
    ssize_t written = pwrite(descriptor, (const char *)bytes + done, count - done, offset + (int64_t)done);
    if (written > 0)
      done += (size_t)written;
    else if (written == 0)
      return -EIO;
    else if (errno != EINTR)
      return -errno;
  }
  return 0;
}

int64_t clinux_file_copy(int from, int to, int64_t offset, size_t count) {
  ssize_t copied;
  do {
    off_t from_offset = offset, to_offset = offset;
    copied = copy_file_range(from, &from_offset, to, &to_offset, count, 0);
  } while (copied < 0 && errno == EINTR);
  if (copied >= 0) return copied;
  return -errno;
}

int clinux_file_truncate(int descriptor, int64_t length) {
  int status;
  do status = ftruncate(descriptor, length);
  while (status < 0 && errno == EINTR);
  return result(status);
}

int clinux_file_sync(int descriptor) {
  int status;
  do status = fsync(descriptor);
  while (status < 0 && errno == EINTR);
  return result(status);
}

int clinux_file_sync_data(int descriptor) {
  int status;
  do status = fdatasync(descriptor);
  while (status < 0 && errno == EINTR);
  return result(status);
}

int clinux_sync_file_system(int descriptor) {
  int status;
  do status = syncfs(descriptor);
  while (status < 0 && errno == EINTR);
  return result(status);
}

int clinux_file_expect_sequential(int descriptor) {
  return -posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
}

int clinux_file_forget(int descriptor) { return -posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED); }

int64_t clinux_file_send(int socket, int descriptor, int64_t offset, size_t count) {
  ssize_t sent;
  off_t position = offset;
  do sent = sendfile(socket, descriptor, &position, count);
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : sent;
}

int clinux_free_bytes(int descriptor, uint64_t *bytes) {
  struct statvfs information;
  if (fstatvfs(descriptor, &information) < 0) return -errno;
  // The product overflows only if a file system without a size limit reports a huge number of free blocks. No real disk is so
  // large, so the result is then the maximum value.
  if (__builtin_mul_overflow((uint64_t)information.f_bavail, (uint64_t)information.f_frsize, bytes)) *bytes = UINT64_MAX;
  return 0;
}
