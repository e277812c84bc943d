/*
 * Small programs that Git for Windows brings along and tests run, for the tests under Wine: echo, printf, cat, true and
 * false. The name by which it is started says which one it is.
 */

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <string.h>

static void copy(FILE *from) {
  char bytes[65536];
  size_t count;
  while ((count = fread(bytes, 1, sizeof bytes, from)) > 0) fwrite(bytes, 1, count, stdout);
}

static int cat(int count, char **words) {
  int failed = 0;
  if (count == 0) copy(stdin);
  for (int at = 0; at < count; at++) {
    FILE *file = strcmp(words[at], "-") == 0 ? stdin : fopen(words[at], "rb");
    if (file == NULL) {
      fprintf(stderr, "cat: %s: No such file or directory\n", words[at]);
      failed = 1;
    } else {
      copy(file);
    }
  }
  return failed;
}

static int echo(int count, char **words) {
  int line = count > 0 && strcmp(words[0], "-n") == 0;
  for (int at = line; at < count; at++) printf(at > line ? " %s" : "%s", words[at]);
  if (!line) putchar('\n');
  return 0;
}

/* A format with %s and the escapes of a line's end, a tab and octal numbers; it is repeated while there are words. */
static int format(int count, char **words) {
  int next = 1;
  if (count == 0) return 1;
  do {
    for (const char *at = words[0]; *at; at++) {
      unsigned number;
      int length;
      if (at[0] == '%' && at[1] == '%') putchar(*++at);
      else if (at[0] == '%' && at[1]) fputs(next < count ? words[next++] : "", stdout), at++;
      else if (at[0] == '\\' && at[1] == 'n') putchar('\n'), at++;
      else if (at[0] == '\\' && at[1] == 't') putchar('\t'), at++;
      else if (at[0] == '\\' && sscanf(at + 1, "%3o%n", &number, &length) == 1) putchar(number), at += length;
      else putchar(*at);
    }
  } while (next > 1 && next < count);
  return 0;
}

int main(int count, char **words) {
  const char *name = words[0];
  for (const char *at = name; *at; at++) if (*at == '/' || *at == '\\') name = at + 1;
  _setmode(_fileno(stdin), _O_BINARY);
  _setmode(_fileno(stdout), _O_BINARY);
  if (strncmp(name, "cat", 3) == 0) return cat(count - 1, words + 1);
  if (strncmp(name, "printf", 6) == 0) return format(count - 1, words + 1);
  if (strncmp(name, "true", 4) == 0) return 0;
  if (strncmp(name, "false", 5) == 0) return 1;
  return echo(count - 1, words + 1);
}
