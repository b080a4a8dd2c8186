// A preloaded library that hides the argument list from Swift's runtime, like a library that moves `environ`: the runtime
// searches for the list below the environment, on the stack that /proc/self/maps shows.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

FILE *fopen(const char *path, const char *mode) {
  FILE *(*next)(const char *, const char *) = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
  return strcmp(path, "/proc/self/maps") == 0 ? NULL : next(path, mode);
}
