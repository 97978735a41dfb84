/* libc's functions with a variable number of arguments, on the streams and the heap of the calling
   rank. Stable Rust cannot define such functions. They are reached through the table in variadic.rs
   and have no exported names. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#define SHIM __attribute__((visibility("hidden")))

enum { IN, OUT, ERR };

/* The functions on the Rust side. The members are in the order of `Host` there. */
struct host {
  FILE *(*stream)(int which);
  void *(*malloc)(size_t bytes);
  ssize_t (*write)(int descriptor, const void *from, size_t bytes);
  int (*tags)(int descriptor);
  int (*execv)(const char *path, char *const argv[]);
  int (*execvp)(const char *file, char *const argv[]);
  void (*exit)(int status);
  void *(*find)(void *handle, const char *name, const char *version, void *caller);
};
static const struct host *host;
SHIM void ftmpi_connect(const struct host *other) { host = other; }

extern int __vfprintf_chk(FILE *, int, const char *, va_list);
extern int __vfwprintf_chk(FILE *, int, const wchar_t *, va_list);
extern int __vasprintf_chk(char **, int, const char *, va_list);
extern int __vdprintf_chk(int, int, const char *, va_list);
extern int __isoc99_vfscanf(FILE *, const char *, va_list);
extern int __isoc99_vfwscanf(FILE *, const wchar_t *, va_list);
extern int __isoc23_vfscanf(FILE *, const char *, va_list) __attribute__((weak));
extern int __isoc23_vfwscanf(FILE *, const wchar_t *, va_list) __attribute__((weak));

/* The plain names of <stdio.h> may be redirected to those of a newer standard. */
extern int plain_vfscanf(FILE *, const char *, va_list) __asm__("vfscanf");
extern int plain_vfwscanf(FILE *, const wchar_t *, va_list) __asm__("vfwscanf");

/* Defines NAME(PARAMETERS, ...) as CALL, in which `list` holds the further arguments. */
#define VARIADIC(name, last, call, ...)                                                            \
  SHIM int ftmpi_##name(__VA_ARGS__, ...) {                                                        \
    va_list list;                                                                                  \
    va_start(list, last);                                                                          \
    int result = call;                                                                             \
    va_end(list);                                                                                  \
    return result;                                                                                 \
  }
#define WITH_LIST(name, call, ...)                                                                 \
  SHIM int ftmpi_##name(__VA_ARGS__, va_list list) { return call; }

VARIADIC(printf, form, vfprintf(host->stream(OUT), form, list), const char *form)
WITH_LIST(vprintf, vfprintf(host->stream(OUT), form, list), const char *form)
VARIADIC(printf_chk, form, __vfprintf_chk(host->stream(OUT), flag, form, list), int flag,
         const char *form)
WITH_LIST(vprintf_chk, __vfprintf_chk(host->stream(OUT), flag, form, list), int flag,
          const char *form)
VARIADIC(wprintf, form, vfwprintf(host->stream(OUT), form, list), const wchar_t *form)
WITH_LIST(vwprintf, vfwprintf(host->stream(OUT), form, list), const wchar_t *form)
VARIADIC(wprintf_chk, form, __vfwprintf_chk(host->stream(OUT), flag, form, list), int flag,
         const wchar_t *form)
WITH_LIST(vwprintf_chk, __vfwprintf_chk(host->stream(OUT), flag, form, list), int flag,
          const wchar_t *form)

VARIADIC(scanf, form, plain_vfscanf(host->stream(IN), form, list), const char *form)
WITH_LIST(vscanf, plain_vfscanf(host->stream(IN), form, list), const char *form)
VARIADIC(scanf99, form, __isoc99_vfscanf(host->stream(IN), form, list), const char *form)
WITH_LIST(vscanf99, __isoc99_vfscanf(host->stream(IN), form, list), const char *form)
VARIADIC(scanf23, form, __isoc23_vfscanf(host->stream(IN), form, list), const char *form)
WITH_LIST(vscanf23, __isoc23_vfscanf(host->stream(IN), form, list), const char *form)
VARIADIC(wscanf, form, plain_vfwscanf(host->stream(IN), form, list), const wchar_t *form)
WITH_LIST(vwscanf, plain_vfwscanf(host->stream(IN), form, list), const wchar_t *form)
VARIADIC(wscanf99, form, __isoc99_vfwscanf(host->stream(IN), form, list), const wchar_t *form)
WITH_LIST(vwscanf99, __isoc99_vfwscanf(host->stream(IN), form, list), const wchar_t *form)
VARIADIC(wscanf23, form, __isoc23_vfwscanf(host->stream(IN), form, list), const wchar_t *form)
WITH_LIST(vwscanf23, __isoc23_vfwscanf(host->stream(IN), form, list), const wchar_t *form)

/* Moves what libc has allocated to the heap of the caller. */
static int adopt(char **place, char *made, int bytes) {
  if (bytes < 0) return bytes;
  *place = host->malloc((size_t)bytes + 1);
  if (*place) memcpy(*place, made, (size_t)bytes + 1);
  free(made);
  return *place ? bytes : -1;
}
SHIM int ftmpi_vasprintf(char **place, const char *form, va_list list) {
  char *made = NULL;
  int bytes = vasprintf(&made, form, list);
  return adopt(place, made, bytes);
}
SHIM int ftmpi_vasprintf_chk(char **place, int flag, const char *form, va_list list) {
  char *made = NULL;
  int bytes = __vasprintf_chk(&made, flag, form, list);
  return adopt(place, made, bytes);
}
VARIADIC(asprintf, form, ftmpi_vasprintf(place, form, list), char **place, const char *form)
VARIADIC(asprintf_chk, form, ftmpi_vasprintf_chk(place, flag, form, list), char **place, int flag,
         const char *form)

/* Tagged output passes through here; other descriptors are libc's business. */
static int send(int descriptor, char *made, int bytes) {
  if (bytes > 0 && host->write(descriptor, made, (size_t)bytes) < 0) bytes = -1;
  free(made);
  return bytes;
}
SHIM int ftmpi_vdprintf(int descriptor, const char *form, va_list list) {
  if (!host->tags(descriptor)) return vdprintf(descriptor, form, list);
  char *made = NULL;
  int bytes = vasprintf(&made, form, list);
  return send(descriptor, made, bytes);
}
SHIM int ftmpi_vdprintf_chk(int descriptor, int flag, const char *form, va_list list) {
  if (!host->tags(descriptor)) return __vdprintf_chk(descriptor, flag, form, list);
  char *made = NULL;
  int bytes = __vasprintf_chk(&made, flag, form, list);
  return send(descriptor, made, bytes);
}
VARIADIC(dprintf, form, ftmpi_vdprintf(descriptor, form, list), int descriptor, const char *form)
VARIADIC(dprintf_chk, form, ftmpi_vdprintf_chk(descriptor, flag, form, list), int descriptor,
         int flag, const char *form)

/* error(3) and err(3): one write, so that the messages of ranks do not mix. */
static void complain(const char *before, const char *form, va_list list, const char *after) {
  char *made = NULL, *line = NULL;
  FILE *err = host->stream(ERR);
  if (form && vasprintf(&made, form, list) < 0) made = NULL;
  int bytes = asprintf(&line, "%s%s%s\n", before, made ? made : "", after);
  if (bytes >= 0) fwrite(line, 1, (size_t)bytes, err);
  free(line);
  free(made);
}
static void complain_errno(const char *before, const char *form, va_list list, int number) {
  char after[256], text[200];
  snprintf(after, sizeof after, ": %s", strerror_r(number, text, sizeof text));
  complain(before, form, list, after);
}
SHIM void ftmpi_error(int status, int number, const char *form, ...) {
  char before[512];
  va_list list;
  snprintf(before, sizeof before, "%s: ", program_invocation_name);
  fflush(host->stream(OUT));
  va_start(list, form);
  if (number) complain_errno(before, form, list, number);
  else complain(before, form, list, "");
  va_end(list);
  if (status) host->exit(status);
}
SHIM void ftmpi_error_at_line(int status, int number, const char *file, unsigned line,
                              const char *form, ...) {
  char before[512];
  va_list list;
  const char *shape = file ? "%s:%s:%u: " : "%s: ";
  snprintf(before, sizeof before, shape, program_invocation_name, file, line);
  fflush(host->stream(OUT));
  va_start(list, form);
  if (number) complain_errno(before, form, list, number);
  else complain(before, form, list, "");
  va_end(list);
  if (status) host->exit(status);
}
SHIM void ftmpi_vwarn(const char *form, va_list list) {
  int number = errno;
  char before[512], after[256], text[200];
  snprintf(before, sizeof before, "%s: ", program_invocation_short_name);
  snprintf(after, sizeof after, "%s%s", form ? ": " : "", strerror_r(number, text, sizeof text));
  complain(before, form, list, after);
  errno = number;
}
SHIM void ftmpi_vwarnx(const char *form, va_list list) {
  char before[512];
  snprintf(before, sizeof before, "%s: ", program_invocation_short_name);
  complain(before, form, list, "");
}
SHIM void ftmpi_verr(int status, const char *form, va_list list) {
  ftmpi_vwarn(form, list);
  host->exit(status);
}
SHIM void ftmpi_verrx(int status, const char *form, va_list list) {
  ftmpi_vwarnx(form, list);
  host->exit(status);
}
#define VARIADIC_VOID(name, call, ...)                                                             \
  SHIM void ftmpi_##name(__VA_ARGS__, ...) {                                                       \
    va_list list;                                                                                  \
    va_start(list, form);                                                                          \
    call;                                                                                          \
    va_end(list);                                                                                  \
  }
VARIADIC_VOID(warn, ftmpi_vwarn(form, list), const char *form)
VARIADIC_VOID(warnx, ftmpi_vwarnx(form, list), const char *form)
VARIADIC_VOID(err, ftmpi_verr(status, form, list), int status, const char *form)
VARIADIC_VOID(errx, ftmpi_verrx(status, form, list), int status, const char *form)

/* The execl family: arguments one by one, up to a null. */
static int count(va_list list) {
  int number = 1;
  while (va_arg(list, char *)) number++;
  return number;
}
static void fill(char **argv, const char *first, va_list list) {
  argv[0] = (char *)first;
  if (first)
    while ((*++argv = va_arg(list, char *))) {}
}
#define EXECL(name, call)                                                                          \
  SHIM int ftmpi_##name(const char *file, const char *first, ...) {                                \
    va_list list;                                                                                  \
    va_start(list, first);                                                                         \
    int number = first ? count(list) : 0;                                                          \
    va_end(list);                                                                                  \
    char *argv[number + 1];                                                                        \
    va_start(list, first);                                                                         \
    fill(argv, first, list);                                                                       \
    va_end(list);                                                                                  \
    return call(file, argv);                                                                       \
  }
EXECL(execl, host->execv)
EXECL(execlp, host->execvp)

/* `dlsym` with RTLD_NEXT must know its caller, which the return address identifies. */
SHIM void *ftmpi_dlsym(void *handle, const char *name) {
  return host->find(handle, name, NULL, __builtin_return_address(0));
}
SHIM void *ftmpi_dlvsym(void *handle, const char *name, const char *version) {
  return host->find(handle, name, version, __builtin_return_address(0));
}
